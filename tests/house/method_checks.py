"""The papers' methods against ours (papi-scripts/method): what a statement names exists, and what is open is varied."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from tree import Tree

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab import method as methods  # noqa: E402
from lab.method import Method  # noqa: E402
from lab.results import BadResult  # noqa: E402

CLAIMS = "papi-scripts/claims.csv"
NAMES = {  # of a test, by where it is
    ".cpp": r"^(?:TYPED_)?TEST(?:_[FP])?\(\w+, {}\)",
    ".py": r"^    def {}\(self",
}


def problem_of(tree: Tree, reference: str, is_test: bool) -> str:
    path, _, word = reference.partition("#")
    if not (tree.root / path).is_file():
        return f"there is no {path}"
    if not word:
        return f"{path}: names nothing in it"
    text = tree.text(path)
    if not is_test:
        return "" if word in text else f"{path} has no {word!r}"
    pattern = NAMES.get(Path(path).suffix)
    found = path.startswith("tests/") and pattern and re.search(pattern.format(re.escape(word)), text, re.MULTILINE)
    return "" if found else f"{path} has no test {word}"


def references(tree: Tree, method: Method) -> list[str]:
    """Each source and test of a statement is there; each statement has both."""
    problems = []
    for one in method.statements:
        where = f"{method.paper}: {one.says!r}"
        problems += [f"{where}: no {kind}" for kind in ("source", "tests") if not getattr(one, kind)]
        named = [(name, False) for name in one.source] + [(name, True) for name in one.tests]
        problems += [f"{where}: {problem}" for name in named if (problem := problem_of(tree, *name))]
    return problems


def of_claims(tree: Tree, found: list[Method]) -> list[str]:
    """Parameters touch claims that there are, of their own paper."""
    claims = {row["id"]: row["source"].split()[-1] for row in csv.DictReader(tree.lines(CLAIMS))}
    return [
        f"{method.paper}: {parameter.id}: {claim} is no claim of this paper"
        for method in found
        for parameter in method.parameters
        for claim in [*parameter.claims, *(name for name in parameter.not_varied if name != methods.ALL)]
        if claims.get(claim) != method.paper
    ]


def method(tree: Tree) -> list[str]:
    try:
        found = methods.read_methods(tree.root)
        problems = [problem for one in found for problem in references(tree, one)]
        problems += of_claims(tree, found)
        for one in found:
            problems += methods.uncovered(one, methods.tables_of(tree.root, one))
    except (BadResult, OSError) as error:
        return [str(error)]
    return problems
