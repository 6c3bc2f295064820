"""What mends each trap of folding, taken out: the named programs must notice. docs/understand/folding.md."""

from __future__ import annotations

from fault import Fault

FOLD = "runtime-hooks/folding/fold.cpp"
MAY_OPEN = "runtime-hooks/folding/may_open.cpp"
ROOT_FOLD = "runtime-hooks/folding/root_fold.cpp"
THUNKS = "preload/thunks/thunks.cpp"
EFFECTS = "runtime-hooks/folding/call_effects.cpp"
FORKS = "preload/kmpc_fork_entries.cpp"



def without(name: str, file: str, text: str, rest: str, programs: tuple[str, ...], runtime: str = "libomp19") -> Fault:
    """Each of the programs must fail on that runtime."""
    return Fault(name, file, text, rest, tuple(rf"^region-folding\.{program}\..*{runtime}$" for program in programs))


FAULTS = (
    without("calls of the runtime close", THUNKS,
           "    apply_effect(thunk.name, thunk.effect, caller);\n", "",
           ("orphaned_loops", "orphaned_tasks", "orphaned_dependences", "settings", "schedule", "pause", "display",
            "threadprivate_cached")),
    without("entry points of Muster's own close", "preload/entry.h",
           "  if (in_serial_part()) [[unlikely]]\n    close_fold_before(symbol, caller);\n",
           "  (void)symbol, (void)caller;\n",
           ("combined_regions", "started_regions", "target", "teams", "orphaned_barriers")),
    without("queries are answered", THUNKS,
           "    if (kSerialAnswers[index] != nullptr) return kSerialAnswers[index];\n    apply_effect",
           "    apply_effect", ("getters_quiet",)),
    without("what regions take over is compared", FOLD, "inner != inner_max_) {", "false && inner != inner_max_) {",
           ("set_by_handle",)),
    without("a region's settings close", EFFECTS, "    fold->note_setting();\n", "", ("set_in_region",)),
    without("another size closes", FOLD, "} else if (wanted != wanted_size_) {",
           "} else if (false && wanted != wanted_size_) {", ("clause_num_threads", "team_sizes")),
    without("a clause for one region closes", FOLD, "  const bool clause = next_.clause || call.has_clause;\n",
           "  const bool clause = false;\n", ("clause_proc_bind",)),
    without("dynamic teams are not folded", MAY_OPEN, "  if (real.omp_get_dynamic() != 0) return Unfolded::kDynamic;\n", "",
           ("dynamic",)),
    without("serialized regions close", FORKS, '  entering("__kmpc_serialized_parallel", caller);\n', "  ensure_ready();\n",
           ("clause_if",)),
    without("joins finish tasks", "runtime-hooks/teams/team.h",
           "    TeamInstances::call_off(*frame.me, frame.at_real_barrier, lasting);\n",
           "    if (lasting) TeamInstances::call_off(*frame.me, frame.at_real_barrier, lasting);\n",
           ("tasks_at_end", "tasks_depend")),
    without("workers have the region's floating-point control", "runtime-hooks/folding/worker_loop.cpp",
           "      if (fp_is_inherited(*fold.runtime_)) fold.job_.fp.put_in_force();\n", "", ("floating_point",)),
    without("a close keeps floating-point flags", FOLD, "    const KeptFpEnvironment kept;", "    //",
           ("floating_flags",)),
    without("fork closes", FOLD, "    if (in_serial_part()) t_thread_state->fold->close(Closed::kFork, {});\n",
           "", ("fork_serial", "roots_fork")),
    without("the end closes", FOLD, "void Fold::end() { close(Closed::kEnd, {}); }\n", "void Fold::end() {}\n",
           ("exit_handlers", "end_of_thread", "roots_end")),
    without("each root thread has its own fold", ROOT_FOLD, "    fold = ::new (pages) Fold();\n",
           "    static Fold* only = ::new (pages) Fold();\n    fold = only;\n", ("roots", "roots_settings")),
    without("the end of each is registered", FOLD, "  end_is_registered_ = false;  // it was another thread's\n", "",
           ("roots_end",)),
    without("an exit leaves the fold open beside another", ROOT_FOLD, "    t_thread_state->fold->open_no_more();\n    return;\n",
           "", ("roots_end",), "libiomp5"),
    without("a thread that ends folds no more", ROOT_FOLD,
           "  if (!in_folded_region()) t_muster_fold_state = FoldState::kNoFold;\n", "", ("roots_end",)),
    without("another runtime's answers are its own", THUNKS,
           "target.to_runtime && is_of_another_runtime(target.function);\n", "false;\n", ("roots_of_libgomp",)),
    without("a fold is one runtime's", FOLD, "  if (&call.runtime != runtime_) {\n", "  if (false) {\n",
           ("two_replaced",)),
    without("cancellation is left to the runtime", "runtime-hooks/runtimes/why_not_replaced.cpp",
           "real.omp_get_cancellation() != 0", "false", ("cancel",)),
    without("no fold is opened in a call of the runtime", MAY_OPEN, "  if (t_runtime_calls != 0) return Unfolded::kInRuntimeCall;\n", "",
           ("clause_constructors",)),
    without("nor in one of libgomp", MAY_OPEN, "  if (t_runtime_calls != 0) return Unfolded::kInRuntimeCall;\n", "", ("root_tasks",), "libgomp12"),
    without("a first share is its region's", "runtime-hooks/folding/combined_region.h",
           "  Frame* frame = state != nullptr ? state->top : nullptr;\n",
           "  Frame* frame = state != nullptr ? state->top : nullptr;\n"
           "  while (frame != nullptr && frame->first_share == nullptr) frame = frame->outer;\n", ("clause_constructors",),
           "libomp21"),
    without("what is displayed is not folded", MAY_OPEN, "  if (g_affinity_is_displayed) return Unfolded::kDisplay;\n", "", ("display_nested",)),
    without("Muster's key is the first", "preload/thunks/inheriting_calls.cpp", "      if (muster_c_library_is_complete()) reserve_fold_ends();\n", "",
           ("end_cancelled",), "libgomp14"),
)  # fmt: skip
