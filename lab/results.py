"""A result: the tables that a command printed, with the command, the commit and the machine, as one JSON file.

A command that measures or simulates has the option `--json FILE` and leaves a result there (`leave`). Those that the
documentation shows are kept in docs/results/data; campaigns/result_pages.py makes the pages of docs/results from them.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from lab.commit import ROOT, commit
from lab.machine import cpus, processor

Value: TypeAlias = str | int | float | None

# The source tree; that above the program where this module is packed into one (bin/loadgrid).
TREE = ROOT if ROOT.is_dir() else next((folder for folder in ROOT.parents if (folder / ".git").exists()), ROOT.parent)
LOAD_BEFORE = round(os.getloadavg()[0], 2)  # of the minute before the command began


class BadResult(Exception):
    """A file that is no result; the text says what is wrong with it."""


@dataclass(frozen=True)
class Column:
    name: str
    unit: str = ""
    digits: int | None = None  # behind the point; of numbers only

    def shown(self, value: Value) -> str:
        if value is None:
            return "-"
        if isinstance(value, str):
            return value
        return f"{value:,}" if self.digits is None else f"{value:,.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    title: str = ""
    notes: Sequence[str] = ()  # how to read it, means: what the command says below it


NUMBER = re.compile(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?")
NO_UNITS: Mapping[str, str] = {}


def table_of_words(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str = "",
    notes: Sequence[str] = (),
    units: Mapping[str, str] = NO_UNITS,
) -> Table:
    """Of a table that is printed as words: those that are numbers become numbers, shown as they were printed."""
    columns = []
    for index, name in enumerate(names):
        numbers = [row[index] for row in rows if NUMBER.fullmatch(row[index])]
        digits = {len(word.partition(".")[2]) for word in numbers}
        columns.append(Column(name, units.get(name, ""), digits.pop() if len(digits) == 1 and digits != {0} else None))

    def value(column: Column, word: str) -> Value:
        if word in ("", "-"):
            return None
        if not NUMBER.fullmatch(word):
            return word
        plain = word.replace(",", "")
        number: Value = float(plain) if "." in plain else int(plain)
        return number if column.shown(number).replace(",", "") == plain else word

    return Table(columns, [list(map(value, columns, row)) for row in rows], title, tuple(notes))


def table_of_markdown(text: str, title: str = "", notes: Sequence[str] = ()) -> Table:
    """Of a table as a command prints it; no cell has a bar."""
    head, _, *rows = [[word.strip() for word in line.strip("| ").split("|")] for line in text.strip().splitlines()]
    return table_of_words(head, rows, title, notes)


@dataclass(frozen=True)
class Machine:
    processors: int
    cpu: str
    kernel: str
    load: float | str | None = None  # average of the last minute before the command, or what is known of it


@dataclass(frozen=True)
class Result:
    title: str
    command: str
    commit: str
    date: str
    tables: Sequence[Table]
    machine: Machine | None = None  # none where nothing of it depends on the machine
    simulated: bool = False
    transcribed: bool = False  # copied from a page that was written before commands left results
    raw: Any = field(default=None, repr=False)  # single runs, for other computations


def this_machine() -> Machine:
    kernel = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return Machine(cpus(), processor(), kernel, LOAD_BEFORE)


WHERE = {"--json", "--csv", "--figure", "--output", "--build", "--bin", "--campaigns", "--jobs"}


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def command_line(words: Sequence[str] | None = None) -> str:
    """As it would be given at the top of the source tree, without options that say where and not what."""
    program, *rest = sys.argv if words is None else words
    path = Path(program).resolve()
    kept, skip = [str(path.relative_to(TREE)) if path.is_relative_to(TREE) else program], False
    for word in rest:
        option = word.partition("=")[0]
        if not skip and option not in WHERE:
            kept.append(word)
        skip = not skip and option in WHERE and "=" not in word
    return shlex.join(kept)


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, metavar="FILE", help="leave the tables there as well (lab/results.py)")


def leave(
    path: Path,
    title: str,
    tables: Sequence[Table],
    *,
    machine: Machine | None = None,
    of_commit: str | None = None,
    simulated: bool = False,
    raw: Any = None,
) -> None:
    """What has been found: here and now unless another machine or commit is named, or it is simulated."""
    if machine is None and not simulated:
        machine = this_machine()
    write(path, Result(title, command_line(), of_commit or commit(TREE), today(), tables, machine, simulated, raw=raw))


def as_json(result: Result) -> str:
    """A row a line; what is empty is left out."""
    kept = {name: value for name, value in asdict(result).items() if name != "tables" and value not in (None, False)}
    raw = kept.pop("raw", None)
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in kept.items()]
    lines.append(' "tables": [')
    for number, table in enumerate(result.tables):
        lines.append("  {")
        for name in ("title", "notes"):
            if value := getattr(table, name):
                lines.append(f"   {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},")
        filled = [{key: value for key, value in asdict(c).items() if value not in (None, "")} for c in table.columns]
        columns = [{"name": ""} | column for column in filled]
        lines.append(f'   "columns": {json.dumps(columns, ensure_ascii=False)},')
        rows = ",\n".join(f"    {json.dumps(list(row), ensure_ascii=False)}" for row in table.rows)
        lines.append(f'   "rows": [\n{rows}\n   ]')
        lines.append("  }" + ("," if number < len(result.tables) - 1 else ""))
    lines.append(" ]" + ("" if raw is None else ","))
    if raw is not None:
        lines.append(f' "raw": {json.dumps(raw)}')
    return "{\n" + "\n".join(lines) + "\n}\n"


def write(path: Path, result: Result) -> None:
    path.write_text(as_json(result))


def read(path: Path) -> Result:
    try:
        found = json.loads(path.read_text())
        tables = [
            Table(
                [Column(**column) for column in table["columns"]],
                table["rows"],
                table.get("title", ""),
                table.get("notes", ()),
            )
            for table in found.pop("tables")
        ]
        machine = found.pop("machine", None)
        result = Result(tables=tables, machine=Machine(**machine) if machine else None, **found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadResult(f"{path}: {error}") from None
    for table in tables:
        if any(len(row) != len(table.columns) for row in table.rows):
            raise BadResult(f"{path}: a row has more or fewer values than the table has columns")
    if not result.command or not result.commit or not (result.machine or result.simulated):
        raise BadResult(f"{path}: names no command, no commit, or no machine")
    return result
