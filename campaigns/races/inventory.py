"""Our OpenMP test programs: what is compiled, and how each is run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SUITES = ("conformance", "region-folding", "random-programs", "sequences")
sys.path[:0] = [str(ROOT), *(str(TESTS / name) for name in SUITES)]

from metadata import read_programs  # noqa: E402
from plan import CONTEXTS, LAST, STEPS, is_allowed  # noqa: E402
from program import unit_text  # noqa: E402
from scope import Flavour  # noqa: E402
from settings import settings_of  # noqa: E402
from traps import read_all  # noqa: E402

RUNTIME = "libomp19"  # Archer observes LLVM's runtime
RANDOM_PROGRAMS = 100
SOAK = {"region": 200, "loop": 200, "dynamic": 200, "sections": 200, "sizes": 100, "tasks": 100, "nested": 100,
        "serialized": 100, "roots": 20, "modules": 20}  # fmt: skip


@dataclass(frozen=True)
class Run:
    arguments: tuple[str, ...] = ()  # {build} is the folder of the binaries, {program} the program's own
    environment: tuple[tuple[str, str], ...] = ()
    status: int = 0  # that it ends with


@dataclass(frozen=True)
class Program:
    name: str
    sources: tuple[Path, ...] = ()
    text: str = ""  # instead of sources: what tests keep in strings
    suffix: str = ".c"
    flags: tuple[str, ...] = ()
    shared: bool = False
    runs: tuple[Run, ...] = (Run(),)
    not_run: str = ""  # why

    @property
    def file_name(self) -> str:
        return self.name.replace("/", "-").replace(":", "-")


def _runs(*lines: str) -> tuple[Run, ...]:
    return tuple(Run(tuple(line.split())) for line in lines)


PLUGIN = ("regions", "quiet", "constructs", "set_threads", "asked", "paused", "waiting", "between")
# The programs that tests give arguments.
ARGUMENTS = {
    "preload/every_construct": (Run((), (("OMP_THREAD_LIMIT", "1"),)),),  # as its test: it is not meant for more
    "fault/constructs": _runs("", "elsewhere"),
    "fault/crowded": _runs("1"),
    "fault/ending": _runs("exit outside", "return outside", "exit primary", "exit worker"),
    "fault/executing": _runs("/bin/true"),
    "fault/exhausted": _runs("keys nothing", "keys barriers 1"),
    "fault/forked_team": _runs("first", "small", "paused", "new-thread", "nested", "exec", "idle"),
    "fault/forking": _runs("first", "later", "inside"),
    "fault/late_open": _runs("{build}/fault-plugin.so", "{build}/fault-constructed.so"),
    "fault/pinned": _runs("self", "other"),
    "fault/placed": _runs("300"),
    "fault/real_time": _runs("20"),
    "fault/signals": _runs("process restart", "thread norestart"),
    "fault/stack_depth": _runs("worker", "signal"),
    "fault/turning": _runs("200"),
    "loading/host": _runs(
        *(f"open:p:{{build}}/loading-plugin.so call:p:{name}:10" for name in PLUGIN),
        "open:p:{build}/loading-plugin.so both:p:regions:10:p:constructs:10 close:p",
        "1/open:p:{build}/loading-plugin.so 1/call:p:by_each:10 2/call:p:regions:10",
    ),
    "soak/soak": _runs(*(f"{kind} {count} {{build}}/soak-module.so" for kind, count in SOAK.items())),
    "torture/torture": _runs(*(f"4 {seed} {{build}}/torture-plugin.so {{build}}/counter" for seed in range(1, 6))),
    "counters/working": _runs("faults", "late", "regions", "roots", "forks", "nested", "tasks"),
    "test_signals.py:PROGRAM": _runs("15 - - raise", "15 - note worker", "15 - - fork", "1 leave - raise"),
    "programs.py:REGIONS": _runs("50 7"),
}
SHARED = {"fault/constructed", "fault/in_constructor", "fault/orphaned", "fault/plugin", "loading/plugin",
          "loading/user", "soak/module", "torture/plugin"}  # fmt: skip
ANOTHER_RUNTIME = "it runs on another runtime, which Archer does not observe"
NOT_RUN = {
    "fault/traced": "it is a tool itself, and a runtime has one",
    "fault/annotated": "it defines what Archer looks for",
    "loading/user": ANOTHER_RUNTIME,
    "mpi/hybrid": "it needs MPI",
    "counters/sde_owner": "it needs PAPI",
    "counters/papi_user": "it needs PAPI",
    "test_yield.py:USES_BLAS": "it needs another object of its test",
}


def _conformance() -> Iterator[Program]:
    for one in read_programs(TESTS / "conformance/programs"):
        reason = "" if one.runs_on("clang-O2", RUNTIME) else ANOTHER_RUNTIME
        run = Run(environment=tuple(one.environment.items()))
        yield Program(f"conformance/{one.name}", (one.source,), suffix=one.source.suffix, runs=(run,), not_run=reason)


def _region_folding() -> Iterator[Program]:
    cases: dict[Path, list] = {}
    for case in read_all(TESTS / "region-folding/programs"):
        cases.setdefault(case.source, []).append(case)
    for source in sorted((TESTS / "region-folding/programs/modules").glob("*.c")):
        yield Program(f"region-folding/modules/{source.stem}", (source,), shared=True)
    for source, own in cases.items():
        runs, reason = [], ""
        for case in own:
            if source.suffix == ".f90":
                reason = "flang has no ThreadSanitizer"
            elif not case.runs_on("clang", RUNTIME) or case.module_of_libgomp or case.module_of_libiomp5:
                reason = ANOTHER_RUNTIME
            else:
                module = f"{{build}}/region-folding-modules-{case.module}.so"
                added = (("TRAP_MODULE", module),) if case.module else ()
                runs.append(Run(case.arguments, (*case.environment.items(), *added), case.status))
        yield Program(f"region-folding/{source.stem}", (source,), suffix=source.suffix, flags=own[0].flags,
                      runs=tuple(runs), not_run="" if runs else reason)  # fmt: skip


def _of_folder(folder: str, files: str) -> Iterator[Program]:
    """Sources that use OpenMP, and those that ARGUMENTS names."""
    for source in sorted((TESTS / folder).glob(files)):
        name = f"{folder.partition('/')[0]}/{source.stem}"
        if "#pragma omp" not in source.read_text() and name not in ARGUMENTS and source.suffix != ".f90":
            continue
        reason = "flang has no ThreadSanitizer" if source.suffix == ".f90" else NOT_RUN.get(name, "")
        runs = ARGUMENTS.get(name, (Run(),))
        yield Program(name, (source,), suffix=source.suffix, shared=name in SHARED, runs=runs, not_run=reason)


def _in_strings(file: Path) -> Iterator[Program]:
    """What a test assigns to a name, and is a program with regions."""
    for node in ast.parse(file.read_text()).body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)):
            continue
        text = node.value.value
        if not isinstance(text, str) or "#pragma omp" not in text:
            continue
        name = f"{file.name}:{node.targets[0].id}"  # type: ignore[attr-defined]
        numbered = f'#line {node.value.lineno} "{file}"\n{text}'
        shared = "int main(" not in text
        yield Program(f"{file.parent.name}/{name}", text=numbered, flags=("-Wl,--export-dynamic",), shared=shared,
                      runs=ARGUMENTS.get(name, (Run(),)), not_run=NOT_RUN.get(name, ""))  # fmt: skip


def _random_programs() -> Iterator[Program]:
    units: dict[bool, list] = {False: [], True: []}
    for seed in range(1, RANDOM_PROGRAMS + 1):
        one = settings_of(seed, ["clang"], [RUNTIME])
        units[one.flavour.cpp].append(one)
    for cpp, programs in units.items():
        header = TESTS / "random-programs/random_program.h"
        text = unit_text([one.seed for one in programs], Flavour("clang", cpp, False), header)
        runs = tuple(Run((str(one.seed),), tuple(one.stock.items())) for one in programs)
        kind = "cpp" if cpp else "c"
        yield Program(f"random-programs/{len(programs)}-{kind}", text=text, suffix=f".{kind}", runs=runs)


def _sequences() -> Iterator[Program]:
    folder = TESTS / "sequences/programs"
    yield Program("sequences/module", (folder / "module.cpp",), suffix=".cpp", shared=True)
    environment = (
        ("SEQUENCES_MODULE", "{build}/sequences-module.so"),
        ("KMP_DYNAMIC_MODE", "thread_limit"),
        ("OMP_TARGET_OFFLOAD", "disabled"),
        ("LIBOMP_USE_HIDDEN_HELPER_TASK", "0"),
    )
    runs = []
    for context in CONTEXTS:
        steps = [step for step in STEPS if step not in LAST and is_allowed((step,), context, "clang", RUNTIME)]
        for first in range(0, len(steps), 6):
            runs.append(Run((context, "3", "3", "2", "wa", *steps[first : first + 6]), environment))
    sources = (folder / "main.cpp", folder / "interpreter.cpp")
    yield Program("sequences/steps", sources, suffix=".cpp", runs=tuple(runs))


def programs() -> Iterator[Program]:
    """Shared objects come before the programs that open them."""
    yield from _conformance()
    yield from _region_folding()
    for folder, files in (("programs/kernels", "*.*[0cp]"), ("torture/programs", "*.c*"), ("soak/programs", "*.c"),
                          ("loading/programs", "*.c"), ("fault/programs", "*.c"), ("preload", "*.cpp"), ("mpi", "*.c"),
                          ("counters/programs", "*.c"), ("cross/programs", "*.c"), ("tools", "*.c")):  # fmt: skip
        found = list(_of_folder(folder, files))
        yield from sorted(found, key=lambda one: not one.shared)
    for file in sorted((*TESTS.glob("preload/*.py"), *TESTS.glob("launcher/*.py"))):
        yield from _in_strings(file)
    yield from _sequences()
    yield from _random_programs()
