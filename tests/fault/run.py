#!/usr/bin/env python3
"""Bad input and faults: what must not change a program. See docs/develop/testing.md."""

from __future__ import annotations

import argparse
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "conformance")]

import harness  # noqa: E402


def tests_of(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_of(part)
        else:
            yield part


def main() -> int:
    root = harness.ROOT
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--library",
        default=str(root / "build/release/lib/libmuster.so"),
        help="libmuster.so, or `none`: stock against stock",
    )
    parser.add_argument("--runtimes", type=Path, default=root / "build/runtimes")
    parser.add_argument("--build", type=Path, default=root / "build/fault")
    parser.add_argument("--runtime", choices=("libomp19", "libgomp12"), default="libomp19")
    parser.add_argument("--forks", type=int, default=200, help="in test_forked_team, default 200")
    parser.add_argument("--filter", default="", help="only tests whose name contains this")
    parser.add_argument("--without", default="", help="no test whose name contains this")
    arguments = parser.parse_args()
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    if library is not None and not library.is_file():
        print(f"run.py: no library {library}", file=sys.stderr)
        return 1
    if not (arguments.runtimes / "libomp19" / "libomp.so.5").exists():
        print(
            f"run.py: no runtimes in {arguments.runtimes}; run tests/runtimes/fetch.py on it",
            file=sys.stderr,
        )
        return 1
    found = (arguments.runtimes.resolve(), arguments.build.resolve(), arguments.runtime, arguments.forks)
    harness.configure(harness.Places(library, *found))
    loader = unittest.TestLoader()
    if arguments.filter:
        loader.testNamePatterns = [f"*{arguments.filter}*"]
    suite = loader.discover(str(HERE), pattern="test_*.py")
    if arguments.without:
        suite = unittest.TestSuite(test for test in tests_of(suite) if arguments.without not in test.id())
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
