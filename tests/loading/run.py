#!/usr/bin/env python3
"""Ways in which runtimes come into a process and leave it. See README.md."""

from __future__ import annotations

import argparse
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "fault"), str(HERE.parent / "conformance")]

import harness  # noqa: E402


def main() -> int:
    root = harness.ROOT
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--library",
        default=str(root / "build/release/lib/libmuster.so"),
        help="libmuster.so, or `none`: stock against stock",
    )
    parser.add_argument("--runtimes", type=Path, default=root / "build/runtimes")
    parser.add_argument("--build", type=Path, default=root / "build/loading")
    parser.add_argument("--python", type=Path, help="an interpreter with scikit-learn, lightgbm and faiss-cpu")
    parser.add_argument("--filter", default="", help="only tests whose name contains this")
    arguments = parser.parse_args()
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    if library is not None and not library.is_file():
        print(f"run.py: no library {library}", file=sys.stderr)
        return 1
    harness.configure(
        harness.Places(library, arguments.runtimes.resolve(), arguments.build.resolve(), python=arguments.python)
    )
    loader = unittest.TestLoader()
    if arguments.filter:
        loader.testNamePatterns = [f"*{arguments.filter}*"]
    suite = loader.discover(str(HERE), pattern="test_*.py")
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
