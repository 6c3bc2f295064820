"""docs/results/method.md: what the papers' method sections say, and what we do, of papi-scripts/method/*.toml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lab import method
from lab.method import Method, Parameter, Statement
from lab.results import Result

NAME = "method.md"
TITLE = "What the papers say they did, and what we do"
ABOUT = """
Every statement of the papers' method sections, in short and in our words; what we do, where, and which test checks it.
What a paper leaves open is a parameter: it is varied for every claim that it touches, or the table says why not.
"""
NAMES = {
    "zhang": "Zhang, Martinez, Tal, Blainey",
    "tsafrir": "Tsafrir, Feitelson",
    "arpaci": "Arpaci-Dusseau, Culler",
    "peter": "Peter, Baumann, Anderson, Roscoe",
    "mosberger": "Mosberger",
}
TOP = "../../"  # of the repository, seen from the page


def row(*cells: str) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [row(*heads), "|" + "---|" * len(heads), *(row(*cells) for cells in rows), ""]


def reference(text: str) -> str:
    """`path#word in it` as a link."""
    path, _, word = text.partition("#")
    link = f"[{Path(path).name}]({TOP}{path})"
    return f"{link} `{word}`" if word else link


def references(texts: Sequence[str]) -> str:
    return ", ".join(map(reference, texts))


def statement_cells(one: Statement) -> list[str]:
    here = one.ours + (f" (open: {', '.join(one.open)})" if one.open else "")
    return [one.kind, one.where, one.says, here, references(one.source), references(one.tests)]


def parameter_cells(of: Method, one: Parameter, results: dict[str, Result]) -> list[str]:
    varied, excused = [], {}
    for claim in one.claims:
        if any(True for _ in method.variations(of, one, claim, results)):
            varied.append(claim)
        else:
            excused.setdefault(one.reason(claim), []).append(claim)
    excuses = [f"{', '.join(claims)}: {reason}" for reason, claims in excused.items()]
    return [one.id, one.what, one.here, one.range, ", ".join(varied) or "-", "; ".join(excuses) or "-"]


def page(root: Path) -> str:
    lines = [f"# {TITLE}", "", ABOUT.strip(), ""]
    for one in method.read_methods(root):
        results = method.tables_of(root, one)
        lines += [f"## {NAMES[one.paper]}", ""]
        heads = ("", "in the paper", "it says", "here", "source", "test")
        lines += table(heads, [statement_cells(statement) for statement in one.statements])
        heads = ("open", "what", "here", "range", "varied for", "not varied for")
        lines += table(heads, [parameter_cells(one, parameter, results) for parameter in one.parameters])
        if results:
            names = ", ".join(f"[{name}](data/{name}.json)" for name in results)
            lines += [f"Varied in {names}.", ""]
    return "\n".join(lines).rstrip() + "\n"
