#!/usr/bin/env python3
"""What reports cost: Muster without a report, with one, with call sites and with a timeline, interleaved.

EPCC's syncbench (BARRIER and PARALLEL FOR), barriers and regions at a grain of 10 us, and applications of
campaigns/applications that are installed, on an idle machine. Each round runs each program in each setting, in a new
random order; a table has the medians, their ratios to Muster without a report, with 95 % confidence intervals, and the
bars of what a report may cost. An application's time is that of its process, with the writing of the report. A bar inside
the interval is undecided. Exit status 1 where one is missed or a run fails. Needs scipy.

    campaigns/report_costs.py [--build build/release] [--rounds 20] [--minutes 7] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "applications")]

import paired_runs  # noqa: E402
from recipe import BadResult, Place, Recipe  # noqa: E402
from recipes import RECIPES  # noqa: E402

from lab import bench, results, runs, tables  # noqa: E402
from lab.environment import clean_environment, preload  # noqa: E402
from lab.statistics import ratio  # noqa: E402

OFF = "no report"
SETTINGS: dict[str, tuple[str, ...]] = {  # the variables that name a file
    OFF: (),
    "report": ("MUSTER_REPORT",),
    "sites": ("MUSTER_REPORT", "MUSTER_SITES"),
    "timeline": ("MUSTER_TIMELINE",),
}
CONSTRUCTS = ("BARRIER", "PARALLEL_FOR")
GRAIN_US = 10
APPLICATIONS = ("primecount", "graphicsmagick")
MOST_NS = {"sites": 5.0}  # of a barrier
MOST_RATIO = {"sites": 1.02, "timeline": 1.05}  # of a program at that grain


class RunError(Exception):
    pass


@dataclass(frozen=True)
class Program:
    """What is run, and the times by name that a run gives, in nanoseconds."""

    run: Callable[[Mapping[str, str]], dict[str, float]]
    has: Mapping[str, str]  # the names, and what takes that time
    most_ratio: Mapping[str, float]
    most_ns: Mapping[str, float]


class Programs:
    def __init__(self, build: Path, threads: int, seconds: float, folder: Path) -> None:
        self.bench = bench.Bench(build, ("syncbench", "barrier", "parallel_for"))
        self.threads = threads
        self.seconds = seconds
        self.folder = folder

    def output(self, program: str, words: list[str], settings: Mapping[str, str]) -> dict:
        text = self.bench.output(program, [*words, "--format", "json"], True, **settings)
        if text is None:
            raise RunError(self.bench.failures[-1])
        return json.loads(text)

    def syncbench(self) -> Program:
        def run(settings: Mapping[str, str]) -> dict[str, float]:
            repetitions = max(2, round(self.seconds * 1000 / len(CONSTRUCTS)))  # of 1 ms
            words = ["--measureonly", ",".join(CONSTRUCTS), "--outer-repetitions", str(repetitions)]
            found = self.output("syncbench", words, settings | {"OMP_NUM_THREADS": str(self.threads)})["benchmarks"]
            return {f"syncbench {each['name']}": each["time_us"]["median"] * 1e3 for each in found}

        has = {f"syncbench {name}": "barrier" if name == "BARRIER" else "region" for name in CONSTRUCTS}
        return Program(run, has, {}, MOST_NS)

    def grain(self, program: str, unit: str) -> Program:
        name = f"{program}, {GRAIN_US} us"

        def run(settings: Mapping[str, str]) -> dict[str, float]:
            words = ["--seconds", str(self.seconds), "--interval", str(GRAIN_US), "--threads", str(self.threads)]
            found = self.output(program, words, settings)
            return {name: 1e9 / found["iterations_per_s"] / found.get("barriers_per_iteration", 1)}

        return Program(run, {name: unit}, MOST_RATIO, {})

    def application(self, recipe: Recipe) -> Program:
        inputs = self.folder / recipe.name
        inputs.mkdir()
        recipe.prepare(inputs)

        def run(settings: Mapping[str, str]) -> dict[str, float]:
            with tempfile.TemporaryDirectory(dir=self.folder) as work:
                place = Place(inputs, Path(work), self.threads, self.folder)
                environment = clean_environment() | preload(self.bench.library) | recipe.environment | settings
                environment["OMP_NUM_THREADS"] = str(self.threads)
                begin = time.perf_counter()
                ended = runs.run(recipe.command(place), environment, self.bench.limit, place.work, own_session=False)
                took_ns = (time.perf_counter() - begin) * 1e9
                if ended.status != 0:
                    raise RunError(f"{recipe.name}: {ended.describe()}")
                try:
                    problem = recipe.wrong(recipe.result(place, ended.stdout))
                except BadResult as error:
                    problem = str(error)
            if problem:
                raise RunError(f"{recipe.name}: {problem}")
            return {recipe.name: took_ns}

        return Program(run, {recipe.name: "run"}, {}, {})


def variables_of(setting: str, folder: Path) -> dict[str, str]:
    files = {"MUSTER_REPORT": str(folder / "report.json"), "MUSTER_TIMELINE": str(folder / "timeline.json")}
    return {name: files.get(name, "on") for name in SETTINGS[setting]}


Times = dict[tuple[str, str], list[float]]  # by what is measured and the setting, nanoseconds


def measure(programs: list[Program], rounds: int, minutes: float, folder: Path) -> tuple[Times, int]:
    """Whole rounds only, and none that would end too late, but one at least."""
    times: Times = {}
    begin, longest = time.monotonic(), 0.0
    for number in range(rounds):
        began = time.monotonic()
        if number > 0 and began - begin + longest > minutes * 60:
            return times, number
        for program in random.sample(programs, len(programs)):
            for setting in random.sample(list(SETTINGS), len(SETTINGS)):
                for name, ns in program.run(variables_of(setting, folder)).items():
                    times.setdefault((name, setting), []).append(ns)
        longest = max(longest, time.monotonic() - began)
        bench.say("report_costs", f"round {number + 1}/{rounds} took {time.monotonic() - began:.1f} s")
    return times, rounds


HEAD = ["program", "time of a", "unit", OFF, "with", "ratio", "interval", "more", "bar"]


def rows_of(programs: list[Program], times: Times, verdicts: paired_runs.Verdicts) -> list[list[str]]:
    rows = []
    for program in programs:
        for name, unit in program.has.items():
            base = statistics.median(times[name, OFF])
            shown_unit, scale = ("ms", 1e-6) if unit == "run" else ("ns", 1.0)
            for setting in list(SETTINGS)[1:]:
                found = ratio(times[name, setting], times[name, OFF])
                bar = program.most_ratio.get(setting)
                if unit == "barrier" and setting in program.most_ns:
                    bar = 1 + program.most_ns[setting] / base
                interval = f"{found.low:.3f} to {found.high:.3f}"
                more = f"{(found.value - 1) * base * scale:,.1f}"
                of_off = [name, unit, shown_unit, f"{base * scale:,.1f}"]
                rows.append([*of_off, setting, f"{found.value:.3f}", interval, more, verdicts.judge(found, bar)])
    return rows


def chosen_applications(names: list[str]) -> list[Recipe]:
    known = {recipe.name: recipe for recipe in RECIPES}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"report_costs: no application {', '.join(unknown)}; there are {', '.join(known)}")
    found = [known[name] for name in names if all(map(shutil.which, known[name].programs)) and not known[name].pypi]
    for name in {*names} - {recipe.name for recipe in found}:
        bench.say("report_costs", f"{name} is left out: it is not installed, or needs packages of PyPI")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=7, help="begin no round that would end later (7)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a run of syncbench, barrier, parallel_for (0.5)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--applications", nargs="*", default=list(APPLICATIONS), metavar="NAME")
    results.add_option(parser)
    arguments = parser.parse_args()
    ratio([1.0], [1.0])  # needs scipy: fails now, not after the runs
    bench.warn_if_busy("report_costs")
    verdicts = paired_runs.Verdicts()
    with tempfile.TemporaryDirectory(prefix="muster-report-costs-") as folder:
        made = Programs(arguments.build, arguments.threads, arguments.seconds, Path(folder))
        programs = [made.syncbench(), made.grain("barrier", "barrier"), made.grain("parallel_for", "region")]
        try:
            programs += [made.application(recipe) for recipe in chosen_applications(arguments.applications)]
            times, rounds = measure(programs, arguments.rounds, arguments.minutes, Path(folder))
        except RunError as error:
            sys.exit(f"report_costs: {error}")
    rows = rows_of(programs, times, verdicts)
    legend = (
        f"{arguments.threads} threads, medians of {rounds} rounds. \"more\" follows from the ratio: where the interval of "
        "that holds 1, no difference was seen."
    )
    print(tables.table(HEAD, rows, {"program", "time of a", "unit", "with", "interval", "bar"}, groups=1))
    print(legend)
    if arguments.json:
        found = results.table_of_words(HEAD, rows, notes=[legend])
        raw = [{"of": name, "setting": setting, "ns": values} for (name, setting), values in times.items()]
        results.leave(arguments.json, "What reports cost", [found], raw=raw)
    return verdicts.conclude()


if __name__ == "__main__":
    sys.exit(main())
