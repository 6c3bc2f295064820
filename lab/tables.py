"""Tables of text, by rich. Without rich, columns are separated by tabs."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence

WIDEST = 10_000  # no line is wrapped: tables go to files as well
TAB = 16


def is_text(head: Sequence[str], texts: int | Collection[str]) -> list[bool]:
    return [column < texts if isinstance(texts, int) else name in texts for column, name in enumerate(head)]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int | Collection[str] = 1, groups: int = 0) -> str:
    """Text columns flush left, the others flush right; a line between rows that differ in the first `groups` columns.

    `texts` is how many columns are text, from the left, or their names.
    """
    try:
        from rich import box
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        return "\n".join("\t".join(row).expandtabs(TAB).rstrip() for row in (head, *rows))
    # A line below the head and between groups, and nothing else.
    lines = box.Box("    \n    \n -- \n    \n -- \n -- \n    \n    \n", ascii=True)
    made = Table(box=lines, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="")
    for name, text in zip(head, is_text(head, texts), strict=True):
        made.add_column(name, justify="left" if text else "right", no_wrap=True)
    for row, following in zip(rows, [*rows[1:], None], strict=False):
        ends = groups > 0 and following is not None and tuple(row[:groups]) != tuple(following[:groups])
        made.add_row(*row, end_section=ends)
    out = io.StringIO()
    Console(file=out, width=WIDEST, markup=False, emoji=False, highlight=False, no_color=True).print(made)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int | Collection[str] = 1) -> str:
    rule = "|" + "|".join("---" if text else "--:" for text in is_text(head, texts)) + "|"
    lines = [f"| {' | '.join(word.replace('|', chr(92) + '|') for word in row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], rule, *lines[1:]])


def figure(value: float | None) -> str:
    """Three significant digits, thousands with a comma."""
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.01 else f"{value:.3f}"
