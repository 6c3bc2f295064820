"""run.py can put each fault into the sources as they are."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

import folding  # noqa: E402
import parts  # noqa: E402


class Faults(unittest.TestCase):
    def test_what_is_replaced_stands_in_its_file_once(self) -> None:
        for fault in (*parts.FAULTS, *folding.FAULTS):
            with self.subTest(fault.name):
                self.assertEqual((ROOT / fault.file).read_text().count(fault.right), 1)


if __name__ == "__main__":
    unittest.main()
