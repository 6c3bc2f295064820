"""What llvm-cov exports, by source line: a branch is taken when any instantiation of its template takes it."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path


LEFT_OUT = {"runtime-hooks/folding/contract.cpp"}  # nothing but conditions of assertions


@dataclass(frozen=True, order=True)
class Branch:
    """One way out of a condition. It is known by its text: line numbers drift."""

    file: str
    number: int  # of the line
    column: int
    line: str
    condition: str
    outcome: bool

    @property
    def name(self) -> str:
        return f"{self.line} | {self.condition} | {str(self.outcome).lower()}"


@dataclass
class File:
    branches: dict[Branch, int] = field(default_factory=lambda: defaultdict(int))
    lines: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def taken(self) -> int:
        return sum(count > 0 for count in self.branches.values())

    @property
    def run(self) -> int:
        return sum(count > 0 for count in self.lines.values())


def text_between(lines: list[str], line: int, column: int, last: int, end: int) -> str:
    """The source text of a region, on one line."""
    if line == last:
        return lines[line - 1].encode()[column - 1 : end - 1].decode()
    pieces = [lines[line - 1][column - 1 :], *lines[line : last - 1], lines[last - 1][: end - 1]]
    return " ".join(piece.strip() for piece in pieces)


def add_branches(file: File, name: str, regions: list[list[int]], lines: list[str]) -> None:
    for line, column, last, end, taken, not_taken, *_ in regions:
        condition = text_between(lines, line, column, last, end)
        if f"switch ({condition})" in lines[line - 1]:
            continue  # whether none of the cases is taken: they are all there, or -Wswitch would report it
        for outcome, count in ((True, taken), (False, not_taken)):
            where = Branch(name, line, column, lines[line - 1].strip(), condition, outcome)
            file.branches[where] += count


def add_lines(file: File, segments: list[list[int]]) -> None:
    """A line has run when a segment that reaches into it has; one segment holds until the next."""
    for before, after in zip(segments, segments[1:], strict=False):
        line, _, count, has_count = before[:4]
        if not has_count:
            continue
        for covered in range(line, max(after[0], line + 1)):
            file.lines[covered] = max(file.lines[covered], count)


def llvm_cov(job: list[str], binary: Path, profile: Path) -> str:
    command = ["llvm-cov-19", *job, f"-instr-profile={profile}", str(binary)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


SHOWN = re.compile(r"^ *\|  Branch \((\d+):(\d+)\): \[(\w+)")


def constants(binary: Path, profile: Path) -> set[tuple[str, int, int]]:
    """Conditions that are constant in each instantiation, and no branches. Only the listing tells, not the export."""
    folded, others, file = set(), set(), ""
    for line in llvm_cov(["show", "-show-branches=count", "-show-instantiations=0"], binary, profile).splitlines():
        if line.startswith("/") and line.endswith(":"):
            file = line[:-1]
        elif shown := SHOWN.match(line):
            where = (file, int(shown[1]), int(shown[2]))
            (folded if shown[3] == "Folded" else others).add(where)
    return folded - others


def read(binaries: list[Path], profile: Path, root: Path, folders: tuple[str, ...]) -> dict[str, File]:
    """One binary after the other: of two that differ in a function, llvm-cov would take the first one's."""
    found: dict[str, File] = defaultdict(File)
    for binary in binaries:
        constant = constants(binary, profile)
        text = llvm_cov(["export", "-format=text", "-skip-functions"], binary, profile)
        for exported in json.loads(text)["data"][0]["files"]:
            path = Path(exported["filename"])
            if not path.is_relative_to(root) or not path.exists():
                continue
            name = str(path.relative_to(root))
            if name.split("/")[0] not in folders or name in LEFT_OUT:
                continue
            lines = path.read_text().splitlines()
            regions = [region for region in exported["branches"] if (str(path), *region[:2]) not in constant]
            add_branches(found[name], name, regions, lines)
            add_lines(found[name], exported["segments"])
    return dict(sorted(found.items()))
