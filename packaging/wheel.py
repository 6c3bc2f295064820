#!/usr/bin/env python3
"""Gives a wheel the lowest manylinux tag that auditwheel accepts, and says which. For ./bootstrap wheel.

auditwheel comes from the package index, into the folder --tools, if this Python has none. Without it the wheel keeps
the tag linux_x86_64, which promises only machines like this one.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path


class Problem(Exception):
    """Its text is one line for the user."""


def run(*command: str | Path, tools: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tools), *filter(None, [os.environ.get("PYTHONPATH")])])}
    return subprocess.run([sys.executable, "-m", *command], env=environment, capture_output=True, text=True, check=False)


def get_auditwheel(tools: Path) -> None:
    if importlib.util.find_spec("auditwheel") is not None or (tools / "auditwheel").is_dir():
        return
    done = run("pip", "install", "--quiet", "--target", tools, "auditwheel", tools=tools)
    if done.returncode != 0:
        raise Problem("auditwheel could not be installed")


def tag_of(wheel: Path, tools: Path) -> str:
    shown = run("auditwheel", "show", wheel, tools=tools)
    # The lines are wrapped.
    match = re.search(r'platform\s+tag(?:\s+to|:)\s+"(manylinux_\w+)"', shown.stdout)
    if match is None:
        reason = (shown.stderr.strip().splitlines() or ["auditwheel accepts no manylinux tag"])[-1]
        raise Problem(reason)
    return match[1]


def retag(wheel: Path, tools: Path) -> Path:
    get_auditwheel(tools)
    tag = tag_of(wheel, tools)
    done = run("auditwheel", "repair", "--plat", tag, "--wheel-dir", wheel.parent, wheel, tools=tools)
    if done.returncode != 0:
        raise Problem((done.stderr.strip().splitlines() or ["auditwheel failed"])[-1])
    found = [each for each in wheel.parent.glob("*.whl") if tag in each.name]
    if not found:
        raise Problem(f"auditwheel wrote no wheel with the tag {tag}")
    wheel.unlink()
    return max(found, key=lambda each: each.stat().st_mtime)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, help="from pip wheel; it is replaced")
    parser.add_argument("--tools", type=Path, default=Path("build/auditwheel"), metavar="DIR", help="default: %(default)s")
    arguments = parser.parse_args()
    if not arguments.wheel.is_file():
        print(f"wheel: {arguments.wheel} does not exist", file=sys.stderr)
        return 2
    try:
        print(retag(arguments.wheel, arguments.tools.resolve()))
    except Problem as problem:
        print(f"wheel: {arguments.wheel.name} keeps its tag: {problem}", file=sys.stderr)
        print(arguments.wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
