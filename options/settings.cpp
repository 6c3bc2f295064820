#include "options/settings.h"

#include <strings.h>

#include <cstring>

#include "options/nearest.h"

namespace muster {

constinit Settings detail::settings;

namespace {

constexpr std::size_t kMostShown = 64;  // of a bad value or an unknown name

// What is in force, as text. Settings that are texts point here.
#define MUSTER_TEXT(setting, variable, Kind, fallback, help) \
  constinit char g_##setting[Kind::kMost + 1] = fallback;
MUSTER_OPTIONS(MUSTER_TEXT)
#undef MUSTER_TEXT

constexpr char* kTexts[] = {
#define MUSTER_PLACE_OF_TEXT(setting, ...) g_##setting,
    MUSTER_OPTIONS(MUSTER_PLACE_OF_TEXT)
#undef MUSTER_PLACE_OF_TEXT
};

// As getenv, of any list. Null: not set.
const char* value_of(const char* const* environment, const char* name) {
  if (environment == nullptr) return nullptr;
  const std::size_t length = std::strlen(name);
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return nullptr;
}

// Without the spaces around it, in either case of letters.
bool is(const char* value, const char* wanted) {
  if (value == nullptr) return false;
  value += std::strspn(value, " \t");
  const std::size_t length = std::strlen(wanted);
  return strncasecmp(value, wanted, length) == 0 &&
         value[length + std::strspn(value + length, " \t")] == '\0';
}

bool wants_passive_waits(const char* const* environment) {
  return is(value_of(environment, "OMP_WAIT_POLICY"), "passive") ||
         is(value_of(environment, "KMP_BLOCKTIME"), "0") ||
         is(value_of(environment, "GOMP_SPINCOUNT"), "0");
}

int shown(std::size_t length) {
  return static_cast<int>(length < kMostShown ? length : kMostShown);
}

const char* dots(std::size_t length) { return length > kMostShown ? "..." : ""; }

void complain_of_value(const Option& option, const char* value, Complain complain) {
  const std::size_t length = std::strlen(value);
  const char* problem = option.problem(value);
  complain("%s: bad value '%.*s%s' (%s%smay be %s%s%s); using %s", option.variable, shown(length),
           value, dots(length), problem, *problem != '\0' ? "; " : "", option.values,
           *option.range != '\0' ? ", " : "", option.range,
           *option.fallback != '\0' ? option.fallback : "none");
}

void complain_of_unknown(const char* const* environment, Complain complain) {
  constexpr char kPrefix[] = "MUSTER_";
  for (; *environment != nullptr; ++environment) {
    const char* const name = *environment;
    if (std::strncmp(name, kPrefix, sizeof(kPrefix) - 1) != 0) continue;
    const std::size_t length = std::strcspn(name, "=");
    const auto is = [&](const char* known) {
      return std::strncmp(name, known, length) == 0 && known[length] == '\0';
    };
    bool known = is(kRunPidVariable);
    for (const Option& option : kOptions) known = known || is(option.variable);
    if (known) continue;
    complain("%.*s%s: not an option of Muster; the nearest name is %s", shown(length), name,
             dots(length), nearest_option(name, length).variable);
  }
}

}  // namespace

void read_settings(const char* const* environment, Complain complain) {
  Settings& in_force = detail::settings;
  in_force = Settings();
  for (const Option& option : kOptions) {
    char* const text = kTexts[&option - kOptions];
    std::strcpy(text, option.fallback);
    const char* value = value_of(environment, option.variable);
    if (value == nullptr || !in_force.on) continue;
    if (option.is_valid(value)) {
      std::strcpy(text, value);
      option.set(text, in_force);
    } else if (complain != nullptr) {
      complain_of_value(option, value, complain);
    }
  }
  in_force.passive = wants_passive_waits(environment);
  if (in_force.on && environment != nullptr && complain != nullptr) {
    complain_of_unknown(environment, complain);
  }
}

const char* text_in_force(const Option& option) { return kTexts[&option - kOptions]; }

}  // namespace muster
