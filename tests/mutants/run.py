#!/usr/bin/env python3
"""Puts faults into a copy of the sources, one at a time: the gate must notice each.

    tests/mutants/run.py                      all of folding.py and parts.py; an hour
    tests/mutants/run.py --filter tree        those whose name or file contains this

For each, the tests that it names are run, or else those of its folder and the whole programs, until one fails. What the
gate does not notice is tried with --full as well, and named.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

import folding  # noqa: E402
import parts  # noqa: E402
from fault import Fault  # noqa: E402

TARGETS = ("muster", "muster_checked", "muster_launcher", "muster_unit_tests", "muster_chaos", "model",
           "muster_lost_wakeups_simulated", "muster_gate_runtimes", "muster_model_tests")  # fmt: skip
PARTS = r"^(platform|load|turns|waiting|barriers|counters|runtime-hooks|model|chaos)\."
PROGRAMS = r"^(conformance|region-folding|sequences|fault)\."
FIRST_FAILED = re.compile(r"Test\s+#\d+: (\S+) \.+\s*\*\*\*(?!Skipped)")


def copy_of_sources(folder: Path) -> None:
    """What git knows, as it stands in the work tree."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file() and not (target.exists() and target.read_bytes() == (ROOT / name).read_bytes()):
            shutil.copy2(ROOT / name, target)


def build(folder: Path) -> str:
    """Empty, or the compiler's words."""
    if not (folder / "build/release/build.ninja").exists():
        configure = ["cmake", "--preset", "release", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g0"]
        subprocess.run(configure, cwd=folder, check=True, capture_output=True)
    command = ["cmake", "--build", folder / "build/release", "--target", *TARGETS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout[-2000:] if done.returncode != 0 else ""


def first_failure(folder: Path, pattern: str, full: bool = False) -> str:
    """The first test that fails of those whose name matches; empty: all pass."""
    command = ["ctest", "--test-dir", folder / "build/release", "-j", "2", "-R", pattern, "--stop-on-failure"]
    command += ["--timeout", "60"] + ([] if full else ["-LE", "^full$"])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No tests were found" in done.stdout + done.stderr:
        raise SystemExit(f"run.py: no test matches {pattern}")
    found = FIRST_FAILED.search(done.stdout)
    return found[1] if found else ""


def noticed_by(folder: Path, fault: Fault) -> list[str]:
    """Of each thing that should notice, the first test that did; empty strings for those that did not."""
    if fault.tests:
        return [first_failure(folder, pattern) for pattern in fault.tests]
    return [first_failure(folder, PARTS) or first_failure(folder, PROGRAMS)]


def judge(folder: Path, fault: Fault) -> bool:
    file = folder / fault.file
    whole = file.read_text()
    if whole.count(fault.right) != 1:
        raise SystemExit(f"run.py: not once in {fault.file}: {fault.right!r}")
    file.write_text(whole.replace(fault.right, fault.wrong))
    try:
        if words := build(folder):
            print(f"noticed   {fault.name} ({fault.file}): by the compiler: {words.splitlines()[-1][:100]}", flush=True)
            return True
        found = noticed_by(folder, fault)
        if all(found):
            print(f"noticed   {fault.name} ({fault.file}): {', '.join(found)}", flush=True)
            return True
        late = first_failure(folder, PARTS, full=True) or first_failure(folder, PROGRAMS, full=True)
        print(f"{'FULL ONLY' if late else 'UNNOTICED'} {fault.name} ({fault.file}): {late or fault.tests}", flush=True)
        return False
    finally:
        file.write_text(whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="of the copy")
    parser.add_argument("--filter", default="", help="only faults whose name or file contains this")
    parser.add_argument("--part", default="0/1", metavar="K/N", help="each N-th, from the K-th on")
    places = parser.parse_args()
    folder = places.folder.resolve()
    copy_of_sources(folder)
    share, parts_of = map(int, places.part.split("/"))
    chosen = [fault for fault in (*parts.FAULTS, *folding.FAULTS) if places.filter in f"{fault.name} {fault.file}"]
    verdicts = [judge(folder, fault) for fault in chosen[share::parts_of]]
    print(f"{sum(verdicts)} of {len(verdicts)} noticed")
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
