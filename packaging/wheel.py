#!/usr/bin/env python3
"""Gives a wheel the lowest manylinux tag that auditwheel accepts, and prints its name. For ./bootstrap wheel.

auditwheel and wheel come from the package index, into the folder --tools, if this Python has none. Without them the
wheel keeps the tag linux_x86_64, which promises only machines like this one.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

TOOLS = ("auditwheel", "wheel")


class Problem(Exception):
    """Its text is one line for the user."""


def run(*command: str | Path, tools: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tools), *filter(None, [os.environ.get("PYTHONPATH")])])}
    return subprocess.run([sys.executable, "-m", *command], env=environment, capture_output=True, text=True, check=False)


def get_tools(tools: Path) -> None:
    # By their metadata: as a module, `wheel` is also this script.
    found = {each.metadata["Name"] for each in importlib.metadata.distributions(path=[*sys.path, str(tools)])}
    missing = [name for name in TOOLS if name not in found]
    if missing and run("pip", "install", "--quiet", "--target", tools, *missing, tools=tools).returncode != 0:
        raise Problem(f"{' and '.join(missing)} could not be installed")


def tag_of(wheel: Path, tools: Path) -> str:
    shown = run("auditwheel", "show", wheel, tools=tools)
    # The lines are wrapped.
    match = re.search(r'platform\s+tag(?:\s+to|:)\s+"(manylinux_\w+)"', shown.stdout)
    if match is None:
        reason = (shown.stderr.strip().splitlines() or ["auditwheel accepts no manylinux tag"])[-1]
        raise Problem(reason)
    return match[1]


def retag(wheel: Path, tools: Path) -> Path:
    get_tools(tools)
    tag = tag_of(wheel, tools)
    # Not `auditwheel repair`, which wants a newer patchelf than Debian 12 has, to add libraries that nothing here needs.
    done = run("wheel", "tags", "--remove", "--platform-tag", tag, wheel, tools=tools)
    if done.returncode != 0:
        raise Problem((done.stderr.strip().splitlines() or ["wheel failed"])[-1])
    return wheel.parent / done.stdout.split()[-1]


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
