"""The rules of papi-scripts/method can fail: a paper's file that breaks each, beside one that does not."""

from __future__ import annotations

import unittest

import method_checks
from test_checks import HouseTest

from lab import method as methods
from lab.results import Column, Result, Table, as_json

GOOD = """
paper = "zhang"
[[statement]]
kind = "machine"
where = "1"
says = "it has a ring"
ours = "the same"
source = ["sim/a.h#ring"]
tests = ["tests/sim/a_test.cpp#ARing", "tests/sim/test_a.py#test_ring"]
open = ["hop"]
[columns."zhang.2"]
Z2 = ["of Z2"]
[[parameter]]
id = "hop"
what = "a hop"
here = "1"
range = "1 to 2"
claims = ["Z1", "Z2", "Z3"]
tables = ["zhang.2"]
rows = ["hop ="]
not_varied = {Z3 = "no reason"}
"""
COLUMNS = [Column(name) for name in ("changed", "Z1", "of Z2", "Z3")]
TABLE = Table(COLUMNS, [["as it is", 1, 2, 3], ["hop = 2", 1, "no", "."]])
OTHERS = '\n[[statement]]\nkind = "machine"\nwhere = "1"\nsays = "x"\nours = "y"\nsource = ["sim/a.h#ring"]\n'
OTHERS += 'tests = ["tests/sim/test_a.py#test_ring"]\n'


class Methods(HouseTest):
    def problems(self, text: str, table: Table = TABLE) -> list[str]:
        tree = self.tree(
            sim__a_h="// a ring\n",
            tests__sim__a_test_cpp="TEST(Machine, ARing) {\n",
            tests__sim__test_a_py="class A:\n    def test_ring(self) -> None:\n",
        )
        self.write("papi-scripts/claims.csv", "id,source\nZ1,zhang\nZ2,zhang\nZ3,zhang\nT1,tsafrir\n")
        self.write("docs/results/data/zhang.2.json", as_json(Result("A", "b", "c", "d", [table], simulated=True)))
        for paper in methods.PAPERS:
            self.write(f"papi-scripts/method/{paper}.toml", f'paper = "{paper}"\nparameter = []\n{OTHERS}')
        self.write("papi-scripts/method/zhang.toml", text)
        return method_checks.method(tree)

    def test_good(self) -> None:
        self.assertEqual(self.problems(GOOD), [])

    def test_several_changed_together(self) -> None:
        """A row counts for the parameter that it alone changes."""
        columns = [Column(name) for name in ("hop", "bus", "Z1", "Z2", "Z3")]
        together = GOOD.replace('rows = ["hop ="]', 'column = "hop"').replace('Z2 = ["of Z2"]', "")
        together += '\n[base]\nhop = "1"\nbus = "a"\n'
        for rows, missing in (
            ([[1, "a", 5, 5, 5], [2, "a", 6, 6, None]], False),
            ([[1, "a", 5, 5, 5], [2, "b", 6, 6, 6]], True),
        ):
            found = self.problems(together, Table(columns, rows))
            self.assertEqual(any("neither varied" in one for one in found), missing, found)

    def test_what_is_wrong(self) -> None:
        for old, new, problem in (
            ("sim/a.h#ring", "sim/b.h#ring", "there is no sim/b.h"),
            ("sim/a.h#ring", "sim/a.h#bus", "sim/a.h has no 'bus'"),
            ("sim/a.h#ring", "sim/a.h", "names nothing in it"),
            ("#ARing", "#Ring", "has no test Ring"),
            ("#test_ring", "#test_bus", "has no test test_bus"),
            ('source = ["sim/a.h#ring"]', "source = []", "no source"),
            ('open = ["hop"]', 'open = ["hops"]', "leaves hops open, which is no parameter"),
            ('open = ["hop"]', "", "no statement leaves hop open"),
            ('["Z1", "Z2", "Z3"]', '["Z1", "Z2", "Z3", "T1"]', "hop: T1 is no claim of this paper"),
            ('not_varied = {Z3 = "no reason"}', "", "hop is neither varied for Z3 nor in not_varied"),
            ("Z3 = ", "Z1 = ", "hop is varied for Z1: take it off not_varied"),
            ('[columns."zhang.2"]\nZ2 = ["of Z2"]', "", "hop is neither varied for Z2 nor in not_varied"),
            ('rows = ["hop ="]', 'rows = ["hops ="]', "'hop = 2' belongs to no parameter"),
            ('what = "a hop"', "", "zhang.toml: "),
            ("zhang.2", "zhang.3", "No such file"),
        ):
            with self.subTest(problem):
                found = self.problems(GOOD.replace(old, new))
                self.assertTrue(any(problem in one for one in found), found)


if __name__ == "__main__":
    unittest.main()
