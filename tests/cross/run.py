#!/usr/bin/env python3
"""Builds a preset of another processor with less optimisation and runs its tests under QEMU.

    run.py aarch64 [--full]

--full: the whole unit suites and all programs, as the preset builds them; some ten minutes. Status 77 and the names
of the packages where the cross compiler or QEMU is not installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
TRIPLETS = {
    "aarch64": "aarch64-linux-gnu",
    "aarch64-lse": "aarch64-linux-gnu",
    "ppc64le": "powerpc64le-linux-gnu",
}
# Differs from aarch64 in its atomic instructions only: thunks and entry points are the same.
ATOMICS_ONLY = {"aarch64-lse"}


def missing(preset: str) -> list[str]:
    """Packages without which nothing of this can be done."""
    triplet = TRIPLETS[preset]
    processor = preset.removesuffix("-lse")
    out = [] if shutil.which(f"{triplet}-g++") else [f"g++-{triplet}"]
    if not any(shutil.which(name) for name in (f"qemu-{processor}-static", f"qemu-{processor}")):
        out.append("qemu-user-static")
    return out + ([] if Path("/usr/src/googletest/CMakeLists.txt").exists() else ["googletest"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=TRIPLETS)
    parser.add_argument("--full", action="store_true", help="the whole unit suites and all programs")
    arguments = parser.parse_args()
    preset = arguments.preset
    if packages := missing(preset):
        print(f"run.py: nothing was tested for {preset}: install {' '.join(packages)}", file=sys.stderr)
        return SKIPPED
    build = ROOT / "build" / (preset if arguments.full else f"{preset}-quick")
    configure = ["cmake", "--preset", preset, "-B", str(build)]
    targets = ["muster_counted_add_probe", "muster_cross_tests"]
    selected = ["-L", "^cross$"]
    if arguments.full:
        targets += ["muster", "muster_thunks_alone", "muster_unit_tests"]
        selected = ["-R", "^cross[.]|^unit$"]
    else:
        # Half the time to compile, and still what a compiler makes of inline functions.
        optimisation = "-O0" if preset in ATOMICS_ONLY else "-O1"
        configure.append(f"-DCMAKE_CXX_FLAGS_RELWITHDEBINFO={optimisation} -g0")
        if preset not in ATOMICS_ONLY:
            targets += ["muster", "muster_thunks_alone"]
            selected = ["-L", "^cross"]
    jobs = str(len(os.sched_getaffinity(0)))
    for command in (
        [*configure, "--log-level=WARNING"],
        ["cmake", "--build", str(build), "-j", jobs, "--target", *targets],
        ["ctest", "--test-dir", str(build), "-j", jobs, "--output-on-failure", "--no-tests=error", *selected],
    ):
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status != 0:
            print(f"run.py: {preset}: failed: {' '.join(command)}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
