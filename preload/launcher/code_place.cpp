#include "preload/launcher/code_place.h"

#ifdef MUSTER_HAS_LIBDW
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#endif

namespace muster::launcher {

#ifndef MUSTER_HAS_LIBDW

struct CodePlaces::Files {};

CodePlaces::CodePlaces() = default;
CodePlaces::~CodePlaces() = default;
std::vector<CodeFrame> CodePlaces::of_call(const std::string&, std::uint64_t) { return {}; }

#else

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, Free> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return status == 0 ? readable.get() : name;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (dwarf_attr_integrate(die, name, &attribute) != nullptr)
      return demangled(dwarf_formstring(&attribute));
  }
  const char* name = dwarf_diename(die);
  return name != nullptr ? name : "";
}

int number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0) return 0;
  return static_cast<int>(value);
}

std::string call_file_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto index = static_cast<std::size_t>(number_of(inlined, DW_AT_call_file));
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return "";
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name != nullptr ? name : "";
}

// clang writes no table of the units' addresses (.debug_aranges), without which libdw does not find them itself.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr& bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias); unit != nullptr) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, address - bias) > 0) return unit;
  }
  return nullptr;
}

// The functions around the address, innermost first; the first one's file and line are already known.
void add_functions(Dwarf_Die* unit, Dwarf_Addr address, std::vector<CodeFrame>& frames) {
  Dwarf_Die* found = nullptr;
  if (dwarf_getscopes(unit, address, &found) <= 0) return;
  const std::unique_ptr<Dwarf_Die, Free> innermost(found);
  // The scopes around an inlined function in dwarf_getscopes() are those of its definition, not of its caller.
  const int count = dwarf_getscopes_die(innermost.get(), &found);
  if (count <= 0) return;
  const std::unique_ptr<Dwarf_Die, Free> scopes(found);
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* scope = scopes.get() + i;
    const int tag = dwarf_tag(scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    frames.back().function = name_of(scope);
    if (tag == DW_TAG_subprogram) return;
    frames.push_back({"", call_file_of(unit, scope), number_of(scope, DW_AT_call_line)});
  }
}

}  // namespace

struct CodePlaces::Files {
  struct Close {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };
  struct File {
    std::unique_ptr<Dwfl, Close> session;
    Dwfl_Module* module = nullptr;
  };

  File& of(const std::string& path) {
    const auto [found, is_new] = files.try_emplace(path);
    if (!is_new) return found->second;
    // Debug information in a file of its own is looked for where distributions put it.
    static char* debug_path = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = &debug_path};
    File& file = found->second;
    file.session.reset(dwfl_begin(&callbacks));
    file.module = dwfl_report_offline(file.session.get(), path.c_str(), path.c_str(), -1);
    dwfl_report_end(file.session.get(), nullptr, nullptr);
    return file;
  }

  std::map<std::string, File> files;
};

CodePlaces::CodePlaces() : files_(std::make_unique<Files>()) {}
CodePlaces::~CodePlaces() = default;

std::vector<CodeFrame> CodePlaces::of_call(const std::string& file, std::uint64_t offset) {
  Dwfl_Module* module = files_->of(file).module;
  if (module == nullptr || offset == 0) return {};
  GElf_Addr bias = 0;
  if (dwfl_module_getelf(module, &bias) == nullptr) return {};
  const Dwarf_Addr address = bias + offset - 1;  // of the call, not of what follows it
  std::vector<CodeFrame> frames(1);
  Dwarf_Addr unit_bias = 0;
  if (Dwarf_Die* unit = unit_of(module, address, unit_bias); unit != nullptr) {
    if (Dwarf_Line* line = dwarf_getsrc_die(unit, address - unit_bias); line != nullptr) {
      const char* name = dwarf_linesrc(line, nullptr, nullptr);
      if (name != nullptr) frames[0].file = name;
      dwarf_lineno(line, &frames[0].line);
    }
    add_functions(unit, address - unit_bias, frames);
  }
  if (!frames.back().function.empty()) return frames;
  GElf_Off from = 0;
  GElf_Sym symbol;
  const char* name =
      dwfl_module_addrinfo(module, address, &from, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) frames.back().function = fmt::format("{}+{:#x}", demangled(name), from + 1);
  return frames;
}

#endif

}  // namespace muster::launcher
