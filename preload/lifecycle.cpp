// The library's lifecycle in a process: initialization at the first OpenMP call, children of fork(), the end.
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "counters/counting.h"
#include "load/load_sensor.h"
#include "platform/c_library/bound.h"
#include "platform/clock.h"
#include "platform/cpu_times.h"
#include "platform/cpus.h"
#include "platform/fences.h"
#include "platform/futex.h"
#include "platform/given_back.h"
#include "platform/idle_time.h"
#include "platform/kept_files.h"
#include "platform/lock.h"
#include "platform/thread_count.h"
#include "platform/thread_place.h"
#include "preload/entry.h"
#include "preload/event_counting.h"
#include "preload/live/live.h"
#include "preload/message.h"
#include "preload/report/kept_stderr.h"
#include "preload/report/process_times.h"
#include "preload/report/report.h"
#include "preload/settings.h"
#include "preload/signals/dispositions.h"
#include "preload/signals/report_at_signal.h"
#include "preload/thunks/observed_calls.h"
#include "preload/thunks/thunk_banks.h"
#include "preload/thunks/thunks.h"
#include "preload/thunks/weak_references.h"
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/objects/deferred_dlclose.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/runtimes/ompt_tool.h"
#include "runtime-hooks/runtimes/why_not_replaced.h"
#include "runtime-hooks/runtimes/yields/yield_caller.h"
#include "runtime-hooks/teams/counted_region.h"
#include "runtime-hooks/teams/lost_threads.h"
#include "runtime-hooks/teams/observed_barrier.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/timeline.h"
#include "turns/process_turns.h"
#include "waiting/calibration.h"

namespace muster {
namespace {

// The child would inherit the calling thread's time slice, which Muster may have set.
void before_fork() { give_everything_back(); }

void after_fork_in_child() {
  dispositions_after_fork();
  live_after_fork();
  report_after_fork();
  runtimes_after_fork();
  deferred_dlclose_after_fork();
  folds_after_fork();
  teams_after_fork();
  observed_teams_after_fork();
  tool_after_fork();
  counters_after_fork();
  threads_after_fork();
  timelines_after_fork();
  yield_callers_after_fork();
  choices_after_fork();
  forget_other_cpu_time();
  process_load_sensor().after_fork_in_child();
  moves_after_fork_in_child();
  cpu_times_after_fork_in_child();
  idle_time_after_fork_in_child();
  begin_turns();
  process_times_after_fork_in_child();
}

// Throttling and stolen time are counted from here on. Opens the files that are read later, as far as the settings need
// them.
void look_at_load(const Settings& in_force) {
  const bool waits_by_load = in_force.wait.kind == WaitKind::kAuto;
  if (waits_by_load || in_force.yield == YieldKind::kAuto) keep_idle_time();
  process_load_sensor().look(monotonic_ns(), waits_by_load ? Files::kKeep : Files::kOpen);
}

void print_runtime(const Runtime& runtime) {
  message("found %s at %s: %s%s", name_of(runtime.kind), runtime.object.path,
          runtime.replaced ? "barriers are replaced" : "passed through, because of ",
          runtime.replaced ? "" : name_of(runtime.reason));
  if (runtime.observed && runtime.replaced)
    message("its tool gets the events of the barriers replaced: %s", tool_path());
  if (runtime.reason == PassReason::kTool && tool_event_not_served() != 0)
    message("its tool has registered OMPT event %d, which Muster does not know",
            tool_event_not_served());
}

void print_lost_threads(const Runtime& runtime) {
  message(
      "this process was forked, and the threads of %s stayed in its parent: regions of this thread "
      "have one thread (MUSTER_FORK=serial)",
      runtime.object.path);
}

void print_settings() {
  message("version %s, %u CPUs allowed", MUSTER_VERSION, allowed_cpus());
  for (const Option& option : kOptions) message("%s=%s", option.variable, text_in_force(option));
}

// One line for each cost, with the reason if a default is used instead of a measurement.
void print_calibration(const Calibration& calibration) {
  for (const NamedCost& named : kCosts) {
    const Cost& cost = calibration.*named.cost;
    message("cost of a %s: %llu ns (%s)", named.name, static_cast<unsigned long long>(cost.ns),
            name_of(cost.note));
  }
}

}  // namespace

void get_ready() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    ensure_settings();
    const Settings& in_force = settings();
    reserve_fold_ends();  // if a constructor calls an entry point before Muster's constructor runs
    switch_runtimes(in_force.on);
    read_environment();
    observe_bindings(find_call_targets);
    give_functions([](const char* name) { return reinterpret_cast<void*>(serial_function(name)); });
    if (in_force.on) {
      pthread_atfork(before_fork, nullptr, after_fork_in_child);
      remember_allowed_cpus();
      look_at_load(in_force);
      begin_turns();
      try_futex();  // before any thread sleeps that could not be woken
      if (has_one_thread()) register_fences();
      if (in_force.report != nullptr || in_force.timeline != nullptr) report_at_signals();
      begin_timeline();
      if (in_force.sites) observe();
    }
    if (in_force.verbose) {
      print_settings();
      observe_runtimes(print_runtime);
      observe_lost_threads(print_lost_threads);
      set_calibration_listener(print_calibration);
    }
    g_ready.store(true, std::memory_order_release);
  });
  // Outside of pthread_once: libpapi may call one of Muster's entry points. Threads that get ahead of this one start
  // counting in their next region.
  static std::atomic<bool> begun{false};
  if (!begun.exchange(true)) {
    begin_event_counting();
    if (settings().on && settings().live) begin_live();
  }
}

namespace {

// An option that is needed before the settings are read, which is at the first OpenMP call.
template <class Kind, class Value>
Value early(Setting setting, Value value) {
  const char* text = std::getenv(option_of(setting).variable);
  Value found = value;
  return text != nullptr && Kind::parse(text, found) ? found : value;
}

// What takes microseconds while the process has one thread, and tens of milliseconds when it has several: the kernel
// then waits until every CPU has gone through its scheduler. A program may start threads before its first region. Where
// an object's constructor has already started some, as OpenBLAS's does, it is too late.
void prepare_while_single_threaded() {
  if (!early<kind::OnOff>(Setting::on, true)) return;
  LoadedObject runtime;
  const auto is_runtime = [](const LoadedObject& object, void*) {
    return is_whole_runtime(object);
  };
  if (!find_object(is_runtime, nullptr, runtime) || !has_one_thread()) return;
  register_fences();
  reserve_descriptors();
}

__attribute__((constructor)) void at_start() {
  if (!muster_c_library_is_complete()) return;
  note_objects_at_start();
  const char* report = early<kind::ReportPath>(Setting::report, static_cast<const char*>(nullptr));
  if (report != nullptr && std::strcmp(report, "stderr") == 0 &&
      early<kind::OnOff>(Setting::on, true))
    keep_stderr();
  prepare_while_single_threaded();
  for (const Forget forget :
       {forget_call_targets, forget_bound_objects, forget_choices, forget_yield_callers,
        forget_observed_teams, forget_tool, forget_runtimes}) {
    when_unloaded(forget);
  }
  // With MUSTER=off, too.
  pthread_atfork(object_list_before_fork, object_list_after_fork, [] {
    object_list_after_fork_in_child();
    bound_objects_after_fork();
  });
  reserve_fold_ends();
  read_environment();
  if (early<kind::OnOff>(Setting::on, true)) expect_tool(muster_thunk_dlsym);
  hide_from_weak_references();
  prepare_for_choice(early<kind::BarrierName>(Setting::barrier, BarrierKind::kAuto));
}

// Runs at exit() and when main returns. Not at _exit or abort, where destructors do not run; preload/signals/ has the
// report at signals.
__attribute__((destructor)) void at_end() {
  note_end_of_process();
  end_turns();
  restore_default_dispositions();
  end_live();
  write_report_now();
  write_timeline_now();
}

}  // namespace
}  // namespace muster
