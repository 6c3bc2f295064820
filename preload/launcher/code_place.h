// Where an address of a program's file comes from in its source, by debug information (elfutils' libdw).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::launcher {

struct CodeFrame {
  std::string function;  // "symbol+0x1a" without debug information; empty: not even that
  std::string file;      // empty: not known
  int line = 0;
};

class CodePlaces {
 public:
  CodePlaces();
  ~CodePlaces();
  CodePlaces(const CodePlaces&) = delete;
  CodePlaces& operator=(const CodePlaces&) = delete;

  // The call that returns to `offset` of the file, innermost first: if the function was inlined, so is the list of those
  // that it is inlined in. Empty if the file cannot be read.
  std::vector<CodeFrame> of_call(const std::string& file, std::uint64_t offset);

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace muster::launcher
