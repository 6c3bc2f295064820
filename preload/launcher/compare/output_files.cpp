#include "preload/launcher/compare/output_files.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "preload/launcher/compare/program_run.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLine = 8192;  // std::regex recurses for each character

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// FNV-1a of 64 bits, and the length: two outputs of a program that differ are not made to collide.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}-{}", hash, text.size());
}

std::string without_own_lines(const std::string& text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (text.compare(begin, 8, "muster: ") != 0) kept.append(text, begin, end - begin);
    begin = end;
  }
  return kept;
}

}  // namespace

std::string file_word(const std::string& name) {
  std::string word;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '=') {
      word += c;
    } else if (!word.empty() && word.back() != '-') {
      word += '-';
    }
  }
  return word.substr(0, 60);
}

std::optional<double> figure_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::optional<double> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kMostLine) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), expression), end; at != end; ++at) {
      const std::string number = at->size() > 1 ? (*at)[1].str() : at->suffix().str();
      char* rest = nullptr;
      const double value = std::strtod(number.c_str(), &rest);
      if (rest != number.c_str()) found = value;
    }
  }
  return found;
}

void read_outputs(const fs::path& output, unsigned copies, const std::string& pattern, Run& run) {
  std::string outputs;
  std::string errors;
  for (unsigned copy = 0; copy < copies; ++copy) {
    const std::string text = contents_of(output_file(output, copy, "out"));
    const std::string other = contents_of(output_file(output, copy, "err"));
    outputs += text;
    errors += without_own_lines(other);
    if (pattern.empty() || run.timed_out) continue;
    auto figure = figure_in(text, pattern);
    if (!figure) figure = figure_in(other, pattern);
    if (figure) run.figure = run.figure.value_or(0) + *figure;
  }
  run.output = hash_of(outputs);
  run.errors = hash_of(errors);
}

void remove_outputs(const fs::path& output, unsigned copies) {
  for (unsigned copy = 0; copy < copies; ++copy) {
    for (const char* ending : {"out", "err"}) {
      std::error_code error;
      fs::remove(output_file(output, copy, ending), error);
    }
  }
}

void link_if_equal(const fs::path& file, KeptFiles& kept) {
  const auto [first, is_new] = kept.try_emplace(hash_of(contents_of(file)), file);
  if (is_new) return;
  const fs::path link = file.string() + ".link";
  std::error_code error;
  fs::create_hard_link(first->second, link, error);
  if (!error) fs::rename(link, file, error);
}

}  // namespace muster::launcher
