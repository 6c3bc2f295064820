#include "counters/papi_library.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "platform/read_file.h"

namespace muster::papi {
namespace {

// The names in distributions; the last one belongs to the development files.
constexpr const char* kNames[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                  "libpapi.so.7",   "libpapi.so.6.0", "libpapi.so.6",
                                  "libpapi.so"};

void* open_any() {
  for (const char* name : kNames) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL); handle != nullptr) return handle;
  }
  return nullptr;
}

const char* loaded_already(const char* path) {
  // Found in the global scope: the program calls PAPI, whatever the library's name is.
  if (dlsym(RTLD_DEFAULT, "PAPI_library_init") != nullptr) return "libpapi";
  if (path != nullptr) return dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr ? path : nullptr;
  for (const char* name : kNames) {
    if (dlopen(name, RTLD_NOW | RTLD_NOLOAD) != nullptr) return name;
  }
  return nullptr;
}

// Returns the name of the first missing function; null if there is none.
const char* find_functions(void* handle, Functions& call) {
#define MUSTER_PAPI_FIND(result, name, parameters)                         \
  call.name = reinterpret_cast<decltype(call.name)>(dlsym(handle, #name)); \
  if (call.name == nullptr) return #name;
  MUSTER_PAPI_FUNCTIONS(MUSTER_PAPI_FIND)
#undef MUSTER_PAPI_FIND
  return nullptr;
}

void write_version(unsigned version, char (&out)[32]) {
  std::snprintf(out, sizeof(out), "%u.%u.%u.%u", version >> 24, version >> 16 & 0xff,
                version >> 8 & 0xff, version & 0xff);
}

bool is_known(unsigned version) {
  for (const int known : kKnownVersions) {
    if ((version & kVersionMask) == static_cast<unsigned>(known)) return true;
  }
  return false;
}

void refuse_version(unsigned version, Library& library) {
  write_version(version, library.version);
  library.reason.set("PAPI %s is of a version that Muster does not know (6.0, 7.0 to 7.2)",
                     library.version);
}

// PAPI starts only for a caller that was built for its version, so the version is read first. If that fails, each known
// version is tried; PAPI may then answer with its own.
bool start(Library& library) {
  const Functions& call = library.call;
  const int reported = call.PAPI_get_opt(kFullVersion, nullptr);
  if (reported > 0 && !is_known(static_cast<unsigned>(reported))) {
    refuse_version(static_cast<unsigned>(reported), library);
    return false;
  }
  unsigned version = static_cast<unsigned>(reported > 0 ? reported : 0);
  int answer = 0;
  for (const int known : kKnownVersions) {
    if (reported > 0 && (version & kVersionMask) != static_cast<unsigned>(known)) continue;
    answer = call.PAPI_library_init(known);
    if (answer == known) break;
    if (answer > 0 && is_known(static_cast<unsigned>(answer))) {
      answer =
          call.PAPI_library_init(static_cast<int>(static_cast<unsigned>(answer) & kVersionMask));
      break;
    }
    if (answer > 0) break;
  }
  if (answer > 0 && !is_known(static_cast<unsigned>(answer))) {
    refuse_version(static_cast<unsigned>(answer), library);
    return false;
  }
  if (version == 0 && answer > 0) version = static_cast<unsigned>(answer);
  if (version != 0) write_version(version, library.version);
  if (answer > 0) return true;
  const char* words = call.PAPI_strerror(answer);
  library.reason.set("PAPI %s does not start: %s", library.version,
                     words != nullptr ? words : "no reason given");
  return false;
}

// The reason why the event's component of PAPI has no events; null if it works or there is no such component. Event
// names have their component before three colons ("sde:::..."); all others belong to component 0.
const char* disabled_reason(const Functions& papi, const char* event) {
  const char* colons = std::strstr(event, ":::");
  const std::size_t length = colons != nullptr ? static_cast<std::size_t>(colons - event) : 0;
  const int components = papi.PAPI_num_components();
  for (int i = 0; i < components; ++i) {
    const ComponentInfo* info = papi.PAPI_get_component_info(i);
    if (info == nullptr) continue;
    const bool is_its =
        length == 0 || (std::strncmp(info->name, event, length) == 0 && info->name[length] == '\0');
    if (is_its) return info->disabled_reason[0] != '\0' ? info->disabled_reason : nullptr;
  }
  return nullptr;
}

}  // namespace

void Reason::set(const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
}

void Reason::append(const char* format, ...) {
  const std::size_t length = std::strlen(text);
  va_list values;
  va_start(values, format);
  std::vsnprintf(text + length, sizeof(text) - length, format, values);
  va_end(values);
}

void open(Library& library, const char* path, Shared shared) {
  if (shared == Shared::kNo) {
    if (const char* loaded = loaded_already(path); loaded != nullptr) {
      library.reason.set("the program uses PAPI itself (%s)", loaded);
      return;
    }
  }
  void* handle = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : open_any();
  if (handle == nullptr) {
    const char* error = path != nullptr ? dlerror() : nullptr;
    library.reason.set("%s", error != nullptr ? error : "libpapi is not installed");
    return;
  }
  if (const char* missing = find_functions(handle, library.call); missing != nullptr) {
    library.reason.set("%s is no PAPI that Muster knows: it has no %s",
                       path != nullptr ? path : "libpapi", missing);
    return;
  }
  library.usable = start(library);
}

bool perf_event_paranoid(int& level) {
  char text[16];
  if (read_file(kParanoid, text, sizeof(text)) <= 0) return false;
  level = std::atoi(text);
  return true;
}

void explain(const Functions& papi, int error, const char* event, Reason& reason) {
  const char* words = papi.PAPI_strerror(error);
  if (words != nullptr) {
    reason.set("PAPI: %s", words);
  } else {
    reason.set("PAPI: error %d", error);
  }
  const char* disabled = disabled_reason(papi, event);
  if (disabled != nullptr) reason.append(" (%.128s)", disabled);
  int level = 0;
  const bool forbidden = error == kNoPermission ||
                         (disabled != nullptr && std::strstr(disabled, "paranoid") != nullptr);
  if (forbidden && perf_event_paranoid(level)) {
    reason.append("; %s is %d: 2 or less, or the capability CAP_PERFMON, allows it", kParanoid,
                  level);
  }
}

}  // namespace muster::papi
