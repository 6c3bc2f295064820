#include "preload/settings.h"

#include <pthread.h>
#include <unistd.h>

#include "platform/c_library/bound.h"
#include "preload/message.h"

namespace muster {
namespace {

pthread_once_t g_read = PTHREAD_ONCE_INIT;

const char* const* environment() {
  static const char* const kOff[] = {"MUSTER=off", nullptr};
  return muster_c_library_is_complete() ? __environ : kOff;
}

}  // namespace

void ensure_settings() {
  pthread_once(&g_read, [] { read_settings(environment(), message); });
}

void ensure_settings_at_end() {
  pthread_once(&g_read, [] { read_settings(environment(), nullptr); });
}

}  // namespace muster
