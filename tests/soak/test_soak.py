"""That the soak can fail: what it makes of a program that grows, and of a preload that got lost."""

from __future__ import annotations

import unittest

from suite import BOUNDS, Run, growth_of, problems_of

NOTHING = dict.fromkeys(BOUNDS, 0)


def run(replaced: int = 9, **growth: int) -> Run:
    return Run(NOTHING | growth, replaced, 0)


class Soak(unittest.TestCase):
    def test_growth_is_from_the_middle_to_the_end(self) -> None:
        line = "{} rss_kb={} size_kb=9000 descriptors={} mappings=40 threads=4\n"
        growth = growth_of("other\n" + line.format("half", 1000, 5) + line.format("end", 1400, 6))
        self.assertEqual(growth, NOTHING | {"rss_kb": 400, "descriptors": 1})

    def test_whatever_grows_is_reported(self) -> None:
        self.assertEqual(problems_of("loop", run(rss_kb=100, mappings=1), run()), [])
        for name, bound in BOUNDS.items():
            (problem,) = problems_of("loop", run(**{name: bound + 1}), run())
            self.assertIn(f"{name} grows", problem)

    def test_what_stock_grows_by_is_allowed(self) -> None:
        self.assertEqual(problems_of("loop", run(rss_kb=5000), run(rss_kb=4000)), [])

    def test_a_lost_preload_is_reported(self) -> None:
        self.assertIn("no barrier", problems_of("loop", run(replaced=0), run())[0])
        self.assertEqual(problems_of("serialized", run(replaced=0), run()), [])


if __name__ == "__main__":
    unittest.main()
