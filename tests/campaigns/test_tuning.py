"""campaigns/tuning.py: which thresholds a header has, what halving and doubling is, and the table of recorded runs."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns")]

import tuning  # noqa: E402
from cells import Cell  # noqa: E402
from record import Run  # noqa: E402
from summary import Summary  # noqa: E402

HEADER = """#pragma once
// inline constexpr unsigned kNone = 1;  // a comment
inline constexpr std::uint64_t kMs = 1'000'000;
inline constexpr std::uint64_t kWindowNs = 25 * kMs;  // ns; a window holds few time slices
inline constexpr std::uint64_t kLong =
    2 * (kWindowNs + 5U);  // ns
inline constexpr double kGain = 1.2;  // ratio
inline constexpr unsigned kOnce = 1;  // times
// How many
// parts.
  static constexpr unsigned kThird = 10 / 3;
"""


class Header(unittest.TestCase):
    def test_thresholds_are_all_constants_but_units(self) -> None:
        found = {threshold.name: threshold for threshold in tuning.thresholds_of(HEADER)}
        self.assertEqual(list(found), ["kWindowNs", "kLong", "kGain", "kOnce", "kThird"])
        self.assertEqual({name: t.value for name, t in found.items()}, {
            "kWindowNs": 25_000_000, "kLong": 50_000_010, "kGain": 1.2, "kOnce": 1, "kThird": 3,
        })  # fmt: skip
        self.assertEqual((found["kLong"].shown, found["kLong"].comment), ("2 * (kWindowNs + 5U)", "ns"))
        self.assertEqual(found["kThird"].comment, "How many parts.")

    def test_halved_and_doubled(self) -> None:
        found = {t.name: [t.changed(change) for change in tuning.CHANGES] for t in tuning.thresholds_of(HEADER)}
        self.assertEqual(found["kWindowNs"], ["12500000", "50000000"])
        self.assertEqual(found["kGain"], ["0.6", "2.4"])
        self.assertEqual(found["kOnce"], [None, "2"])  # there is no half of it
        self.assertEqual(found["kThird"], ["1", "6"])

    def test_nothing_else_of_the_header_changes(self) -> None:
        window = tuning.thresholds_of(HEADER)[0]
        self.assertEqual(window.put(HEADER, "7"), HEADER.replace("25 * kMs", "7"))

    def test_what_is_not_understood(self) -> None:
        for header, message in (
            ("inline constexpr unsigned kA = other();  // calls", "kA: 'other\\(\\)' is not understood"),
            ("inline constexpr unsigned kMs = 1;", "no thresholds"),
        ):
            with self.subTest(header), self.assertRaisesRegex(tuning.TuningError, message):
                tuning.thresholds_of(header)


class Table(unittest.TestCase):
    CELLS = (Cell("barrier", 4, "0", 0.0), Cell("barrier", 4, "2", 0.0))

    def rows(self, rates: dict[str, tuple[float, float]], spread: float) -> dict[str, tuple[str, ...]]:
        """`rates` are those of the settings in both cells; three runs of each differ by the spread."""
        runs = [
            Run(cell, setting, "part", number, 2, "ok", (rate * spread**number,), 1.0, 1.0, 0.0)
            for setting, both in ({"auto": (100.0, 100.0), "auto-as-is": (100.0, 95.0)} | rates).items()
            for cell, rate in zip(self.CELLS, both, strict=True)
            for number in (-1, 0, 1)
        ]
        return {row[0]: row[1:] for row in tuning.rows_of(runs, tuning.thresholds_of(HEADER))}

    def test_means_and_extremes_are_ratios_to_the_library_as_it_is(self) -> None:
        rows = self.rows({"auto-kWindowNs-half": (80.0, 125.0), "auto-kWindowNs-double": (200.0, 50.0)}, 1.0)
        self.assertEqual(rows["kWindowNs"][2:8], ("1.00", "0.80", "1.25", "1.00", "0.50", "2.00"))
        self.assertEqual(rows["(as it is)"][2:5], ("0.97", "0.95", "1.00"))

    def test_what_changes_nothing_is_marked(self) -> None:
        rates = {
            "auto-kOnce-double": (150.0, 100.0), "auto-kGain-half": (102.0, 98.0), "auto-kThird-double": (93.0, 100.0),
        }  # fmt: skip
        rows = self.rows(rates, 1.05)
        self.assertEqual({name: row[8] for name, row in rows.items()}, {
            "(as it is)": "noise", "kOnce": "yes", "kThird": "noise", "kGain": "nothing", "kWindowNs": "not measured",
            "kLong": "not measured",
        })  # fmt: skip
        self.assertEqual(list(rows)[:4], ["(as it is)", "kOnce", "kThird", "kGain"])
        self.assertEqual(rows["kOnce"][9], str(self.CELLS[0]))
        self.assertEqual(self.rows(rates, 1.5)["kOnce"][8], "noise")

    def test_many_small_effects_are_one(self) -> None:
        cells = [Cell("barrier", threads, "0", 0.0) for threads in range(2, 30)]
        noise = dict.fromkeys(cells, 0.05)
        self.assertEqual(tuning.changes([(cell, 0.95) for cell in cells], noise), "yes")
        self.assertEqual(tuning.changes([(cell, 0.95) for cell in cells[:4]], noise), "noise")
        self.assertEqual(tuning.changes([(cell, 0.98) for cell in cells], noise), "nothing")


if __name__ == "__main__":
    unittest.main()
