#!/usr/bin/env python3
"""Branch coverage: builds a library that counts, runs the suites against it, and holds what nothing takes against uncovered.toml.

By hand: run.py builds into build/coverage and runs all; --report only reads what was counted; --only NAME runs a part and
adds to it. README.md tells the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import branches
import reasons
import suites
from branches import File

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from lab import results  # noqa: E402

WITH_A_BAR = ("barriers", "waiting", "load", "runtime-hooks")
BESIDE = ("platform", "preload")
BAR = 95.0


def build(folder: Path) -> None:
    subprocess.run(["cmake", "--preset", "coverage"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--target", *suites.TARGETS], cwd=ROOT, check=True)


def run_suites(folder: Path, runtimes: Path, only: str) -> None:
    """A suite that fails has counted as well, with a line: its own run judges it."""
    counts = folder / "counts"
    counts.mkdir(exist_ok=True)
    # One file for all processes of an object (%m), mapped by each (%c).
    environment = os.environ | {"LLVM_PROFILE_FILE": str(counts / "%m%c.profraw")}
    for name, command in suites.commands(ROOT, folder, runtimes, only).items():
        begin = time.monotonic()
        with (folder / f"{name}.log").open("w") as log:
            status = subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False).returncode
        print(f"{name}: status {status}, {time.monotonic() - begin:.0f} s, {log.name}", flush=True)


def merged(folder: Path) -> Path:
    profile = folder / "counts.profdata"
    raw = [str(path) for path in sorted((folder / "counts").glob("*.profraw"))]
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-failure-mode=all", *raw, "-o", str(profile)], check=True)
    return profile


def share(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def row(name: str, files: list[File]) -> dict[str, object]:
    taken, ways = sum(f.taken for f in files), sum(len(f.branches) for f in files)
    run, lines = sum(f.run for f in files), sum(len(f.lines) for f in files)
    return {
        "name": name,
        **{"branches": ways, "branches_taken": taken, "branches_percent": round(share(taken, ways), 2)},
        **{"lines": lines, "lines_run": run, "lines_percent": round(share(run, lines), 2)},
    }


def in_folder(files: dict[str, File], folder: str) -> dict[str, File]:
    return {name: file for name, file in files.items() if name.startswith(f"{folder}/")}


def table(files: dict[str, File]) -> list[dict[str, object]]:
    rows = []
    for folder in (*WITH_A_BAR, *BESIDE):
        inside = in_folder(files, folder)
        rows += [row(name, [file]) for name, file in inside.items()]
        rows.append(row(f"{folder}/", list(inside.values())))
    return rows


def show(rows: list[dict[str, object]]) -> None:
    print(f"{'':50} {'branches':>16} {'lines':>18}")
    for r in rows:
        branch = f"{r['branches_taken']} of {r['branches']}"
        line = f"{r['lines_run']} of {r['lines']}"
        print(f"{r['name']:50} {branch:>13} {r['branches_percent']:6.1f}% {line:>13} {r['lines_percent']:6.1f}%")


def folders_table(rows: list[dict[str, object]]) -> results.Table:
    """Of the folders; the files are in coverage.json."""
    names = ("name", "branches", "branches_taken", "branches_percent", "lines_percent")
    columns = [*map(results.Column, ("folder", "branches", "taken"))]
    columns += [results.Column("taken", "%", 1), results.Column("lines run", "%", 1)]
    folders = [row for row in rows if str(row["name"]).endswith("/")]
    return results.Table(columns, [[row[name] for name in names] for row in folders])  # type: ignore[misc]


def judge(files: dict[str, File], rows: list[dict[str, object]]) -> list[str]:
    wrong = reasons.problems(files, WITH_A_BAR, reasons.read(HERE / "uncovered.toml"))
    for r in rows:
        if r["name"] in [f"{folder}/" for folder in WITH_A_BAR] and float(str(r["branches_percent"])) < BAR:
            wrong.append(f"{r['name']}: {r['branches_percent']} % of the branches, {BAR} are asked for")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--report", action="store_true", help="build and run nothing")
    parser.add_argument("--only", default="", help="a suite of suites.py; counts are added to those that there are")
    results.add_option(parser)
    arguments = parser.parse_args()
    folder = ROOT / "build/coverage"
    if not arguments.report:
        build(folder)
        if not arguments.only:
            for old in (folder / "counts").glob("*.profraw"):
                old.unlink()
        run_suites(folder, arguments.runtimes.resolve(), arguments.only)
    binaries = [folder / name for name in suites.OBJECTS]
    files = branches.read(binaries, merged(folder), ROOT, (*WITH_A_BAR, *BESIDE))
    rows = table(files)
    show(rows)
    wrong = judge(files, rows)
    found = [f"{branch.file}: {branch.name}" for branch in reasons.uncovered(files, (*WITH_A_BAR, *BESIDE))]
    everything = {"rows": rows, "uncovered": found, "problems": wrong}
    (folder / "coverage.json").write_text(json.dumps(everything, indent=1) + "\n")
    if arguments.json:
        results.leave(arguments.json, "Branch coverage", [folders_table(rows)])
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
