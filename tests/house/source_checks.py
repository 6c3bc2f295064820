"""Rules that need nothing but the text of the tree. Each function returns what is wrong, one line each."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tree import Tree

# Which folder may include which. An arrow goes one way: platform <- load <- options <- turns <- waiting <- barriers <-
# runtime-hooks <- preload, with counters beside the barriers; and within runtime-hooks: objects <- runtimes <- teams <- folding.
# epcc is a plain OpenMP program and includes nothing of ours, nor does gang; tests may include all. A folder's row is
# for what lies below it, too, unless that has a row of its own.
INNER = ["platform", "load", "options", "turns", "waiting", "barriers", "counters", "runtime-hooks", "preload"]
ARROWS: dict[str, set[str]] = {folder: set(INNER[: i + 1]) for i, folder in enumerate(INNER)}
ARROWS["counters"] = {"counters", "platform", "load", "options", "turns", "waiting"}  # beside the barriers, which do not know of it
HOOKS = [f"runtime-hooks/{folder}" for folder in ("objects", "runtimes", "teams", "folding")]
ARROWS |= {folder: {*INNER[:7], *HOOKS[: i + 1]} for i, folder in enumerate(HOOKS)}
ARROWS["epcc"] = {"epcc"}
ARROWS["gang"] = {"gang"}
ARROWS["sim"] = {"sim", "platform", "load", "options", "turns", "waiting", "barriers"}
ARROWS["campaigns"] = {"campaigns"}
ARROWS["benchmarks"] = {"benchmarks", "platform", "load", "options", "turns", "waiting", "barriers", "epcc", "sim"}
ARROWS["tests"] = {*ARROWS, "tests"}

MOST_LINES = 400
MOST_LINES_OF_AN_ALGORITHM = 150
# Files that may be longer, and the reason, which a reader must accept.
LONGER: dict[str, str] = {
    "tests/campaigns/loadgrid_test.py": "one test class for each module of loadgrid, over the same recorded runs",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
CONDITIONAL = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b(.*)")
# Operating systems, C libraries, CPUs, runtime versions.
PLATFORM_MACRO = re.compile(
    r"linux|gnu_linux|unix|_WIN(?:32|64)|APPLE|ANDROID|FreeBSD|GLIBC|musl|x86_64|amd64|i[3-6]86|SSE|AVX"
    r"|aarch64|arm\b|ARM_|powerpc|ppc|POWER|riscv|s390|loongarch|_OPENMP|KMP_VERSION|BYTE_ORDER",
    re.IGNORECASE,
)
SYSTEM_CALL = re.compile(r"(?<!\w)syscall\(SYS_(\w+)")
LIBRARY_FOLDERS = tuple(f"{folder}/" for folder in INNER)
# The command is no part of the library; the others ask before they call.
MAKES_SYSTEM_CALLS = ("preload/launcher/", "preload/signals/", "platform/optional_calls.cpp", "platform/slice.cpp")
CALLS_OF_STOCK = {"futex", "mmap", "munmap", "mprotect", "getpid", "gettid", "rt_sigprocmask", "sched_yield"}
PLATFORM_FOLDERS = {"platform", "runtime-hooks"}


def folder_of(name: str) -> str:
    return Path(name).parts[0] if "/" in name else ""


def row_of(name: str) -> str:
    """The innermost folder around the file that has a row in the table of arrows; else its top folder."""
    around = (str(folder) for folder in Path(name).parents)
    return next((folder for folder in around if folder in ARROWS), folder_of(name))


def may_include(name: str, target: str) -> bool:
    allowed = ARROWS[row_of(name)]
    return row_of(target) in allowed or folder_of(target) in allowed


def included_file(tree: Tree, name: str, target: str) -> str | None:
    """The file of the tree that `target`, included by `name`, means; None for a system header."""
    for base in (Path(name).parent, Path()):
        candidate = os.path.normpath(base / target)
        if not candidate.startswith("..") and (tree.root / candidate).is_file():
            return candidate
    # A header that a build makes, or that is gone: its folder still tells.
    return target if folder_of(target) in ARROWS else None


def includes(tree: Tree) -> list[str]:
    """Includes go along the arrows only."""
    problems = []
    for name in tree.sources():
        if row_of(name) not in ARROWS:
            problems.append(f"{name}: its folder has no row in the table of arrows")
            continue
        for number, line in enumerate(tree.lines(name), 1):
            match = INCLUDE.match(line)
            target = included_file(tree, name, match[1]) if match else None
            if target is not None and not may_include(name, target):
                problems.append(f"{name}:{number}: {row_of(name)} may not include {target}")
    return problems


def system_calls(tree: Tree) -> list[str]:
    """In the library, what stock would not call is an optional_call."""
    problems = []
    for name in tree.sources():
        if not name.startswith(LIBRARY_FOLDERS) or name.startswith(MAKES_SYSTEM_CALLS):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            if (match := SYSTEM_CALL.search(line)) and match[1] not in CALLS_OF_STOCK:
                problems.append(f"{name}:{number}: {match[1]} by syscall(), see platform/optional_calls.h")
    return problems


def conditionals(tree: Tree) -> list[str]:
    """#if on OS, CPU or runtime version only where they are known; #pragma once in each header."""
    problems = []
    for name in tree.sources():
        lines = tree.lines(name)
        if name.endswith(".h") and "#pragma once" not in lines:
            problems.append(f"{name}: no #pragma once")
        if folder_of(name) in PLATFORM_FOLDERS:
            continue
        for number, line in enumerate(lines, 1):
            match = CONDITIONAL.match(line)
            if match and PLATFORM_MACRO.search(match[1]):
                problems.append(f"{name}:{number}: belongs in platform/ or runtime-hooks/: {line.strip()}")
    return problems


def is_code(name: str) -> bool:
    return Path(name).suffix in {".h", ".cpp", ".c", ".py", ".cmake", ".sh"} or Path(name).name in {
        "CMakeLists.txt",
        "bootstrap",
    }


def lengths(tree: Tree) -> list[str]:
    """No file above its limit without a reason; no reason left over."""
    problems = []
    for name in filter(is_code, tree.files()):
        is_algorithm = name.endswith(".h") and folder_of(name) in ("barriers", "waiting")
        limit = MOST_LINES_OF_AN_ALGORITHM if is_algorithm else MOST_LINES
        length = len(tree.lines(name))
        if length > limit and name not in LONGER:
            problems.append(f"{name}: {length} lines, {limit} allowed")
        if length <= limit and name in LONGER:
            problems.append(f"{name}: no longer too long; take it off the list")
    return problems


def readmes(tree: Tree) -> list[str]:
    """Every top folder says what lives in it. docs/ is nothing but text already."""
    files = tree.files()
    folders = {folder_of(name) for name in files} - {"", "docs"}
    shown = sorted(folder for folder in folders if not folder.startswith("."))
    return [f"{folder}/: no README.md" for folder in shown if f"{folder}/README.md" not in files]


def executables(tree: Tree) -> list[str]:
    """What begins with #! can be started by its path, as the documents show it."""
    scripts = (name for name in tree.files() if tree.text(name).startswith("#!"))
    return [f"{name}: begins with #! but is not executable" for name in scripts if not os.access(tree.root / name, os.X_OK)]


# Put together here, so that this file does not name them either.
MACHINE_PATH = re.compile(r"(?<![\w.}~])/(?:" + "|".join(["work", "root", r"home/[a-z]\w*"]) + r")/")
REGISTRIES = [".".join(host) for host in (("pypi", "org"), ("pythonhosted", "org"), ("deb", "debian", "org"))]


def machine_paths(tree: Tree) -> list[str]:
    """Nothing committed knows the machine it was written on, nor where packages come from."""
    problems = []
    for name in tree.files():
        for number, line in enumerate(tree.lines(name), 1):
            if MACHINE_PATH.search(line):
                problems.append(f"{name}:{number}: a path of one machine: {line.strip()[:80]}")
            problems.extend(
                f"{name}:{number}: names the registry host {host}" for host in REGISTRIES if host in line
            )
    return problems
