#include "preload/settings.h"

#include <pthread.h>
#include <unistd.h>

#include "preload/message.h"

namespace muster {
namespace {

pthread_once_t g_read = PTHREAD_ONCE_INIT;

}  // namespace

void ensure_settings() {
  pthread_once(&g_read, [] { read_settings(environ, message); });
}

void ensure_settings_at_end() {
  pthread_once(&g_read, [] { read_settings(environ, nullptr); });
}

}  // namespace muster
