"""The cases of the gtest binaries, by the file that has them: each binary lists its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from driver.entries import TESTS, Entry, folder_name, marks_above
from driver.places import Places

SUFFIX = "_tests"  # of the binaries in bin/
FULL = {"MUSTER_TEST_FULL": "1"}  # registers the cases that are for --full only


@cache
def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines()


def listing(binary: Path) -> dict:
    with tempfile.TemporaryDirectory(prefix="muster-list-") as folder:
        file = Path(folder) / "list.json"
        command = [binary, "--gtest_list_tests", f"--gtest_output=json:{file}"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, env=os.environ | FULL)
        return json.loads(file.read_text())


def plain(name: str) -> str:
    """`All/Suite` and `Case/tree_auto_4` without the slashes."""
    return name.replace("/", ".")


def place_of(case: dict) -> Path:
    """Whether the compiler was given an absolute path or not."""
    return TESTS / case["file"].rpartition("tests/")[2]


def file_name(file: Path) -> str:
    return f"{folder_name(file.parent)}.{file.stem.removesuffix('_test')}"


def suites_of(binary: Path) -> Iterator[tuple[str, str]]:
    """The file's name, as entries begin with it, and the suite."""
    for suite in listing(binary)["testsuites"]:
        for case in suite["testsuite"]:
            yield file_name(place_of(case)), suite["name"]


def entries_of(binary: Path) -> Iterator[Entry]:
    for suite in listing(binary)["testsuites"]:
        for case in suite["testsuite"]:
            file = place_of(case)
            marks = marks_above(lines_of(file), int(case["line"]))
            name = f"{file_name(file)}.{plain(suite['name'])}.{plain(case['name'])}"
            command = (str(binary), "--gtest_brief=1", f"--gtest_filter={suite['name']}.{case['name']}")
            of_full = suite["name"].startswith("Full/")
            environment = FULL if of_full else {}
            yield Entry(name, command, of_full or "full" in marks, "alone" in marks, environment=environment)


def entries(places: Places) -> Iterator[Entry]:
    binaries = sorted((places.build / "bin").glob(f"*{SUFFIX}"))
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda binary: list(entries_of(binary)), binaries):
            yield from found
