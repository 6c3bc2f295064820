// Every field of a report, once: its JSON key, its unit, how `muster merge` combines it, how the text shows it, and
// what it means. libmuster.so writes reports from these rows, `muster merge` reads, adds up and writes them, and
// `muster fields` prints them for docs/use/report.md. A new field is a row here and a put() in values.cpp.
#pragma once

#include "options/table.h"
#include "preload/report/field.h"

namespace muster::report_rows {

using enum Unit;
using enum Merge;

// In the order of the report.
// clang-format off
inline constexpr Group kGroups[] = {
    {"process", "", {"process", "{}", ""}, "The process and its program."},
    {"merged", "", {"merged", "{}", ""}, "The merged report.", {}, true},
    {"host", "hosts[]", {"merged", "host", "{host}"}, "The hosts.", {.most = 16}, true},
    {"program", "programs[]", {"merged", "program", "{program}"}, "The programs.", {.most = 16}, true},
    {"inactive", "inactive[]", {"merged", "inactive", "{reason}"}, "Why Muster replaced nothing in some processes.",
     {}, true},
    {"setting", "settings", {"process", "{}", ""}, "The options in force; null: not set.",
     {.heading = "\n  settings          "}},
    {"cost", "", {"cost", "{}", ""}, "Measured costs of this machine, null where no waiting policy asked for them."},
    {"cost_note", "cost_notes", {"cost_note", "{}", ""},
     "Where the costs come from: `measured`, `default: no threads`, `default: beside load`, `default: beyond bounds`, "
     "or `as context switch: one CPU`. Empty where no policy asked."},
    {"runtime", "runtimes[]", {"runtime", "{}", "{#}"},
     "One for each copy of an OpenMP runtime that was called through Muster, unloaded ones included. A runtime that is "
     "loaded again at another address is another copy.",
     {.otherwise = "\n  runtime            nothing interposed"}},
    {"unreached", "unreached[]", {"unreached", "{why}", "{#}"},
     "OpenMP runtimes in the process whose calls do not reach Muster."},
    {"load", "load", {"load", "{}", ""},
     "The load sensor's last snapshot. A value whose source cannot be read is null.", {.only_if = "allowed_cpus"}},
    {"load_source", "load.unavailable[]", {"load", "unavailable", "{#}"},
     "Sources of the load sensor that cannot be read: `runnable`, `cgroup`, `quota`, `throttling`, `pressure`, "
     "`stolen`."},
    {"missing", "missing[]", {"missing", "{what}", "{}"},
     "What the system refused or does not have; empty on most machines."},
    {"barrier", "barriers", {"total", "{}", ""}, "Barriers of the program."},
    {"entry", "barriers.by_entry[]", {"entry", "{entry}", "{}"},
     "Arrivals by the function called. One call may be several arrivals or none: `__kmpc_copyprivate` is two; a "
     "reduction by the tree is two or more (of thread 0, the last is at `__kmpc_end_reduce`), by atomics or a critical "
     "section one at `__kmpc_end_reduce`, none for `__kmpc_reduce_nowait`. A reduction of the runtime counts once, at "
     "`__kmpc_reduce`, and not at all without a barrier at its end. A thread that leaves a gather before it is called "
     "off has arrived there (`replaced`) and is passed through at the release."},
    {"algorithm", "barriers.by_algorithm[]", {"algorithm", "{algorithm}", "{team_size}"},
     "Replaced arrivals by algorithm and team size. `dissemination-or-counter`, which `auto` may select, is two rows: "
     "`dissemination` and `fetch-add-xadd`."},
    {"reason", "barriers.by_reason[]", {"reason", "{reason}", ""}, "Why arrivals were passed through."},
    {"yield", "runtime_yields", {"runtime_yields", "{}", ""}, "`sched_yield` calls from inside OpenMP runtimes."},
    {"fork_join", "fork_join", {"fork_join", "{}", ""},
     "Region folding: parallel regions that Muster forks and joins."},
    {"fold_reason", "fork_join.by_reason[]", {"fork_join_{what}", "{reason}", ""},
     "Why regions were not folded and why folds were closed: these add up to `unfolded` and `closed`."},
    {"site", "fork_join.sites[]", {"fork_join_site", "{object}+{offset} ({symbol})", "{what}: {reason}"},
     "The first 64 places of the program that closed folds or had regions that were not folded.", {.most = 8}},
    {"loops", "loops", {"loops", "{}", ""}, "Loops with a static schedule in code of clang, flang or Intel's compilers."},
    {"counters", "counters", {"counters", "{}", ""}, "Event counting; null without `MUSTER_COUNTERS`."},
    {"event", "counters.events[]", {"counters", "{name}", "{}"}, "Events in the setting's order.",
     {.heading = "\n    event                               waiting           rest"}},
    {"waiting", "waiting", {"waiting", "{}", ""}, "How threads waited, all threads together.",
     {.otherwise = "\n  SSR                nobody waited", .only_if = "waits"}},
    {"team_size", "waiting.by_team_size[]", {"{}", "{wait}", "{team_size}"}, "Waits by team size.",
     {.heading = "\n  SSR by team size", .only_if = "waits"}},
    {"bucket", "waiting.histogram[]", {"histogram", "{bucket}", "{below_ns}"},
     "Waits by length, a power of two each.",
     {.heading = "\n  wait times         (quick: released within the first polls, no clock was read)",
      .only_if = "count"}},
    {"thread", "threads[]", {"thread", "{}", "{thread}"}, "By thread number, all teams together.",
     {.heading = "\n  threads            (imbalance: its share of the waiting over an equal share)"
                 "\n    thread       barriers   arrived last         waited        longest  imbalance",
      .most = 64}},

    {"report", "reports[]", {"report", "{}", "{#}"}, "One for each process, in the order of ranks.",
     {.heading =
          "\n  ranks              (waited: all threads; share: of all waiting over an equal share;"
          "\n                     imbalance: least and most of its threads' shares of its own)"
          "\n     rank      pid threads       replaced      waited    per wait     longest  share  least   most  host"},
     true},
    {"spread", "spread[]", {"spread", "{figure}", "{}"}, "How the processes that have a figure differ in it.",
     {}, true},
};

inline constexpr Field kFields[] = {
    {"process.muster", kText, kNot, "muster {} report: {program} (pid {pid}, rank {rank}, {host})",
     "Muster's version."},
    {"process.source", kText, kNot, "\n  source of numbers  {}: counted by Muster's own code",
     "`software`: the source of every number outside `counters`."},
    {"process.host", kText, kTally, "", "The machine's name."},
    {"process.pid", kNumber, kNot, "", "The process id."},
    {"process.rank", kNumber, kNot, "", "The MPI rank, 0 without MPI."},
    {"process.program", kText, kTally, "", "The program's file."},
    {"process.active", kFlag, kNot, "", "Whether Muster replaced barriers in this process."},
    {"process.inactive_reason", kText, kTally, "",
     "Why not, or null: `OMPT tool`, `consistency check`, `thread sanitizer`, `ITT`, `cancellation`, "
     "`nothing interposed`, or another of `barriers.by_reason[]`."},
    {"process.regions", kCount, kSum, "\n  regions            {}", "Parallel regions entered through Muster."},
    {"process.largest_team", kCount, kLargest, ", largest team {}", "Threads of the largest team."},
    {"process.teams", kCount, kSum, ", team states {}", "Team states made."},

    {"merged.merged", kCount, kNot, "", "How many reports were merged."},
    {"host.host", kText, kNot, "\n  host               {}", "The host."},
    {"host.reports", kCount, kNot, " (reports: {})", "How many reports are from there."},
    {"program.program", kText, kNot, "\n  program            {}", "The program."},
    {"program.reports", kCount, kNot, " (reports: {})", "How many reports are of it."},
    {"inactive.reason", kText, kNot, "\n  inactive           {}", "The reason."},
    {"inactive.reports", kCount, kNot, " (reports: {})", "How many reports have it."},

#define MUSTER_SETTING_FIELD(setting, variable, Kind, fallback, help) \
    {"setting." variable, kText, kTally, " " variable "={}", help},
    MUSTER_OPTIONS(MUSTER_SETTING_FIELD)
#undef MUSTER_SETTING_FIELD

    {"cost.context_switch_ns", kNs, kNot, "\n  costs              context switch {}",
     "A context switch by futex (CS)."},
    {"cost.wake_ns", kNs, kNot, ", wake-up {}", "From the wake call until the woken thread runs (W)."},
    {"cost.wake_call_ns", kNs, kNot, ", wake call {}", "What a wake call takes the caller."},
    {"cost_note.context_switch", kText, kNot, " (context switch {}", "Of `context_switch_ns`."},
    {"cost_note.wake", kText, kNot, ", wake-up {}", "Of `wake_ns`."},
    {"cost_note.wake_call", kText, kNot, ", wake call {})", "Of `wake_call_ns`."},

    {"runtime.kind", kText, kKey, "\n  runtime            {}", "`libomp`, `libiomp5` or `libgomp`."},
    {"runtime.path", kText, kKey, ", {}", "Its file."},
    {"runtime.package", kText, kKey, " (package {})",
     "The Python package that brought it, from its path: the folder below `site-packages` or `dist-packages`, "
     "without `.libs`."},
    {"runtime.replaced", kFlag, kKey,
     ": barriers replaced, {arrivals_replaced} arrivals|: passed through, because of {reason}",
     "Whether its barriers are replaced."},
    {"runtime.reason", kText, kKey, "", "Why not."},
    {"runtime.arrivals_replaced", kCount, kSum, "", "Of `barriers.replaced`, the arrivals in this runtime's regions."},
    {"runtime.reports", kCount, kReports, " (reports: {})", "How many reports have it."},

    {"unreached.kind", kText, kNot, "\n  not reached        {}", "`libomp`, `libiomp5` or `libgomp`.", kCsv},
    {"unreached.path", kText, kNot, ", {}", "Its file, or the file that it is linked into."},
    {"unreached.package", kText, kNot, " (package {})", "As in `runtimes[]`.", kCsv},
    {"unreached.why", kText, kNot, "",
     "`not called`: it is loaded, and nothing called it. `bound past Muster`: the calls of `caller` are bound to it "
     "directly, as RTLD_DEEPBIND does. `another namespace`: it was opened by `dlmopen`. `linked statically`: into "
     "the program or the object at `path`, judged by the first 64 MB of it."},
    {"unreached.caller", kText, kNot, ": {} calls it past Muster (RTLD_DEEPBIND?)|: {why}",
     "The object whose calls are bound to it.", kCsv},

    {"load.allowed_cpus", kCount, kNot, "\n  load               {} CPUs allowed", "CPUs in the affinity mask."},
    {"load.quota_millicpus", kMilliCpu, kNot,
     ", quota {} CPUs, throttled {throttled_periods} times for {throttled_ns}|, no quota",
     "The CPU quota; null where there is none."},
    {"load.runnable", kCount, kNot, ", {} threads runnable at the end",
     "Runnable threads of the machine at the last look."},
    {"load.most_runnable", kCount, kNot, ", {} at most", "The most at any look."},
    {"load.throttled_periods", kCount, kNot, "", "Periods in which the quota was used up, since the first look."},
    {"load.throttled_ns", kNs, kNot, "", "Time throttled since the first look, summed over CPUs."},
    {"load.throttled_before", kCount, kNot, "", "Throttled periods before the first look."},
    {"load.stalled_us", kUs, kNot, ", {} with a thread waiting for a CPU",
     "Time in which any thread of the machine waited for a CPU, since the first look."},
    {"load.stolen_ms", kMs, kNot, ", {} stolen by the host (explains {stolen_gaps} gaps)",
     "Time that the host of a virtual machine took from the CPUs in the affinity mask since the first look, in steps of "
     "10 ms for each; 0 where the host reports none."},
    {"load.stolen_before_ms", kMs, kNot, "", "The same, before the first look, since the machine started."},
    {"load.stolen_gaps", kCount, kNot, "",
     "How often a waiting thread missed time that was stolen, so that no competitor was assumed."},
    {"load.looks", kCount, kNot, " (looks: {})", "How often the sensor looked."},
    {"load_source.", kText, kNot, "", "The source."},

    {"missing.what", kText, kNot, "\n  missing            {}", "What is missing."},
    {"missing.error", kText, kNot, " ({}, {times} times)", "The first refusal's error, such as `EPERM`."},
    {"missing.times", kCount, kNot, "", "Refusals so far; null where they are not counted."},
    {"missing.effect", kText, kNot, ": {}", "What follows from it."},

    {"barrier.replaced", kCount, kSum, "\n  barriers           {} arrivals replaced",
     "Arrivals that took Muster's barrier."},
    {"barrier.instances_replaced", kCount, kSum, " ({} barriers)",
     "Barriers replaced, counted once a team. A gather and its release (reductions, `__kmpc_barrier_master`) are two."},
    {"barrier.passed_through", kCount, kSum, ", {} passed through", "Arrivals that took the runtime's barrier."},
    {"entry.entry", kText, kKey, "\n    {:-28}", "The function."},
    {"entry.replaced", kCount, kSum, " {:14} replaced", "Arrivals that took Muster's barrier."},
    {"entry.passed_through", kCount, kSum, " {:14} passed through", "Arrivals that took the runtime's barrier."},
    {"algorithm.algorithm", kText, kKey, "\n    on {:-19} x", "The barrier algorithm."},
    {"algorithm.wait", kText, kNot, "", "The waiting policy.", kCsv},
    {"algorithm.team_size", kCount, kKey, " {:4}", "Threads of the team."},
    {"algorithm.replaced", kCount, kSum, " {:14} replaced", "Arrivals."},
    {"algorithm.while_contended", kCount, kSum, ", {} while contended",
     "Of these, while the team had too few CPUs or shared them with other processes; null without `MUSTER_WAIT=auto`, "
     "which observes it.", kCsv},
    {"reason.reason", kText, kKey, "\n    passed: {:-20}", "The reason."},
    {"reason.count", kCount, kSum, " {:14}", "Arrivals."},

    {"yield.seen", kCount, kSum, "\n  runtime's yields   {} seen", "All: the sum of `passed`, `skipped` and `naps`."},
    {"yield.setting", kText, kNot, " ({})", "`MUSTER_YIELD` as it was in force."},
    {"yield.passed", kCount, kSum, ": {} passed", "Calls that reached the kernel."},
    {"yield.skipped", kCount, kSum, ", {} skipped", "Calls that returned at once."},
    {"yield.naps", kCount, kSum, ", {} naps", "Calls that slept instead."},
    {"yield.long_yields", kCount, kSum, ", {} long",
     "Of the passed, those in which another process took its time slice (with `adaptive` only)."},

    {"fork_join.setting", kText, kNot, "\n  fork and join      {}: |\n  fork and join      ",
     "`MUSTER_FORKJOIN` as it was in force."},
    {"fork_join.opened", kCount, kSum, "", "Folds: runs of regions within one region of the runtime."},
    {"fork_join.folded", kCount, kSum, "{} regions folded",
     "Regions that Muster forked and joined, those that opened a fold included."},
    {"fork_join.unfolded", kCount, kSum, ", {} not; {opened} folds opened",
     "Regions that the runtime forked and joined."},
    {"fork_join.closed", kCount, kSum, ", {} closed", "Folds closed."},
    {"fold_reason.what", kText, kKey, "\n    {:-9}", "`unfolded` or `closed`."},
    {"fold_reason.reason", kText, kKey, "{:-28}", "The reason."},
    {"fold_reason.count", kCount, kSum, " {:12}", "Regions or folds."},
    {"site.what", kText, kNot, "\n    {}", "`unfolded` or `closed`."},
    {"site.reason", kText, kNot, "", "The reason."},
    {"site.symbol", kText, kNot, "", "The function called."},
    {"site.object", kText, kNot, "", "The file from which it was called; `?`: it has been unloaded."},
    {"site.offset", kText, kNot, " at {object}+{} ({symbol}), {reason}",
     "The return address in the file, as `addr2line -e OBJECT OFFSET` takes it (it may print the next line). The "
     "address itself where the object is `?`."},
    {"site.count", kCount, kNot, ": {}", "How often."},

    {"loops.computed", kCount, kSum, "\n  static loops       {} shares computed",
     "Shares of threads that Muster computed."},
    {"loops.passed_on", kCount, kSum, ", {} by the runtime",
     "Shares that it left to the runtime: teams of one, settings or arguments for which the result is not known to be "
     "the same. Threads outside of all regions that Muster follows are not counted, and `MUSTER_LOOPS=off` counts "
     "nothing."},

    {"counters.threads", kCount, kSum, "\n  counters           of {} threads in regions", "Threads that counted."},
    {"counters.setting", kText, kNot, "", "`MUSTER_COUNTERS` as given."},
    {"counters.library", kText, kNot, "; PAPI {}", "PAPI's version; null where it was not asked for or not found."},
    {"counters.unavailable", kText, kNot, "; unavailable: {}", "Why nothing at all was counted."},
    {"event.name", kText, kKey, "\n    {:-28}", "The event."},
    {"event.waiting", kCount, kSum, " {:14}",
     "What was counted while threads waited at Muster's barriers; null: not counted."},
    {"event.rest", kCount, kSum, " {:14}", "What was counted in the rest of the threads' regions; null: not counted."},
    {"event.source", kText, kKey, "  {}", "`hardware`, `software` or `unavailable`."},
    {"event.multiplexed", kFlag, kNot, ", multiplexed",
     "Whether the values are estimates, because the CPU counted events in turn."},
    {"event.reason", kText, kNot, ": {}", "Why it is unavailable, or in how many threads it could not be counted."},
    {"event.reports", kCount, kReports, " (reports: {})", "How many reports counted it."},

    {"waiting.ssr", kPercent, kSpinRate, "\n  SSR                {} %",
     "Successful spin rate (Tsafrir and Feitelson): `spins_succeeded` / `waits`, null where nobody waited. Spinning "
     "forever scores 1 whatever it costs, `block` 0 by definition: it does not measure time."},
    {"waiting.wait", kText, kNot, " with {}", "The waiting policy."},
    {"waiting.spins_succeeded", kCount, kSum, ": {} of", "Waits that ended while spinning, without a sleep."},
    {"waiting.waits", kCount, kSum, " {} waits ended by spinning, last arriver excluded",
     "Arrivals that had to wait: all but the last of an instance, also those that a task called off."},
    {"waiting.ssr_reminder", kText, kNot, "\n    ({})", "What to keep in mind about SSR.", kCsv},
    {"waiting.barriers", kCount, kSum, "", "Arrivals at Muster's barrier that it released."},
    {"waiting.contended", kCount, kSum, "",
     "Of these, arrivals while the team had too few CPUs or shared them with other processes."},
    {"waiting.arrived_last", kCount, kSum, "", "Of `barriers`, arrivals that found the team complete and did not wait."},
    {"waiting.spins_begun", kCount, kSum, "", "Waits that began by spinning."},
    {"waiting.blocks", kCount, kSum, "\n  waiting            {} blocks", "Futex sleeps."},
    {"waiting.wakeups", kCount, kSum, ", {} wake-ups", "Returns from futex sleeps."},
    {"waiting.wake_calls", kCount, kSum, ", {} wake calls", "System calls that woke sleepers."},
    {"waiting.yields", kCount, kSum, ", {} yields", "`sched_yield` calls of waiting threads."},
    {"waiting.failed_updates", kCount, kSum, ", {} failed updates",
     "Compare-and-swaps or store-conditionals that failed on arrival."},
    {"waiting.long_yields", kCount, kSum, "\n  teammates, CPUs    {} long yields", "Yields in which another process took its time slice."},
    {"waiting.gatherings", kCount, kSum, ", {} gatherings", "Times that a team was gathered on one CPU."},
    {"waiting.moves", kCount, kSum, ", {} moves", "Moves of single threads to that CPU."},
    {"waiting.nudges", kCount, kSum, ", {} nudges",
     "Times that a thread left a CPU that it shared with a teammate, for an idle one or to try being apart."},
    {"waiting.short_slices", kCount, kSum, ", {} short slices", "Times that a thread asked for a shorter time slice."},
    {"waiting.turn_sleeps", kCount, kSum, "\n  turns              {} sleeps in other processes' turns",
     "Arrivals that slept first, because it was another process's turn."},
    {"waiting.turn_slept_ns", kNs, kSum, ", {}", "The time that they slept."},
    {"waiting.waited_ns", kNs, kSum, "\n  waited             {}, all threads together",
     "Time waited, without waits that ended within the first polls."},

    {"team_size.team_size", kCount, kKey, "\n    teams of {:4}", "Threads of the team."},
    {"team_size.wait", kText, kKey, "", "The waiting policy, the same in all rows of a process."},
    {"team_size.arrivals", kCount, kSum, "", "Arrivals at Muster's barrier."},
    {"team_size.arrived_last", kCount, kSum, "", "Of these, those that did not wait."},
    {"team_size.waits", kCount, kSum, "", "Those that did."},
    {"team_size.spins_succeeded", kCount, kSum, "", "Waits that ended while spinning."},
    {"team_size.blocks", kCount, kSum, "", "Futex sleeps."},
    {"team_size.ssr", kPercent, kSpinRate, "      {:6} % of {waits:14} waits, {blocks} blocks",
     "`spins_succeeded` / `waits`."},
    {"bucket.bucket", kText, kKey, "",
     "`quick`: released within the first polls, before a clock was read; `below_ns`: shorter than that; `longer`."},
    {"bucket.quick", kFlag, kKey, "", "Whether it is the first one.", kCsv},
    {"bucket.below_ns", kNs, kKey, "\n    < {:-12}|\n    {bucket:-14}",
     "The upper bound; null for the first and the last."},
    {"bucket.count", kCount, kSum, " {:14}", "Waits."},
    {"bucket.bar", kText, kNot, " {}", "The count, drawn.", Without(kJson | kCsv)},

    {"thread.thread", kCount, kNot, "\n    {:6}", "The thread's number in its team."},
    {"thread.barriers", kCount, kNot, " {:14}", "Arrivals at Muster's barrier."},
    {"thread.arrived_last", kCount, kNot, " {:14}", "Of these, those for which the others waited."},
    {"thread.waited_ns", kNs, kNot, " {:14}", "Time waited."},
    {"thread.longest_wait_ns", kNs, kNot, " {:14}", "The longest wait."},
    {"thread.imbalance", kRatio, kNot, " {:10}|          -",
     "Its share of all waiting over an equal share: 1 is balanced; below 1 the thread arrives late and lets others "
     "wait."},

    {"report.rank", kNumber, kNot, "\n    {:5}", "The MPI rank."},
    {"report.pid", kNumber, kNot, " {:8}", "The process id."},
    {"report.threads", kCount, kNot, " {:7}", "Threads of its largest team."},
    {"report.arrivals_replaced", kCount, kNot, " {:14}", "Arrivals that took Muster's barrier."},
    {"report.waited_ns", kNs, kNot, " {:11}", "Time that its threads waited, all together."},
    {"report.waited_per_wait_ns", kNs, kNot, " {:11}|           -", "The same over its waits."},
    {"report.longest_wait_ns", kNs, kNot, " {:11}", "The longest wait of any of its threads."},
    {"report.share", kRatio, kNot, " {:6}|      -",
     "Its share of all waiting over an equal share of the processes that waited."},
    {"report.least_imbalance", kRatio, kNot, " {:6}|      -", "The least `imbalance` of its threads."},
    {"report.most_imbalance", kRatio, kNot, " {:6}|      -", "The most."},
    {"report.host", kText, kNot, "  {}", "The host."},
    {"report.program", kText, kNot, "", "The program's file."},
    {"report.file", kText, kNot, "", "The report's file."},
    {"report.inactive_reason", kText, kNot, "", "Why Muster replaced nothing in it."},
    {"report.regions", kCount, kNot, "", "Parallel regions."},
    {"report.arrivals_passed_through", kCount, kNot, "", "Arrivals that took the runtime's barrier."},
    {"report.instances_replaced", kCount, kNot, "", "Barriers replaced, counted once a team."},
    {"report.waits", kCount, kNot, "", "Arrivals that had to wait."},
    {"report.waits_longest", kCount, kNot, "", "Its thread with the largest share of its waiting."},
    {"report.arrives_last_most", kCount, kNot, "", "Its thread that arrives last most often."},
    {"spread.figure", kText, kNot, "", "A field of `reports[]`; `imbalance` is its `most_imbalance`."},
    {"spread.least", kRatio, kNot, "", "The least."},
    {"spread.median", kRatio, kNot, "", "The median."},
    {"spread.most", kRatio, kNot, "", "The most."},
    {"spread.least_row", kCount, kNot, "", "Number of the process in `reports[]` that has the least."},
    {"spread.most_row", kCount, kNot, "", "Number of the process that has the most."},
};
// clang-format on
}  // namespace muster::report_rows
