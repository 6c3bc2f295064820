#include "runtime-hooks/folding/watch.h"

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "runtime-hooks/folding/fold.h"

namespace muster {

thread_local constinit std::uint8_t t_muster_watches
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = 0;

namespace {

Closed reason_for(const char* symbol, Effect effect) {
  if (effect == Effect::kPushes) return Closed::kClause;
  for (const char* region : {"GOMP_parallel", "GOMP_teams", "__kmpc_serialized", "__kmpc_fork"}) {
    if (std::strncmp(symbol, region, std::strlen(region)) == 0) return Closed::kOtherKind;
  }
  return Closed::kCall;
}

}  // namespace

void on_watched_call(const char* symbol, Effect effect, const void* caller) {
  Fold& fold = the_fold();
  if (fold.is_runtimes_own(caller)) return;
  const std::uint8_t watches = t_muster_watches;
  if ((watches & kInSerialPart) != 0) {
    const int saved = errno;
    fold.close(reason_for(symbol, effect), {symbol, caller});
    errno = saved;
  } else if ((watches & kInFoldedRegion) != 0 && effect == Effect::kSets) {
    fold.note_setting();
  }
  if ((t_muster_watches & kMayFold) != 0 && effect == Effect::kPushes) fold.note_clause();
}

int serial_max_threads() { return the_fold().serial_max_threads(); }

}  // namespace muster
