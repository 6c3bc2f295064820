#!/usr/bin/env python3
"""Takes each trap's remedy out of the library, one at a time: the trap's programs must notice.

Builds a copy of the library for each, which takes minutes; not a part of ctest. See
docs/understand/folding.md.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLD = "runtime-hooks/folding/fold.cpp"
MAY_OPEN = "runtime-hooks/folding/may_open.cpp"
ROOT_FOLD = "runtime-hooks/folding/root_fold.cpp"
THUNKS = "preload/thunks/thunks.cpp"
EFFECTS = "runtime-hooks/folding/call_effects.cpp"
FORKS = "preload/kmpc_fork_entries.cpp"


@dataclass(frozen=True)
class Remedy:
    name: str
    file: str
    text: str  # of the remedy, once in the file
    without: str
    programs: tuple[str, ...]  # each must fail on one runtime at least
    runtime: str = "libomp19"


REMEDIES = (
    Remedy("calls of the runtime close", THUNKS,
           "    apply_effect(thunk.name, thunk.effect, caller);\n", "",
           ("orphaned_loops", "orphaned_tasks", "orphaned_dependences", "settings", "schedule", "pause", "display",
            "threadprivate_cached")),
    Remedy("entry points of Muster's own close", "preload/entry.h",
           "  if (in_serial_part()) [[unlikely]]\n    close_fold_before(symbol, caller);\n",
           "  (void)symbol, (void)caller;\n",
           ("combined_regions", "started_regions", "target", "teams", "orphaned_barriers")),
    Remedy("queries are answered", THUNKS,
           "    if (kSerialAnswers[index] != nullptr) return kSerialAnswers[index];\n    apply_effect",
           "    apply_effect", ("getters_quiet",)),
    Remedy("what regions take over is compared", FOLD, "inner != inner_max_) {", "false && inner != inner_max_) {",
           ("set_by_handle",)),
    Remedy("a region's settings close", EFFECTS, "    fold->note_setting();\n", "", ("set_in_region",)),
    Remedy("another size closes", FOLD, "} else if (wanted != wanted_size_) {",
           "} else if (false && wanted != wanted_size_) {", ("clause_num_threads", "team_sizes")),
    Remedy("a clause for one region closes", FOLD, "  const bool clause = next_.clause || call.has_clause;\n",
           "  const bool clause = false;\n", ("clause_proc_bind",)),
    Remedy("dynamic teams are not folded", MAY_OPEN, "  if (real.omp_get_dynamic() != 0) return Unfolded::kDynamic;\n", "",
           ("dynamic",)),
    Remedy("serialized regions close", FORKS, '  entering("__kmpc_serialized_parallel", MUSTER_CALLER);\n',
           "  ensure_ready();\n", ("clause_if",)),
    Remedy("joins finish tasks", "runtime-hooks/teams/team.h",
           "    TeamInstances::call_off(*frame.me, frame.at_real_barrier, lasting);\n",
           "    if (lasting) TeamInstances::call_off(*frame.me, frame.at_real_barrier, lasting);\n",
           ("tasks_at_end", "tasks_depend")),
    Remedy("workers have the region's floating-point control", "runtime-hooks/folding/worker_loop.cpp",
           "      if (fp_is_inherited(*fold.runtime_)) fold.job_.fp.put_in_force();\n", "", ("floating_point",)),
    Remedy("a close keeps floating-point flags", FOLD, "    const KeptFpEnvironment kept;", "    //",
           ("floating_flags",)),
    Remedy("fork closes", FOLD, "    if (in_serial_part()) t_thread_state->fold->close(Closed::kFork, {});\n",
           "", ("fork_serial", "roots_fork")),
    Remedy("the end closes", FOLD, "void Fold::end() { close(Closed::kEnd, {}); }\n", "void Fold::end() {}\n",
           ("exit_handlers", "end_of_thread", "roots_end")),
    Remedy("each root thread has its own fold", ROOT_FOLD, "    fold = ::new (pages) Fold();\n",
           "    static Fold* only = ::new (pages) Fold();\n    fold = only;\n", ("roots", "roots_settings")),
    Remedy("the end of each is registered", FOLD, "  end_is_registered_ = false;  // it was another thread's\n", "",
           ("roots_end",)),
    Remedy("an exit leaves the fold open beside another", ROOT_FOLD, "    t_thread_state->fold->open_no_more();\n    return;\n",
           "", ("roots_end",), "libiomp5"),
    Remedy("a thread that ends folds no more", ROOT_FOLD,
           "  if (!in_folded_region()) t_muster_fold_state = FoldState::kNoFold;\n", "", ("roots_end",)),
    Remedy("another runtime's answers are its own", THUNKS,
           "target.to_runtime && is_of_another_runtime(target.function);\n", "false;\n", ("roots_of_libgomp",)),
    Remedy("a fold is one runtime's", FOLD, "  if (&call.runtime != runtime_) {\n", "  if (false) {\n",
           ("two_replaced",)),
    Remedy("cancellation is left to the runtime", "runtime-hooks/runtimes/why_not_replaced.cpp",
           "real.omp_get_cancellation() != 0", "false", ("cancel",)),
    Remedy("no fold is opened in a call of the runtime", MAY_OPEN, "  if (t_runtime_calls != 0) return Unfolded::kInRuntimeCall;\n", "",
           ("clause_constructors",)),
    Remedy("nor in one of libgomp", MAY_OPEN, "  if (t_runtime_calls != 0) return Unfolded::kInRuntimeCall;\n", "", ("root_tasks",), "libgomp12"),
    Remedy("a first share is its region's", "runtime-hooks/folding/combined_region.h",
           "  Frame* frame = state != nullptr ? state->top : nullptr;\n",
           "  Frame* frame = state != nullptr ? state->top : nullptr;\n"
           "  while (frame != nullptr && frame->first_share == nullptr) frame = frame->outer;\n", ("clause_constructors",),
           "libomp21"),
    Remedy("what is displayed is not folded", MAY_OPEN, "  if (g_affinity_is_displayed) return Unfolded::kDisplay;\n", "", ("display_nested",)),
    Remedy("Muster's key is the first", "preload/thunks/inheriting_calls.cpp", "      return reserve_fold_ends();\n", "      return;\n",
           ("end_cancelled",), "libgomp14"),
)  # fmt: skip


def copy_of_sources(folder: Path) -> None:
    """What git knows, as it stands in the work tree."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy2(ROOT / name, target)


def build(folder: Path) -> Path:
    if not (folder / "build/release").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=folder, check=True, capture_output=True)
    command = ["cmake", "--build", folder / "build/release", "--target", "muster"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"remedies.py: it does not compile:\n{done.stdout[-3000:]}")
    return folder / "build/release/lib/libmuster.so"


def fails(library: Path, program: str, runtime: str, places: argparse.Namespace) -> bool:
    command = [sys.executable, HERE / "run.py", "--library", library, "--runtimes", places.runtimes.resolve()]
    command += ["--build", places.folder / "programs", "--timeout", "10", "--filter", f"{program} {runtime}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if " passed, " not in done.stdout:
        raise SystemExit(f"remedies.py: {program} did not run:\n{done.stdout}{done.stderr}")
    return done.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/remedies", help="of the copy")
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--filter", default="", help="only remedies whose name contains this")
    places = parser.parse_args()
    places.folder = places.folder.resolve()
    sources = places.folder / "sources"
    copy_of_sources(sources)
    unnoticed = 0
    for remedy in REMEDIES:
        if places.filter not in remedy.name:
            continue
        file = sources / remedy.file
        whole = file.read_text()
        if whole.count(remedy.text) != 1:
            raise SystemExit(f"remedies.py: not once in {remedy.file}: {remedy.text!r}")
        file.write_text(whole.replace(remedy.text, remedy.without))
        try:
            library = build(sources)
            noticed = [fails(library, program, remedy.runtime, places) for program in remedy.programs]
        finally:
            file.write_text(whole)
        missed = [name for name, good in zip(remedy.programs, noticed, strict=True) if not good]
        unnoticed += len(missed)
        print(f"{'ok    ' if not missed else 'MISSED'} without \"{remedy.name}\": "
              f"{len(noticed) - len(missed)} of {len(noticed)} programs fail"
              f"{'; not ' + ', '.join(missed) if missed else ''}", flush=True)  # fmt: skip
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
