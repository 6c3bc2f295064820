"""The suites: how each is got, and its tests as shell scripts. Nothing of a suite itself is here."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from case import ONCE, RUN, Case, Suite
from directives import read_directives
from fetching import source_in_package, source_package
from run_lines import required, script_of, substituted

# Of libomp's suite: what is for other systems, or is run by a tool that is not a test's own program.
NOT_HERE = {"ompx_taskgraph", "darwin", "windows", "aix", "abt", "openmp_runtimes"}
# What wants a device does not belong to a runtime on the host.
DEVICES = ("target", "offloading", "declare_mapper", "requires", "declare_target", "metadirective")


def _quoted(words: Iterable[str | Path]) -> str:
    return " ".join(shlex.quote(str(word)) for word in words)


def compile_and_run(compile_words: list[str | Path], arguments: str = "", environment: dict[str, str] | None = None) -> str:
    """A program that is compiled by one command, and passes by its status."""
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in (environment or {}).items())
    prefix = f"env {variables} " if variables else ""
    return f"{ONCE} {_quoted(compile_words)} -o ./t && {prefix}{RUN} ./t {arguments}".rstrip()


# libomp: lit's tests, by their RUN lines.


def libomp_cases(root: Path) -> list[Case]:
    cases = []
    for source in sorted([*root.rglob("*.c"), *root.rglob("*.cpp")]):
        lines = source.read_text(errors="replace").splitlines()
        script = script_of(lines)
        if not script or required(lines) & NOT_HERE:
            continue
        flags = "-fno-omit-frame-pointer -D_GNU_SOURCE=1" if "_GNU_SOURCE" not in script else "-fno-omit-frame-pointer"
        must_fail = any("XFAIL:" in line and "*" in line.partition("XFAIL:")[2] for line in lines)
        name = str(source.relative_to(root))
        cases.append(Case(name, substituted(script, source, root, flags), must_fail))
    return cases


# libgomp: DejaGnu's tests, by their directives.


def _libgomp_compile(source: Path, cpp: bool) -> list[str | Path]:
    if source.suffix.lower().startswith(".f"):
        return ["gfortran-12", "-fopenmp", "-O2", "-w"]
    return [("g++-12" if cpp else "gcc-12"), "-fopenmp", "-O2", "-w", *(["-std=gnu++17"] if cpp else ["-std=gnu17"])]


# What some tests include of libgomp's own sources and of what its `configure` writes; or a test that does.
INSIDE = ('"config.h"', '"libgomp_g.h"', "/affinity-1.c")
GENERATED = "echo '#define HAVE_PTHREAD_AFFINITY_NP 1' >config.h && echo '#include <stdint.h>' >gstdint.h && "


def libgomp_cases(libgomp: Path) -> list[Case]:
    cases = []
    root = libgomp / "testsuite"
    # By ending, as the suite's own drivers have it: what else lies there is a part of another test.
    folders = (("libgomp.c", "*.c", False), ("libgomp.c-c++-common", "*.c", False), ("libgomp.c-c++-common", "*.c", True),
               ("libgomp.c++", "*.C", True), ("libgomp.fortran", "*.[fF]*", False), ("libgomp.graphite", "*.c", False))  # fmt: skip
    for name, pattern, cpp in folders:
        for source in sorted((root / name).glob(pattern)):
            found = read_directives(source, cpp)
            if found.action != "run" or found.only_elsewhere:
                continue
            sources = [source, *(source.parent / more for more in found.more_sources)]
            words = [*_libgomp_compile(source, cpp), *found.options, f"-I{source.parent}", *sources, "-lm"]
            inside = any(name in source.read_text(errors="replace") for name in INSIDE)
            if inside:
                words += ["-I.", f"-I{libgomp}"]
            title = f"{name}/{source.name}" + (" (C++)" if cpp and name.endswith("common") else "")
            script = compile_and_run(words, environment=found.environment)
            cases.append(Case(title, GENERATED * inside + script, found.must_fail))
    return cases


# Programs that are compiled alone and pass by their status.


def dataracebench_cases(root: Path) -> list[Case]:
    """Those without a race: DRBnnn-NAME-no.c. The ones with one may do anything."""
    folder = root / "micro-benchmarks"
    cases = []
    for source in sorted([*folder.glob("*-no.c"), *folder.glob("*-no.cpp"), *folder.glob("*-var-no.c")]):
        compiler = "clang++-19" if source.suffix == ".cpp" else "clang-19"
        polybench = folder / "polybench" / "polybench.c"
        uses = "polybench" in source.read_text(errors="replace") or "utilities" in source.read_text(errors="replace")
        extra: list[str | Path] = [f"-I{folder}/utilities", f"-I{folder}/polybench"]
        more = [path for path in (folder / "utilities" / "polybench.c", polybench) if path.exists()][:1] if uses else []
        words: list[str | Path] = [compiler, "-fopenmp", "-O2", "-w", "-DPOLYBENCH_NO_FLUSH_CACHE", *extra, source, *more, "-lm"]
        cases.append(Case(source.name, compile_and_run(words)))
    return cases


def openmp_vv_cases(root: Path) -> list[Case]:
    cases = []
    tests = root / "tests"
    for source in sorted([*tests.rglob("*.c"), *tests.rglob("*.cpp")]):
        name = str(source.relative_to(tests))
        if any(word in name for word in DEVICES):
            continue
        compiler = "clang++-19" if source.suffix == ".cpp" else "clang-19"
        words: list[str | Path] = [compiler, "-fopenmp", "-fopenmp-version=52", "-O2", "-w", f"-I{root}/ompvv", source, "-lm"]
        cases.append(Case(name, compile_and_run(words)))
    return cases


# The Barcelona OpenMP tasks suite: its programs check their results with -c.

BOTS = {
    "alignment/alignment_for": "-f {inputs}/alignment/prot.20.aa",
    "alignment/alignment_single": "-f {inputs}/alignment/prot.20.aa",
    "fft": "-n 262144",
    "fib": "-n 22",
    "floorplan": "-f {inputs}/floorplan/input.5",
    "health": "-f {inputs}/health/test.input",
    "nqueens": "-n 9",
    "sort": "-n 262144 -a 2048 -b 2048 -y 20",
    "sparselu/sparselu_for": "-n 10 -m 20",
    "sparselu/sparselu_single": "-n 10 -m 20",
    "strassen": "-n 256",
    "uts": "-f {inputs}/uts/test.input",
}
BOTS_NAMES = ("CDATE", "CMESSAGE", "CC", "LD", "CFLAGS", "LDFLAGS")


def bots_cases(root: Path) -> list[Case]:
    """By clang for libomp; by gcc for libgomp, and where clang cannot compile it."""
    cases = []
    defined = [f'-D{name}="muster"' for name in BOTS_NAMES]
    for program, arguments in BOTS.items():
        folder = root / "omp-tasks" / program
        sources = [*sorted(folder.glob("*.c")), *sorted((root / "common").glob("*.c"))]
        has_cutoff = any("BOTS_CUTOFF_DEF_VALUE" in path.read_text(errors="replace") for path in folder.glob("app-desc.h"))
        versions = [("", []), ("-tied", ["-DFORCE_TIED_TASKS"])]
        if has_cutoff:
            versions += [("-if", ["-DIF_CUTOFF"]), ("-manual", ["-DMANUAL_CUTOFF"])]
        for version, flags in versions:
            for compiler in ("clang-19", "gcc-12"):
                words: list[str | Path] = [compiler, "-fopenmp", "-O2", "-w", "-std=gnu89", *defined, *flags,
                                           f"-I{root}/common", f"-I{folder}", *sources, "-lm"]  # fmt: skip
                script = compile_and_run(words, f"{arguments.format(inputs=root / 'inputs')} -c")
                script += " | tee out && ! grep -qi unsuccessful out && grep -qi successful out"
                cases.append(Case(f"{program.rpartition('/')[2]}{version} {compiler}", script))
    return cases


# NPB's OpenMP version, which its own makefiles build.

NPB = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp", "ua")
NPB_SETTINGS = """FC = gfortran-12
FLINK = gfortran-12
F_LIB =
F_INC =
FFLAGS = -O2 -fopenmp -fallow-argument-mismatch
FLINKFLAGS = -O2 -fopenmp
CC = gcc-12
CLINK = gcc-12
C_LIB = -lm
C_INC =
CFLAGS = -O2 -fopenmp
CLINKFLAGS = -O2 -fopenmp
UCC = cc
BINDIR = ../bin
RAND = randi8
WTIME = wtime.c
"""


def npb_cases(root: Path) -> list[Case]:
    """`root` is NPB3.x-OMP. Class S, made in a copy."""
    cases = []
    for name in NPB:
        if not (root / name.upper()).is_dir():
            continue
        script = f"[ -d npb ] || cp -r {shlex.quote(str(root))} npb\n"
        script += f"[ -x npb/bin/{name}.S.x ] || {{ mkdir -p npb/bin; cat >npb/config/make.def <<'END'\n{NPB_SETTINGS}END\n"
        script += f"make -s -C npb {name} CLASS=S >make.out 2>&1; }}\n"
        script += f"{RUN} npb/bin/{name}.S.x | tee out && grep -Eq 'Verification +(=|being performed).*|SUCCESSFUL' out"
        script += " && grep -q SUCCESSFUL out && ! grep -q UNSUCCESSFUL out"
        cases.append(Case(f"{name}.S", script))
    return cases


SUITES = {
    suite.name: suite
    for suite in (
        Suite("libomp", libomp_cases, "libomp", 0.4, 0.7,
              lambda folder: source_package("llvm-toolchain-19", "openmp/runtime/test", folder)),
        Suite("libgomp", libgomp_cases, "libgomp", 0.4, 0.6,
              lambda folder: source_in_package("gcc-12-source", "usr/src/gcc-12/gcc-12*.tar.*", "libgomp", folder)),
        Suite("dataracebench", dataracebench_cases, "libomp", 0.5, 0.8, where="a copy of LLNL's dataracebench"),
        Suite("openmp_vv", openmp_vv_cases, "libomp", 0.4, 0.7, where="a copy of OpenMP_VV"),
        Suite("bots", bots_cases, "libomp", 0.9, 0.9, where="a copy of bsc-pm's bots"),
        Suite("npb", npb_cases, "libgomp", 0.9, 0.9, where="NPB3.x-OMP of NASA's archive"),
    )
}  # fmt: skip
