#include "platform/thread_place.h"

#include "platform/cpus.h"

namespace muster {
namespace {

thread_local constinit AffinityMask t_before __attribute__((tls_model("initial-exec")));

}  // namespace

namespace detail {

thread_local constinit unsigned t_stays_on __attribute__((tls_model("initial-exec"))) = kNoCpu;

void give_place_back() {
  AffinityMask now;
  if (now.read()) {
    if (now == AffinityMask::only(t_stays_on)) {
      t_before.apply();
    } else {
      note_missing(Missing::kChangedAffinity, 0);
    }
  }
  t_stays_on = kNoCpu;
}

}  // namespace detail

bool own_affinity(AffinityMask& mask) {
  if (stays_on() == kNoCpu) return mask.read();
  mask = t_before;
  return true;
}

unsigned own_cpus() {
  if (stays_on() == kNoCpu) return allowed_cpus();
  AffinityMask now;
  if (!now.read() || now == AffinityMask::only(stays_on())) return t_before.count();
  return now.count();
}

bool stay_on(unsigned cpu) {
  if (stays_on() == cpu) return true;
  give_place_back();
  AffinityMask before;
  if (!before.read() || !before.has(cpu) || before.count() < 2) return false;
  if (!AffinityMask::only(cpu).apply()) return false;
  t_before = before;
  detail::t_stays_on = cpu;
  return true;
}

bool leave_cpu(unsigned cpu) {
  if (stays_on() != kNoCpu) return false;
  AffinityMask before;
  if (!before.read() || !before.has(cpu) || before.count() < 2) return false;
  AffinityMask others = before;
  others.clear(cpu);
  if (!others.apply()) return false;
  AffinityMask now;
  if (now.read() && now == others) before.apply();
  return true;
}

}  // namespace muster
