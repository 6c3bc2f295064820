#!/usr/bin/env python3
"""One HTML page of what collect.py collected: conditions, figures, tables, each number with its source.

    papi-scripts/report.py collection.csv --output report.html
    papi-scripts/report.py collection.csv --modelled figures --output report.html    with figures.py's beside them

The page needs nothing but itself. The script needs pandas and matplotlib (Debian: python3-pandas, python3-matplotlib,
for /usr/bin/python3). docs/use/collecting.md.
"""

from __future__ import annotations

import argparse
import html
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from collection import cells, record  # noqa: E402
from collection.cells import Table  # noqa: E402

from lab.whole_file import write_whole  # noqa: E402

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #111; --rule: #bbb; --soft: #f3f3f3; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161616; --ink: #e8e8e8; --rule: #555; --soft: #242424; }
  figure svg { filter: invert(0.91); }
}
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
       max-width: 72rem; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1.2rem; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th { border-bottom-width: 2px; white-space: normal; vertical-align: bottom; } 
.text { text-align: left; } tbody tr:nth-child(even) { background: var(--soft); }
td.long { white-space: normal; min-width: 14rem; }
figure { margin: 1rem 0 1.8rem; } figure svg { max-width: 100%; height: auto; background: #fff; }
.bad { border-left: 4px solid currentColor; padding-left: 0.8rem; font-weight: 600; }
@media print {
  :root { --paper: #fff; --ink: #000; --rule: #999; --soft: #f3f3f3; }
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  figure svg { filter: none; } figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  td.text:not(.long) { white-space: nowrap; }
  .wide { overflow: visible; } table { font-size: 7.5pt; } th, td { padding: 0.1rem 0.35rem; white-space: normal; }
}
"""
TEXT_COLUMNS = {"barrier", "wait", "event", "source", "reason", "status"}
SOURCES = (
    ("measured", "a time, by the system's clock, or what the program printed itself"),
    ("hardware", "counted by the processor, read by PAPI"),
    ("software", "counted by Muster's own code, or by the kernel"),
    ("modelled", "computed by the coherence simulator; no processor was measured"),
    ("unavailable", "could not be had, for the reason given; it is never taken for 0"),
)


def table_of(table: Table) -> str:
    head, body = table

    def cell(tag: str, name: str, text: str) -> str:
        kind = ' class="text long"' if name == "reason" else ' class="text"' if name in TEXT_COLUMNS else ""
        return f"<{tag}{kind}>{html.escape(text)}</{tag}>"

    rows = ["".join(cell("td", name, text) for name, text in zip(head, row, strict=True)) for row in body]
    lines = "\n".join(f"<tr>{row}</tr>" for row in rows)
    top = "".join(cell("th", name, name) for name in head)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead>\n<tbody>\n{lines}\n</tbody></table></div>'


def definitions(pairs: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> str:
    return "<dl>" + "\n".join(f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in pairs) + "</dl>"


def inline(svg: str, number: int, title: str) -> str:
    """What of a picture a page takes: no prolog, no metadata, and ids of its own."""
    svg = svg[svg.index("<svg ") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    for before, after in (('id="', '"'), ("url(#", ")"), ('href="#', '"')):
        pattern = re.escape(before) + r"([^\"()]+)" + re.escape(after)
        svg = re.sub(pattern, rf"{before}f{number}-\1{after}", svg)
    name = html.escape(title, quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)


def figures(rows: list[record.Row], modelled_folder: Path | None) -> tuple[list[str], list[str]]:
    """Collected ones and modelled ones."""
    from drawing import plots
    from drawing.collected_pictures import collected_pictures

    pictures = [one.picture for one in collected_pictures(rows)]
    collected = len(pictures)
    if modelled_folder is not None:
        pictures += modelled_pictures_in(modelled_folder)
    shown = [
        f"<figure>{inline(plots.svg(picture), number, picture.title)}</figure>"
        for number, picture in enumerate(pictures)
    ]
    return shown[:collected], shown[collected:]


def modelled_pictures_in(folder: Path) -> list:
    from drawing import modelled, modelled_pictures
    from drawing.catalogue import CATALOGUE

    found = [(figure, folder / f"{figure.name}.csv") for figure in CATALOGUE]
    found = [(figure, path) for figure, path in found if path.is_file()]
    if not found:
        raise modelled.DataError(f"{folder}: none of figures.py's CSV files is there")
    return [modelled_pictures.picture_of(figure, modelled.read_frame(figure, path)) for figure, path in found]


def sections(rows: list[record.Row], modelled_folder: Path | None) -> list[tuple[str, str]]:
    collected, modelled = figures(rows, modelled_folder)
    failed = cells.failure_table(rows)
    found = [("Conditions", definitions(cells.environment(rows)))]
    if failed[1]:
        say = f"{len(failed[1])} of {len(rows)} runs did not end as they should; no number of theirs is used."
        found.append(("Failures", f'<p class="bad">{say}</p>{table_of(failed)}'))
    found.append(("Figures", "\n".join(collected) or "<p>No run ended well: there is nothing to draw.</p>"))
    found.append(("Elapsed time", table_of(cells.main_table(rows, "elapsed_s"))))
    if rows[0]["value_pattern"]:
        found.append(("The program's own value", table_of(cells.main_table(rows, "value"))))
    for title, table in (
        ("Muster's own counts, medians", cells.own_table(rows)),
        ("Counters, medians", cells.event_table(rows)),
    ):
        if table[1]:
            found.append((title, table_of(table)))
    if modelled:
        found.append(("Modelled machines", "\n".join(modelled)))
    found.append(("Where the numbers come from", definitions(SOURCES)))
    return found


def page(rows: list[record.Row], modelled_folder: Path | None) -> str:
    program = html.escape(rows[0]["program"])
    parts = [f"<section><h2>{title}</h2>\n{body}\n</section>" for title, body in sections(rows, modelled_folder)]
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Muster: {program}</title><style>{STYLE}</style></head>
<body><h1>Barriers of <code>{program}</code></h1>
<p>{len(rows)} runs under Muster's barriers and policies, interleaved, and beside them stock.</p>
{"".join(parts)}
</body></html>
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="collect.py's CSV")
    parser.add_argument("--output", type=Path, metavar="FILE", help="(the CSV's name with .html)")
    parser.add_argument("--modelled", type=Path, metavar="DIR", help="where figures.py wrote its CSV files")
    arguments = parser.parse_args()
    output = arguments.output or arguments.file.with_suffix(".html")
    try:
        from drawing.modelled import DataError
    except ImportError as error:
        hint = "install it (Debian: python3-pandas, python3-matplotlib, for /usr/bin/python3)"
        print(f"report: {sys.executable}: {error}; {hint}", file=sys.stderr)
        return 1
    try:
        write_whole(output, page(record.read(arguments.file), arguments.modelled))
    except ImportError as error:
        print(f"report: {sys.executable}: {error}; install it (Debian: python3-matplotlib)", file=sys.stderr)
        return 1
    except (record.RecordError, DataError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
