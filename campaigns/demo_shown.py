#!/usr/bin/env python3
"""Shows a result of demo.py in the README: its table, and with --chart its picture.

    campaigns/demo_shown.py [--chart] [--check]

Takes docs/results/data/demo.json, writes between the marks of README.md and, with matplotlib, into
docs/results/figures/demo.svg. With --check it only compares the README. A result is left there by

    ./bootstrap demo --seconds 200 --json docs/results/data/demo.json
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from demo import BARRIER_PROGRAM, ENDINGS, SIDES, Cell  # noqa: E402

from lab import results  # noqa: E402
from lab.pictures import svg_of  # noqa: E402
from lab.whole_file import write_whole  # noqa: E402

DATA = results.TREE / "docs" / "results" / "data" / "demo.json"
CHART = results.TREE / "docs" / "results" / "figures" / "demo.svg"
README = results.TREE / "README.md"
MOST_LOAD = 0.5  # before the command; with more, the machine was not idle
PART = re.compile(r"(<!-- demo -->\n).*?(<!-- /demo -->)", re.DOTALL)
COLORS = {
    ("libomp", "default"): "#c6dbef",
    ("libomp", "passive"): "#6baed6",
    ("libomp", "Muster"): "#08519c",
    ("libgomp", "default"): "#fdd0a2",
    ("libgomp", "passive"): "#fd8d3c",
    ("libgomp", "Muster"): "#a63603",
}


def rates(result: results.Result) -> dict[tuple[int, str], dict[tuple[str, str], float]]:
    """Of the BARRIER program: by threads and load, then by runtime and side."""
    found: dict[tuple[int, str], dict[tuple[str, str], float]] = {}
    for cell in (Cell(**fields) for fields in result.raw["cells"]):
        if cell.what == BARRIER_PROGRAM:
            group = found.setdefault((cell.threads, cell.load), {})
            group |= {(cell.runtime, side): cell.median(side) or 0.0 for side in SIDES}
    return found


def short(rate: float) -> str:
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{rate:.0f}"


def lines(result: results.Result) -> Iterator[str]:
    machine = result.machine
    if machine is None:
        raise results.BadResult("names no machine")
    busy = isinstance(machine.load, float) and machine.load > MOST_LOAD
    yield f"Iterations per second on {machine.processors} CPUs{', beside other work' if busy else ''}:"
    yield f"`{result.command}`, commit {result.commit}, {result.date}."
    yield ""
    heads = [side if side != "default" else runtime for runtime in ENDINGS for side in SIDES]
    yield f"|threads, load|{'|'.join(heads)}|"
    yield "|---" * (len(heads) + 1) + "|"
    for (threads, load), group in rates(result).items():
        figures = (short(group[runtime, side]) for runtime in ENDINGS for side in SIDES)
        yield f"|{threads}, {load}|{'|'.join(figures)}|"


def draw(result: results.Result, file: Path) -> None:
    """Bars on a logarithmic scale, a group for each load and team size."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "muster"
    from matplotlib import pyplot

    groups = rates(result)
    picture, axes = pyplot.subplots(figsize=(8, 3.6))
    width = 0.8 / len(COLORS)
    for place, ((runtime, side), color) in enumerate(COLORS.items()):
        middles = [group + (place - (len(COLORS) - 1) / 2) * width for group in range(len(groups))]
        label = f"Muster on {runtime}" if side == "Muster" else f"{runtime}, {side}"
        axes.bar(middles, [group[runtime, side] for group in groups.values()], width, color=color, label=label)
    axes.set_yscale("log")
    axes.set_ylabel("BARRIER program, iterations/s")
    axes.set_xticks(range(len(groups)), [f"{threads} threads, {load}" for threads, load in groups])
    axes.legend(fontsize="small", ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    picture.tight_layout()
    write_whole(file, svg_of(picture))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chart", action="store_true", help="draw the picture as well")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    result = results.read(DATA)
    before = README.read_text()
    after = PART.sub(lambda marks: marks[1] + "\n".join(lines(result)) + "\n" + marks[2], before)
    if arguments.check:
        print("" if after == before else "README.md does not show docs/results/data/demo.json: campaigns/demo_shown.py")
        return 0 if after == before else 1
    README.write_text(after)
    if arguments.chart:
        draw(result, CHART)
    return 0


if __name__ == "__main__":
    sys.exit(main())
