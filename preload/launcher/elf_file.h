// What `muster doctor` needs to know of an ELF file, read with libelf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::launcher {

// What a loader compares before it takes an object.
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
  bool has_dynamic = false;  // has a dynamic section: linked by a loader, or a static PIE
  bool has_symbols = false;  // has a .symtab: not stripped
  std::string interpreter;   // the loader it asks for; empty in libraries and static programs
  std::string soname;
  std::vector<std::string> needed;    // the sonames of the libraries it asks for
  std::string run_path;               // where it looks for them first: folders, separated by colons
  std::set<std::string> imported;     // dynamic symbols it leaves undefined
  std::set<std::string> exported;     // dynamic symbols it defines
  std::set<std::string> defined;      // symbols its .symtab defines
  std::vector<std::string> versions;  // version nodes it defines, in the file's order
};

// Nothing where the file can't be read or is not ELF.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace muster::launcher
