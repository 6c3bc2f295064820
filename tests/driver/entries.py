"""What there is to run. An entry is one line of `ctest -N`; its name begins with the folder of what it tests.

A folder of tests may have
    *_test.cpp          gtest: each case an entry, FOLDER.FILE.SUITE.CASE (gtests.py); instances named Full are as marked
    test_*.py           unittest: each class an entry, FOLDER.FILE.CLASS (python_tests.py)
    suite.py            with entries(places): any others; and run(places, entry) for those without a command
A comment directly above a case, a class or at the top of a program marks it:
    muster-test: full WHY     not in the gate: random, long, or with more than Debian's packages
    muster-test: alone WHY    no other test runs at the same time
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from driver.places import ROOT, Places

TESTS = ROOT / "tests"
MARK = re.compile(r"^\s*(?://|#|!) muster-test: (full|alone)(?: (.*))?$")
TIMEOUT = 300  # seconds: no entry takes 60, but machines differ, and others use them


@dataclass(frozen=True)
class Entry:
    name: str
    command: tuple[str, ...] = ()  # empty: run() of the folder's suite.py does it
    full: bool = False  # not in the gate
    alone: bool = False
    timeout: int = TIMEOUT
    environment: dict[str, str] = field(default_factory=dict, hash=False)
    passes_if: str = ""  # a regular expression of the output, instead of status 0
    cost: int = 0  # ctest begins with the costliest
    all_runtimes: bool = False  # run on those of build/runtimes, too

    def matches(self, words: Iterable[str]) -> bool:
        return all(re.search(word, self.name) for word in words)


def marks_above(lines: list[str], line: int) -> set[str]:
    """The marks in the comment that ends above `line`, which counts from 1."""
    found = set()
    for text in reversed(lines[: line - 1]):
        if not text.strip().startswith(("//", "#", "!")):
            break
        if match := MARK.match(text):
            found.add(match[1])
    return found


def marks_of(source: Path) -> set[str]:
    """The marks anywhere in a program."""
    return {match[1] for line in source.read_text().splitlines() if (match := MARK.match(line))}


def folder_name(folder: Path) -> str:
    return ".".join(folder.relative_to(TESTS).parts)


def load_suite(folder: Path) -> ModuleType:
    """A folder's suite.py. The modules beside it are found by name, as in a script."""
    name = f"suite_{folder_name(folder)}".replace("-", "_").replace(".", "_")
    if name in sys.modules:
        return sys.modules[name]
    sys.path.insert(0, str(folder))
    specification = importlib.util.spec_from_file_location(name, folder / "suite.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def suite_folders() -> list[Path]:
    return sorted(path.parent for path in TESTS.rglob("suite.py"))


def entries_of_suites(places: Places) -> Iterator[Entry]:
    for folder in suite_folders():
        yield from load_suite(folder).entries(places)


def entry_named(name: str, places: Places) -> Entry | None:
    """Lists no more than the suites and the files that may have it, the binaries last."""
    from driver import ctest, gtests, python_tests

    suites = [load_suite(folder) for folder in suite_folders() if name.startswith(f"{folder_name(folder)}.")]
    files = [file for file in python_tests.files() if name.startswith(f"{python_tests.file_name(file)}.")]
    of_suites = itertools.chain.from_iterable(suite.entries(places) for suite in suites)
    of_files = itertools.chain.from_iterable(python_tests.entries_of(file, places) for file in files)
    found = ctest.expanded(itertools.chain(of_suites, of_files, gtests.entries(places)))
    drawn = Entry(name) if any(hasattr(suite, "more") for suite in suites) else None  # it need not be listed
    return next((entry for entry in found if entry.name == name), drawn)


def suite_of(name: str) -> ModuleType:
    """The suite whose entry this is."""
    folder = max((f for f in suite_folders() if name.startswith(folder_name(f) + ".")), key=lambda f: len(folder_name(f)))
    return load_suite(folder)


def all_entries(places: Places) -> list[Entry]:
    from driver import gtests, python_tests

    found = [*gtests.entries(places), *python_tests.entries(places), *entries_of_suites(places)]
    names = [entry.name for entry in found]
    if len(names) != len(set(names)):
        raise ValueError(f"two tests of one name: {sorted({name for name in names if names.count(name) > 1})}")
    return found
