#!/usr/bin/env python3
"""The coherence simulator against this machine's own two cores: `campaigns/validate.py [--build build/release]`.

Measures the move of a line from one core to the other and what each barrier costs two pinned threads
(bin/pair_overheads), describes a machine of two cores by that move and its clock, and by nothing else that was
measured, and lets bin/coherence say what the barriers should cost there. Exit status 1 where one of them is off by
more than --within, or the order is another.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from lab import results  # noqa: E402
from lab.tables import table  # noqa: E402

TEMPLATE = ROOT / "sim" / "coherence" / "machines" / "pair.toml"


@dataclass(frozen=True)
class Cost:
    barrier: str
    delay_us: float
    measured_ns: float
    modelled_ns: float

    @property
    def ratio(self) -> float:
        return self.modelled_ns / self.measured_ns


def clock_ghz() -> float:
    match = re.search(r"^cpu MHz\s*:\s*([\d.]+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if match is None:
        sys.exit("validate: /proc/cpuinfo names no clock; give --ghz")
    return float(match[1]) / 1000


def describe(template: str, ghz: float, move_ns: float) -> str:
    cycles = round(move_ns * ghz)
    text = re.sub(r"^clock_ghz = [\d.]+", f"clock_ghz = {ghz}", template, flags=re.MULTILINE)
    return re.sub(r"^latency_cycles = \d+", f"latency_cycles = {cycles}", text, flags=re.MULTILINE)


def modelled(program: Path, machine: str, barriers: list[str], delay_us: float, jitter: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pair.toml").write_text(machine)
        words = ["--machines", folder, "--machine", "pair", "--threads", "2", "--episodes", "1000", "--csv"]
        words += ["--barrier", ",".join(barriers), "--delay-us", str(delay_us), "--jitter", str(jitter)]
        text = subprocess.check_output([program, *words], text=True)
    return {row["barrier"]: 1000 * float(row["overhead_us"]) for row in csv.DictReader(io.StringIO(text))}


def misordered(costs: list[Cost], noise: float) -> list[str]:
    """Pairs that the model orders the other way, where the measured difference is more than `noise`."""
    return [
        f"{slow.barrier} before {fast.barrier}"
        for fast in costs
        for slow in costs
        if fast.measured_ns * (1 + noise) < slow.measured_ns and slow.modelled_ns < fast.modelled_ns
    ]


HEAD = ["barrier", "delay_us", "measured_ns", "modelled_ns", "ratio", ""]


def rows_of(costs: list[Cost], within: float) -> list[list[str]]:
    rows = []
    for cost in costs:
        verdict = "" if abs(cost.ratio - 1) <= within else "MISSED"
        figures = [f"{cost.measured_ns:.1f}", f"{cost.modelled_ns:.1f}", f"{cost.ratio:.2f}"]
        rows.append([cost.barrier, f"{cost.delay_us}", *figures, verdict])
    return rows


def print_table(costs: list[Cost], within: float, noise: float) -> bool:
    print(table(HEAD, rows_of(costs, within), {"barrier", ""}))
    good = all(abs(cost.ratio - 1) <= within for cost in costs)
    for delay in sorted({cost.delay_us for cost in costs}):
        wrong = misordered([cost for cost in costs if cost.delay_us == delay], noise)
        print(f"order at {delay} us: {'as measured' if not wrong else 'the model has ' + ', '.join(wrong)}")
        good = good and not wrong
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--rounds", type=int, default=101, help="of measuring")
    parser.add_argument("--measured", type=Path, help="what pair_overheads --csv printed before, instead")
    parser.add_argument("--ghz", type=float, help="the clock, where /proc/cpuinfo is wrong")
    parser.add_argument("--jitter", type=float, default=0.02, help="of the simulated delays")
    parser.add_argument("--within", type=float, default=0.25, help="how far off a cost may be")
    parser.add_argument("--noise", type=float, default=0.05, help="measured differences below it are none")
    results.add_option(parser)
    arguments = parser.parse_args()
    programs = arguments.build.resolve() / "bin"
    if arguments.measured is not None:
        text = arguments.measured.read_text()
    else:
        words = [programs / "pair_overheads", "--rounds", str(arguments.rounds), "--csv"]
        text = subprocess.check_output(words, text=True)
    rows = list(csv.DictReader(io.StringIO(text)))
    move = next(float(row["ns"]) for row in rows if row["what"] == "move")
    ghz = arguments.ghz or clock_ghz()
    print(f"a line moves in {move:.1f} ns; clock {ghz:.2f} GHz")
    machine = describe(TEMPLATE.read_text(), ghz, move)
    costs = []
    for delay in dict.fromkeys(row["delay_us"] for row in rows if row["what"] != "move"):
        measured = {row["what"]: float(row["ns"]) for row in rows if row["delay_us"] == delay}
        measured.pop("move", None)
        ours = modelled(programs / "coherence", machine, list(measured), float(delay), arguments.jitter)
        costs += [Cost(name, float(delay), ns, ours[name]) for name, ns in measured.items()]
    good = print_table(costs, arguments.within, arguments.noise)
    if arguments.json:
        notes = [f"A line moves in {move:.1f} ns; missed: not within {100 * arguments.within:.0f} %."]
        found = results.table_of_words(HEAD, rows_of(costs, arguments.within), "", notes)
        results.leave(arguments.json, "The coherence simulator against two cores", [found])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
