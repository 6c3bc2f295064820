// The groups of a report's fields (fields.h): where they are in JSON and CSV, and how the text shows them.
#pragma once

#include "preload/report/field.h"

namespace muster {

// Raised whenever a field is renamed or removed, or changes its meaning; a new one is no reason.
inline constexpr unsigned kReportFormat = 3;

namespace report_rows {

// In the order of the report.
// clang-format off
inline constexpr Group kGroups[] = {
    {"process", "", {"process", "{}", ""}, "The process and its program."},
    {"argument", "arguments[]", {"process", "argument", "{#}"},
     "The command line, as `/proc/self/cmdline` has it at the end. Whoever reads the report reads the passwords in it.",
     {.heading = "\n  arguments         ", .most = 16}},
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
     "or `as context switch: one CPU`. Null where no policy asked."},
    {"runtime", "runtimes[]", {"runtime", "{}", "{#}"},
     "One for each copy of an OpenMP runtime that was called through Muster, unloaded ones included. A runtime that is "
     "loaded again at another address is another copy.",
     {.otherwise = "\n  runtime            no OpenMP call"}},
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
    {"efficiency", "efficiency", {"efficiency", "{}", ""},
     "How well the process used its threads, with the names and definitions of TALP, a part of DLB; null without "
     "`MUSTER_SITES` and where the runtime forked more than one region in a hundred.", {}, false, true},
    {"region_efficiency", "efficiency.regions[]", {"efficiency", "{object}+{offset} ({symbol})", "{}"},
     "The same for each folded region. Those that could gain most come first.",
     {.heading = "\n    region              efficiency      balance   scheduling      elapsed", .most = 8}},
    {"call_sites", "call_sites", {"call_sites", "{}", ""}, "Places of the program with barriers or regions."},
    {"call_site", "call_sites.sites[]", {"call_site", "{object}+{offset} ({symbol})", "{}"},
     "Places of barriers that Muster replaced and of regions, with `MUSTER_SITES` only. Those that could gain most come "
     "first.",
     {.heading = "\n  call sites         where elapsed time could be gained, and from what"
                 "\n          gain    imbalance    preempted    throttled       stolen       waking        count",
      .most = 12}},
    {"loops", "loops", {"loops", "{}", ""},
     "Loops with a static schedule in code of clang, flang or Intel's compilers."},
    {"counters", "counters", {"counters", "{}", ""}, "Event counting; null without `MUSTER_COUNTERS`.",
     {}, false, true},
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
// clang-format on
}  // namespace report_rows
}  // namespace muster
