#!/usr/bin/env python3
"""Runs classes or methods of one test file: run_python.py FILE CLASS[.METHOD]... 0: passed, 1: failed, 77: all skipped."""

from __future__ import annotations

import importlib
import sys
import unittest
from pathlib import Path

SKIPPED = 77


def main() -> int:
    file, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    root = Path(__file__).resolve().parents[2]
    folders = [file.parent, *(root / "tests" / name for name in ("fault", "conformance", "")), root]
    sys.path[:0] = map(str, dict.fromkeys(folders))
    module = importlib.import_module(file.stem)
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, module)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        return 1
    return SKIPPED if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
