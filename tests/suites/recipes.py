"""The suites: how each is fetched, and its tests as shell scripts. Nothing of a suite itself is here."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from case import ONCE, RUN, Case, Suite
from directives import read_directives
from fetching import source_in_package, source_package
from run_lines import required, script_of, substituted

# Of libomp's suite: what is for other systems, or is run by a tool that is not a test's own program.
NOT_HERE = {"ompx_taskgraph", "darwin", "windows", "aix", "abt", "openmp_runtimes"}


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


# Any other suite: a folder with its programs, which its own makefiles have built.


def program_cases(root: Path) -> list[Case]:
    """Each executable file; NAME.test beside it, where there is one, is the command that must succeed, else it is ./NAME."""
    cases = []
    for program in sorted(root.iterdir()):
        if not program.is_file() or not os.access(program, os.X_OK):
            continue
        test = program.with_name(program.name + ".test")
        command = test.read_text().strip() if test.exists() else f"./{shlex.quote(program.name)}"
        script = f"cd {shlex.quote(str(root))} && {command.replace('./' + program.name, f'{RUN} ./{program.name}')}"
        cases.append(Case(program.name, script))
    return cases


SUITES = {
    suite.name: suite
    for suite in (
        Suite("libomp", libomp_cases, "libomp", 0.4, 0.7,
              lambda folder: source_package("llvm-toolchain-19", "openmp/runtime/test", folder)),
        Suite("libgomp", libgomp_cases, "libgomp", 0.4, 0.6,
              lambda folder: source_in_package("gcc-12-source", "usr/src/gcc-12/gcc-12*.tar.*", "libgomp", folder)),
        Suite("programs", program_cases, "", 0.0, 0.1, where="a folder with programs that are built"),
    )
}  # fmt: skip
