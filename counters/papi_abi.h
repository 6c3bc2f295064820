// The part of PAPI's C interface that is used here, from its documentation and public header. It is the same in PAPI
// 6.0 to 7.2. Nothing of PAPI is needed to build Muster.
#pragma once

namespace muster::papi {

// The versions that have this interface, newest first, in the form that PAPI_library_init expects.
constexpr int version_number(int major, int minor) { return major << 24 | minor << 16; }
inline constexpr int kKnownVersions[] = {version_number(7, 2), version_number(7, 1),
                                         version_number(7, 0), version_number(6, 0)};
inline constexpr unsigned kVersionMask = 0xffff0000U;  // major and minor of a full version

inline constexpr int kOk = 0;
inline constexpr int kNoSuchEvent = -7;
inline constexpr int kConflict = -8;  // the event cannot be counted together with the others
inline constexpr int kNoCounters = -13;
inline constexpr int kNoPermission = -15;
inline constexpr int kDisabled = -25;  // the event's component is disabled
inline constexpr int kNull = -1;       // not an event set
// For PAPI_get_opt: the version, available before the start.
inline constexpr int kFullVersion = 21;

// The leading part of PAPI_component_info_t.
struct ComponentInfo {
  char name[128];
  char short_name[64];
  char description[128];
  char version[64];
  char support_version[64];
  char kernel_version[64];
  char disabled_reason[128];  // or more
};

using ThreadId = unsigned long (*)();

// X(result, name, parameters)
#define MUSTER_PAPI_FUNCTIONS(X)                                 \
  X(int, PAPI_library_init, (int version))                       \
  X(int, PAPI_get_opt, (int option, void* value))                \
  X(const char*, PAPI_strerror, (int error))                     \
  X(int, PAPI_num_components, ())                                \
  X(const ComponentInfo*, PAPI_get_component_info, (int index))  \
  X(int, PAPI_thread_init, (ThreadId id))                        \
  X(int, PAPI_register_thread, ())                               \
  X(int, PAPI_unregister_thread, ())                             \
  X(int, PAPI_event_name_to_code, (const char* name, int* code)) \
  X(int, PAPI_get_event_component, (int code))                   \
  X(int, PAPI_create_eventset, (int* set))                       \
  X(int, PAPI_assign_eventset_component, (int set, int index))   \
  X(int, PAPI_multiplex_init, ())                                \
  X(int, PAPI_set_multiplex, (int set))                          \
  X(int, PAPI_add_event, (int set, int code))                    \
  X(int, PAPI_start, (int set))                                  \
  X(int, PAPI_read, (int set, long long* values))                \
  X(int, PAPI_stop, (int set, long long* values))                \
  X(int, PAPI_cleanup_eventset, (int set))                       \
  X(int, PAPI_destroy_eventset, (int* set))

struct Functions {
#define MUSTER_PAPI_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  MUSTER_PAPI_FUNCTIONS(MUSTER_PAPI_MEMBER)
#undef MUSTER_PAPI_MEMBER
};

}  // namespace muster::papi
