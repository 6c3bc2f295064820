"""The papers' method sections against ours: papi-scripts/method/*.toml (its README has the format), and whether each
parameter that a paper leaves open is varied for each claim that it touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

from lab.results import BadResult, Result, Value, read

FOLDER = Path("papi-scripts") / "method"
DATA = Path("docs") / "results" / "data"
PAPERS = ("zhang", "tsafrir", "arpaci", "peter", "mosberger")
ALL = "all"  # of not_varied: each claim that no row shows
NO_DIFFERENCE = "."
CHANGED = "changed"  # the first column of a table of assumptions
UNCHANGED = ("as it is", "as documented")


@dataclass(frozen=True)
class Statement:
    kind: str  # machine, workload, scheduler, waiting, algorithm, metric, averages
    where: str  # in the paper
    says: str
    ours: str
    source: Sequence[str]  # path#word in it
    tests: Sequence[str]
    open: Sequence[str] = ()  # parameters


@dataclass(frozen=True)
class Parameter:
    id: str
    what: str
    here: str
    range: str
    claims: Sequence[str]
    tables: Sequence[str] = ()  # of docs/results/data
    rows: Sequence[str] = ()  # how their first cells begin
    column: str = ""  # of a table in which several are changed together: the one that has this parameter
    not_varied: dict[str, str] = field(default_factory=dict)

    def reason(self, claim: str) -> str:
        return self.not_varied.get(claim, self.not_varied.get(ALL, ""))


@dataclass(frozen=True)
class Method:
    paper: str
    statements: Sequence[Statement]
    parameters: Sequence[Parameter]
    columns: dict[str, dict[str, Sequence[str]]]  # by table and claim, where a column has not the claim's name
    base: dict[str, str] = field(default_factory=dict)  # by column of such a table: what we took


@dataclass(frozen=True)
class Variation:
    """A row that varies a parameter, and what it makes of a claim."""

    row: str
    cell: Value
    table: str
    commit: str


def parse(text: str, name: str) -> Method:
    try:
        found: dict[str, Any] = tomllib.loads(text)
        statements = [Statement(**entry) for entry in found.pop("statement")]
        parameters = [Parameter(**entry) for entry in found.pop("parameter")]
        return Method(found.pop("paper"), statements, parameters, found.pop("columns", {}), found.pop("base", {}))
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise BadResult(f"{name}: {error}") from None


def read_methods(root: Path) -> list[Method]:
    files = [root / FOLDER / f"{paper}.toml" for paper in PAPERS]
    return [parse(path.read_text(), path.name) for path in files]


def tables_of(root: Path, method: Method) -> dict[str, Result]:
    """What the parameters' tables are read from, by name."""
    names = dict.fromkeys(name for one in method.parameters for name in one.tables)
    return {name: read(root / DATA / f"{name}.json") for name in names}


def is_of(cell: Value, parameter: Parameter) -> bool:
    return isinstance(cell, str) and any(cell.startswith(row) for row in parameter.rows)


def changed_alone(method: Method, parameter: Parameter, cells: dict[str, Value]) -> str:
    """Of a table in which several are changed together: what the row changes, if that is this parameter only."""
    others = {name: value for name, value in method.base.items() if name in cells and name != parameter.column}
    value = str(cells.get(parameter.column, ""))
    if not value or value == method.base.get(parameter.column) or any(str(cells[n]) != v for n, v in others.items()):
        return ""
    return f"{parameter.column}: {value}"


def variations(method: Method, parameter: Parameter, claim: str, results: dict[str, Result]) -> Iterator[Variation]:
    """Of all its tables, rows that say something of the claim."""
    for name in parameter.tables:
        wanted = method.columns.get(name, {}).get(claim, [claim])
        for table in results[name].tables:
            names = [one.name for one in table.columns]
            at = [names.index(column) for column in wanted if column in names]
            for row in table.rows if at else ():
                cells = dict(zip(names, row, strict=True))
                together = changed_alone(method, parameter, cells) if parameter.column else ""
                what = str(row[0]) if is_of(row[0], parameter) else together
                if what and row[at[0]] not in (None, "", "-", NO_DIFFERENCE):
                    yield Variation(what, row[at[0]], name, results[name].commit)


def rows_of_no_parameter(method: Method, results: dict[str, Result]) -> Iterator[str]:
    for name, result in results.items():
        those = [one for one in method.parameters if name in one.tables]
        for table in result.tables:
            for row in table.rows if table.columns[0].name == CHANGED else ():
                if row[0] not in UNCHANGED and not any(is_of(row[0], one) for one in those):
                    yield f"{method.paper}: {name}: {row[0]!r} belongs to no parameter"


def uncovered(method: Method, results: dict[str, Result]) -> list[str]:
    """Parameters that are neither varied nor excused for a claim, and what else does not fit."""
    problems = list(rows_of_no_parameter(method, results))
    known = {parameter.id for parameter in method.parameters}
    problems += [
        f"{method.paper}: {one.says!r} leaves {name} open, which is no parameter"
        for one in method.statements
        for name in one.open
        if name not in known
    ]
    problems += [
        f"{method.paper}: no statement leaves {name} open"
        for name in sorted(known - {name for one in method.statements for name in one.open})
    ]
    for parameter in method.parameters:
        for claim in parameter.claims:
            varied = any(True for _ in variations(method, parameter, claim, results))
            if not varied and not parameter.reason(claim):
                problems.append(f"{method.paper}: {parameter.id} is neither varied for {claim} nor in not_varied")
            if varied and claim in parameter.not_varied:
                problems.append(f"{method.paper}: {parameter.id} is varied for {claim}: take it off not_varied")
    return problems
