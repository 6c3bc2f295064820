"""uncovered.toml: the branches that nothing takes, and why. None without a reason, no reason without its branch."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from branches import Branch, File


def read(path: Path) -> dict[tuple[str, str], bool]:
    """By file and branch: whether it may be taken in some runs (`sometimes`), as races are."""
    reasons: dict[tuple[str, str], bool] = {}
    for entry in tomllib.loads(path.read_text())["because"]:
        for file, names in entry["branches"].items():
            for name in names:
                reasons[file, name] = entry.get("sometimes", False)
    return reasons


def uncovered(files: dict[str, File], folders: tuple[str, ...]) -> Iterator[Branch]:
    for name, file in files.items():
        if name.split("/")[0] in folders:
            yield from (branch for branch, count in sorted(file.branches.items()) if count == 0)


def problems(files: dict[str, File], folders: tuple[str, ...], reasons: dict[tuple[str, str], bool]) -> list[str]:
    found = list(uncovered(files, folders))
    there = {(branch.file, branch.name) for branch in found}
    missing = [f"{b.file}:{b.number}: no reason: {b.name}" for b in found if (b.file, b.name) not in reasons]
    left_over = [
        f"{file}: a reason for what is covered, or gone: {name}"
        for (file, name), sometimes in reasons.items()
        if not sometimes and (file, name) not in there
    ]
    return missing + left_over
