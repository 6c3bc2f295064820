// The parts of an ELF file that `muster doctor` needs, read with libelf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::launcher {

// The properties that a loader compares before it accepts an object.
struct Architecture {
  int elf_class = 0;     // ELFCLASS32, ELFCLASS64
  int byte_order = 0;    // ELFDATA2LSB, ELFDATA2MSB
  unsigned machine = 0;  // EM_X86_64, ...

  bool operator==(const Architecture&) const = default;
};

std::string name_of(const Architecture& architecture);

struct ElfFile {
  Architecture architecture;
  unsigned type = 0;         // ET_EXEC, ET_DYN, ...
  bool has_dynamic = false;  // has a dynamic section: dynamically linked, or a static PIE
  bool has_symbols = false;  // has a .symtab: not stripped
  std::string interpreter;   // the loader; empty in libraries and static programs
  std::string soname;
  std::vector<std::string> needed;  // the sonames of the libraries it is linked with
  std::string run_path;            // the folders where they are searched first, separated by colons
  std::set<std::string> imported;  // dynamic symbols it leaves undefined
  std::set<std::string> exported;  // dynamic symbols it defines
  std::set<std::string> defined;   // symbols its .symtab defines
  std::vector<std::string> versions;  // version nodes it defines, in the file's order
};

// Nothing if the file cannot be read or is not ELF.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace muster::launcher
