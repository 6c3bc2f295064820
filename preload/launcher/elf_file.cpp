#include "preload/launcher/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

namespace muster::launcher {
namespace {

// Closes both, in the order that libelf requires.
class OpenElf {
 public:
  explicit OpenElf(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ >= 0 && elf_version(EV_CURRENT) != EV_NONE) {
      elf_ = elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr);
    }
  }
  OpenElf(const OpenElf&) = delete;
  OpenElf& operator=(const OpenElf&) = delete;
  ~OpenElf() {
    if (elf_ != nullptr) elf_end(elf_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] Elf* get() const { return elf_; }

 private:
  int descriptor_;
  Elf* elf_ = nullptr;
};

std::string string_at(Elf* elf, std::size_t section, std::size_t offset) {
  const char* text = elf_strptr(elf, section, offset);
  return text == nullptr ? "" : text;
}

void read_segments(Elf* elf, ElfFile& file) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type == PT_DYNAMIC) file.has_dynamic = true;
    if (header.p_type != PT_INTERP) continue;
    std::size_t size = 0;
    const char* raw = elf_rawfile(elf, &size);
    if (raw == nullptr || header.p_offset > size || header.p_filesz > size - header.p_offset)
      continue;
    file.interpreter.assign(raw + header.p_offset, header.p_filesz);
    file.interpreter.resize(std::min(file.interpreter.find('\0'), file.interpreter.size()));
  }
}

std::size_t entries_in(const GElf_Shdr& section) {
  return section.sh_entsize == 0 ? 0 : section.sh_size / section.sh_entsize;
}

void read_symbols(Elf* elf, Elf_Scn* scn, const GElf_Shdr& section, std::set<std::string>& defined,
                  std::set<std::string>* undefined) {
  Elf_Data* data = elf_getdata(scn, nullptr);
  for (std::size_t i = 0; data != nullptr && i < entries_in(section); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_name == 0 || type == STT_FILE || type == STT_SECTION) continue;
    std::string name = string_at(elf, section.sh_link, symbol.st_name);
    if (symbol.st_shndx != SHN_UNDEF) {
      defined.insert(std::move(name));
    } else if (undefined != nullptr) {
      undefined->insert(std::move(name));
    }
  }
}

void read_names(Elf* elf, Elf_Scn* scn, const GElf_Shdr& section, ElfFile& file) {
  Elf_Data* data = elf_getdata(scn, nullptr);
  for (std::size_t i = 0; data != nullptr && i < entries_in(section); ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) break;
    if (entry.d_tag == DT_SONAME) file.soname = string_at(elf, section.sh_link, entry.d_un.d_val);
    if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && file.run_path.empty())) {
      file.run_path = string_at(elf, section.sh_link, entry.d_un.d_val);
    }
    if (entry.d_tag == DT_NEEDED) {
      file.needed.push_back(string_at(elf, section.sh_link, entry.d_un.d_val));
    }
  }
}

void read_versions(Elf* elf, Elf_Scn* scn, const GElf_Shdr& section, ElfFile& file) {
  Elf_Data* data = elf_getdata(scn, nullptr);
  int offset = 0;
  for (std::size_t i = 0; data != nullptr && i < section.sh_info; ++i) {
    GElf_Verdef definition;
    GElf_Verdaux name;
    if (gelf_getverdef(data, offset, &definition) == nullptr) break;
    if (gelf_getverdaux(data, offset + static_cast<int>(definition.vd_aux), &name) == nullptr)
      break;
    file.versions.push_back(string_at(elf, section.sh_link, name.vda_name));
    if (definition.vd_next == 0) break;
    offset += static_cast<int>(definition.vd_next);
  }
}

void read_sections(Elf* elf, ElfFile& file) {
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr) continue;
    switch (section.sh_type) {
      case SHT_DYNSYM:
        read_symbols(elf, scn, section, file.exported, &file.imported);
        break;
      case SHT_SYMTAB:
        file.has_symbols = true;
        read_symbols(elf, scn, section, file.defined, nullptr);
        break;
      case SHT_DYNAMIC:
        read_names(elf, scn, section, file);
        break;
      case SHT_GNU_verdef:
        read_versions(elf, scn, section, file);
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::string name_of(const Architecture& architecture) {
  const int bits = architecture.elf_class == ELFCLASS32 ? 32 : 64;
  switch (architecture.machine) {
    case EM_X86_64:
      return bits == 64 ? "x86-64" : "x32";
    case EM_386:
      return "i386, 32-bit";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "Arm, 32-bit";
    case EM_PPC64:
      return "POWER, 64-bit";
    case EM_RISCV:
      return fmt::format("RISC-V, {}-bit", bits);
    default:
      return fmt::format("ELF machine {}, {}-bit", architecture.machine, bits);
  }
}

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  const OpenElf opened(path);
  Elf* elf = opened.get();
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr) {
    return std::nullopt;
  }
  ElfFile file;
  file.architecture = {header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine};
  file.type = header.e_type;
  read_segments(elf, file);
  read_sections(elf, file);
  return file;
}

}  // namespace muster::launcher
