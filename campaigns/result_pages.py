#!/usr/bin/env python3
"""Makes the pages of docs/results: `campaigns/result_pages.py`, or with --check compares them with what it would make.

A page is made of the results in docs/results/data whose names begin with the page's (`scaling.128.json` belongs to
`scaling`), in the order of their names, and of its entry in docs/results/pages.toml: title, a sentence or two on how to
read it, pictures, the note that goes with it. Figures come from results only: a reading that has one is an error.
README.md's sentence on the load grid is written, too, and method.md (method_page.py). Exit status 1 where a page differs
or something is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import method_page  # noqa: E402
import readme_figures  # noqa: E402

from lab.commit import ROOT  # noqa: E402
from lab.results import BadResult, Machine, Result, Table, Value, read  # noqa: E402

FOLDER = ROOT / "docs" / "results"
MADE = "<!-- Made by campaigns/result_pages.py from data/ and pages.toml: change those. -->"
MADE_OF_METHOD = "<!-- Made by campaigns/result_pages.py from papi-scripts/method/: change that. -->"
INDEX = "README"
README = "../../README.md"  # the whole tree's
# What may hold a digit in a reading: code, where a link goes, and a claim's name.
QUOTED = re.compile(r"`[^`]*`|\]\([^)]*\)|\b[A-Z]\d+\b")
KEYS = {"title", "reading", "pictures", "note", "parts"}
WIDTH = 120


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    reading: str
    pictures: Sequence[str]  # paths, the title behind a colon
    note: str
    parts: dict[str, str]  # readings of single results, by what stands behind the page's name
    results: dict[str, Result]


def without_figures(where: str, text: str) -> str:
    found = re.search(r"\S*\d\S*", QUOTED.sub("", text))
    if found:
        raise BadResult(f"pages.toml: {where}: {found[0]!r}: figures come from results, not from readings")
    return text.strip()


def read_pages(folder: Path) -> tuple[str, list[Page]]:
    """What stands above the list of pages, and the pages."""
    try:
        told: dict[str, Any] = tomllib.loads((folder / "pages.toml").read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadResult(f"pages.toml: {error}") from None
    introduction = told.pop("introduction", "")
    files = {path.name.removesuffix(".json"): path for path in sorted((folder / "data").glob("*.json"))}
    pages = []
    for name, entry in told.items():
        if unknown := set(entry) - KEYS:
            raise BadResult(f"pages.toml: {name}: unknown {', '.join(sorted(unknown))}")
        own = [stem for stem in files if stem == name or stem.startswith(f"{name}.")]
        found = {stem.removeprefix(name).removeprefix("."): read(files.pop(stem)) for stem in own}
        parts = {part: without_figures(f"{name}.{part}", text) for part, text in entry.get("parts", {}).items()}
        if unknown := set(parts) - set(found):
            raise BadResult(f"pages.toml: {name}: no result {', '.join(sorted(unknown))}")
        reading = without_figures(name, entry.get("reading", ""))
        pictures, note = entry.get("pictures", []), entry.get("note", "")
        for file in [*(picture.partition(":")[0] for picture in pictures), *filter(None, [note.partition("#")[0]])]:
            if not (folder / file).is_file():
                raise BadResult(f"pages.toml: {name}: {file} is missing")
        pages.append(Page(name, entry["title"], reading, pictures, note, parts, found))
    if files:
        raise BadResult(f"no page for {', '.join(files)}")
    return introduction.strip(), pages


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def command_lines(command: str) -> list[str]:
    """For a shell to read."""
    lines = textwrap.wrap(command, WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    continued = [f"{'  ' if number else ''}{line}" for number, line in enumerate(lines)]
    return ["```sh", *(f"{line} \\" for line in continued[:-1]), continued[-1], "```"]


def is_number(text: str) -> bool:
    return re.fullmatch(r"[-+>=< ]*[\d.,]+ ?[x%]?", text) is not None


def table_lines(table: Table) -> list[str]:
    heads = [f"{column.name}, {column.unit}" if column.unit else column.name for column in table.columns]

    def shown(row: Sequence[Value]) -> list[str]:
        return [column.shown(value).replace("|", "\\|") for column, value in zip(table.columns, row, strict=True)]

    rows = [shown(row) for row in table.rows]
    ruler = []
    for column in zip(*rows, strict=True):
        filled = [word for word in column if word not in ("", "-")]
        ruler.append("---:" if filled and all(map(is_number, filled)) else "---")
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(ruler)}|", *(f"| {' | '.join(row)} |" for row in rows)]
    title = [f"**{table.title}**", ""] if table.title else []
    notes = [line for note in table.notes for line in ("", *wrapped(note))]
    return [*title, *lines, *notes, ""]


def machine_text(machine: Machine) -> str:
    load = machine.load
    text = f"{machine.processors} processors, {machine.cpu}, {machine.kernel}"
    return text if load is None else f"{text}, {load if isinstance(load, str) else f'load {load:g}'}"


def origin_lines(result: Result) -> list[str]:
    where = f"; {machine_text(result.machine)}" if result.machine else ""
    kind = "Simulated" if result.simulated else "Measured"
    made = " Made before the command left JSON, and transcribed." if result.transcribed else ""
    text = f"{kind}, commit {result.commit}, {result.date}{where}.{made}"
    return [*command_lines(result.command), *wrapped(text), ""]


def page_text(page: Page) -> str:
    lines = [MADE, f"# {page.title}", ""]
    if page.reading:
        lines += [*wrapped(page.reading), ""]
    if page.note:
        lines += [f"[Notes]({page.note}): what was assumed, what was tried and lost.", ""]
    for picture in page.pictures:
        file, _, title = picture.partition(":")
        lines += [f"![{title.strip()}]({file})", ""]
    for part, result in page.results.items():
        if len(page.results) > 1 or result.title != page.title:
            lines += [f"## {result.title}", ""]
        if text := page.parts.get(part):
            lines += [*wrapped(text), ""]
        lines += origin_lines(result)
        for table in result.tables:
            lines += table_lines(table)
    return "\n".join(lines).rstrip() + "\n"


def index_text(introduction: str, pages: Sequence[Page]) -> str:
    lines = [MADE, "# Results", "", introduction, "", "| page | | of commits |", "|---|---|---|"]
    for page in pages:
        commits = ", ".join(dict.fromkeys(result.commit for result in page.results.values()))
        kinds = {result.simulated for result in page.results.values()}
        kind = {frozenset({True}): "simulated", frozenset({False}): "measured"}.get(frozenset(kinds), "both")
        lines.append(f"| [{page.title}]({page.name}.md) | {kind if page.results else 'pictures'} | {commits} |")
    return "\n".join(lines) + "\n"


def texts(folder: Path) -> dict[str, str]:
    """By the file's path, relative to the folder."""
    introduction, pages = read_pages(folder)
    made = {f"{INDEX}.md": index_text(introduction, pages)} | {f"{page.name}.md": page_text(page) for page in pages}
    readme = folder / README
    grid = next((page.results for page in pages if page.name == "load-grid"), None)
    if grid and readme.is_file():
        made[README] = readme_figures.filled(readme.read_text(), grid)
    if folder == FOLDER:
        made[method_page.NAME] = f"{MADE_OF_METHOD}\n{method_page.page(ROOT)}"
    return made


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="result_pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where a page differs")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="DIR", help="(docs/results)")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    try:
        made = texts(folder)
    except BadResult as error:
        print(f"result_pages: {error}", file=sys.stderr)
        return 1
    differ = sorted({path.name for path in folder.glob("*.md")} - set(made))
    for name in differ:
        print(f"result_pages: {name}: no result makes this page", file=sys.stderr)
    for name, text in made.items():
        path = folder / name
        if arguments.check:
            if not path.is_file() or path.read_text() != text:
                differ.append(name)
                print(f"result_pages: {name} differs; campaigns/result_pages.py makes it anew", file=sys.stderr)
        else:
            path.write_text(text)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
