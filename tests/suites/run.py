#!/usr/bin/env python3
"""Public OpenMP test suites, stock against preloaded. See README.md here.

    run.py --suite libomp --fetch
    run.py --suite programs --source DIR --settings default,on,block --jobs 2 --sample 50
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from case import Case, Suite  # noqa: E402
from executing import Places, execute, write_programs  # noqa: E402
from fetching import FetchError  # noqa: E402
from recipes import SUITES  # noqa: E402
from table import REPETITIONS, SETTINGS, CaseResult, Rates, failure_lines, summary, verdict  # noqa: E402

from lab.results import add_option, leave, table_of_markdown  # noqa: E402


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=SUITES, required=True)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--source", type=Path, metavar="DIR", help="the suite, where it is")
    place.add_argument("--fetch", action="store_true", help="from Debian, into build/suites: libomp, libgomp")
    parser.add_argument("--settings", default=",".join(SETTINGS), help=f"some of {', '.join(SETTINGS)} (default: all)")
    parser.add_argument("--library", default=str(ROOT / "build/release/lib/libmuster.so"), help="or `none`: stock twice")
    parser.add_argument("--runtime", type=Path, metavar="DIR", help="a folder of tests/runtimes/fetch.py")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, metavar="K", help="only K cases, at equal distances")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--threads", type=int, default=4, help="OMP_NUM_THREADS")
    parser.add_argument("--timeout", type=float, metavar="SECONDS")
    parser.add_argument("--stock-failures", action="store_true", help="print what fails stock as well, and why")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work there, and leave everything")
    parser.add_argument("--list", action="store_true", help="print the cases and their scripts, run nothing")
    add_option(parser)
    return parser.parse_args()


def sampled(cases: list[Case], count: int | None) -> list[Case]:
    if count is None or count >= len(cases):
        return cases
    return [cases[i * len(cases) // count] for i in range(count)]


def check(case: Case, places: Places, settings: list[str]) -> CaseResult:
    result = CaseResult(case, execute(case, places, None))
    if result.stock.passed:
        result.outcomes = {name: execute(case, places, SETTINGS[name]) for name in settings}
    return result


def repeat(result: CaseResult, places: Places, settings: list[str]) -> None:
    """Repeats what failed, stock or preloaded, with nothing else of this suite running."""
    failed = [name for name in settings if result.failed(name)]
    if not failed or (not result.stock.passed and not execute(result.case, places, None).passed):
        return
    for name in failed:
        ours = [execute(result.case, places, SETTINGS[name]).passed for _ in range(REPETITIONS)]
        stock = [execute(result.case, places, None).passed for _ in range(REPETITIONS)]
        result.rates[name] = Rates(sum(ours), sum(stock))


def source_of(suite: Suite, arguments: argparse.Namespace) -> Path:
    if arguments.source is not None:
        if not arguments.source.is_dir():
            raise FetchError(f"no folder {arguments.source}")
        return arguments.source.resolve()
    if suite.fetch is None:
        raise FetchError(f"{suite.name} is in no registry: give --source, {suite.where}")
    folder = ROOT / "build" / "suites" / suite.name
    folder.mkdir(parents=True, exist_ok=True)
    return suite.fetch(folder)


def run(arguments: argparse.Namespace, suite: Suite, cases: list[Case], work: Path) -> int:
    settings = arguments.settings.split(",")
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    places = Places(library, work.resolve(), arguments.runtime, arguments.timeout or suite.timeout, arguments.threads)
    write_programs(places.programs)
    begin = time.monotonic()
    results: list[CaseResult] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda case: check(case, places, settings), cases):
            results.append(result)
            if len(results) % 50 == 0:
                print(f"{len(results)}/{len(cases)}", flush=True)
    for result in results:
        repeat(result, places, settings)
        if arguments.stock_failures and not result.stock.passed:
            print(f"stock fails: {result.case.name}: {result.stock.describe()}", flush=True)
        for name in settings:
            for line in failure_lines(result, name, places):
                print(line, flush=True)
    print(f"{time.monotonic() - begin:.0f} s")
    text = summary(suite, results, settings)
    print(text)
    if arguments.json:
        leave(arguments.json, f"Public suites: {suite.name}", [table_of_markdown(text)])
    problems = verdict(suite, results, settings) if library is not None else []
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


def main() -> int:
    arguments = parse_arguments()
    suite = SUITES[arguments.suite]
    unknown = set(arguments.settings.split(",")) - set(SETTINGS)
    if unknown:
        print(f"run.py: --settings: no {', '.join(sorted(unknown))}; known: {', '.join(SETTINGS)}", file=sys.stderr)
        return 2
    if not arguments.list and arguments.library != "none" and not Path(arguments.library).is_file():
        print(f"run.py: no library {arguments.library}", file=sys.stderr)
        return 2
    try:
        cases = suite.find(source_of(suite, arguments))
    except FetchError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    cases = sampled([case for case in cases if arguments.filter in case.name], arguments.sample)
    if not cases:
        print(f"run.py: no tests of {suite.name} found there", file=sys.stderr)
        return 2
    if arguments.list:
        for case in cases:
            print(f"{case.name}:\n{case.script}\n")
        return 0
    if arguments.keep is not None:
        return run(arguments, suite, cases, arguments.keep)
    with tempfile.TemporaryDirectory(prefix="muster-suite-") as work:
        return run(arguments, suite, cases, Path(work))


if __name__ == "__main__":
    sys.exit(main())
