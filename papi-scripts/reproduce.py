#!/usr/bin/env python3
"""The papers' published numbers against ours: `papi-scripts/reproduce.py [--build build/release] [--csv] [ID...]`.

The claims, with the ranges in which ours are accepted, are in claims.csv; claims/ has a module a paper. Each is
computed by the built programs, whose outputs are kept (lab/campaign.py). A miss is printed as a miss, and
docs/results/notes says why. What this machine cannot run is unavailable. Exit status 1 where one is missed or fails,
130 where interrupted.

In --output it leaves reproduced.json (reproduction/schema.json) and reproduced.html, a page for readers who have not
read the papers: all claims, with what each depends on, and this machine. The page needs jinja2 to be made.
"""

from __future__ import annotations

import argparse
import csv
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from claims import PAPERS, module_of  # noqa: E402
from claims.claim import Claim, Context, Found, Rows, Unavailable, is_accepted, read_claims  # noqa: E402
from reproduction import page, record  # noqa: E402

from lab.campaign import CampaignError, add_options, positive  # noqa: E402
from lab.commit import commit  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import Column, Table, add_option, leave  # noqa: E402
from lab.whole_file import write_whole  # noqa: E402

REPRODUCED, MISSED, UNAVAILABLE, FAILED, NOT_BUILT = "reproduced", "MISSED", "unavailable", "FAILED", "not built"


@dataclass(frozen=True)
class Result:
    claim: Claim
    verdict: str
    text: str
    beside: str = ""


def functions() -> dict[str, Callable[[Context], Found | Rows]]:
    """Of all papers, by the claim's id."""
    modules = [module for module in map(module_of, PAPERS) if module is not None]
    return {name: function for module in modules for name, function in module.REPRODUCED.items()}


def result_of(claim: Claim, found: Found | Unavailable) -> Result:
    if isinstance(found, Unavailable):
        return Result(claim, UNAVAILABLE, str(found))
    text = f"{found.text} (measured here)" if found.measured else found.text
    return Result(claim, REPRODUCED if is_accepted(claim, found) else MISSED, text, found.beside)


def results_of(claim: Claim, function: Callable[[Context], Found | Rows] | None, context: Context) -> list[Result]:
    """One, or a row each."""
    if function is None:
        return [Result(claim, NOT_BUILT, "")]
    try:
        found = function(context)
    except Unavailable as error:
        found = error
    except CampaignError as error:
        return [Result(claim, FAILED, str(error))]
    rows = [found] if isinstance(found, Found | Unavailable) else found
    return [result_of(claim, row) for row in rows]


def results(claims: list[Claim], context: Context) -> Iterator[Result]:
    found = functions()
    for claim in claims:
        yield from results_of(claim, found.get(claim.id), context)


def missing_program(claims: list[Claim], context: Context) -> str | None:
    for paper in dict.fromkeys(claim.paper for claim in claims):
        module = module_of(paper)
        for name in module.PROGRAMS if module is not None else ():
            if not context.campaign.program(name).is_file():
                return f"{context.campaign.program(name)} is missing; run ./bootstrap build first"
    return None


def read_arguments() -> tuple[argparse.Namespace, list[Claim]]:
    parser = argparse.ArgumentParser(
        prog="reproduce", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="of claims.csv (all)")
    parser.add_argument(
        "--paper", action="append", default=[], metavar="NAME", help="all of this paper; may be repeated"
    )
    parser.add_argument("--episodes", type=positive, default=200, metavar="N", help="of each coherence run (200)")
    parser.add_argument("--csv", action="store_true", help="for programs to read")
    parser.add_argument(
        "--output", type=Path, default=Path("reproduced"), metavar="DIR", help="of the page and its JSON (reproduced)"
    )
    add_option(parser)
    add_options(parser)
    arguments = parser.parse_args()
    claims = read_claims()
    for kind, asked, known in (
        ("claim", arguments.ids, [claim.id for claim in claims]),
        ("paper", arguments.paper, list(PAPERS)),
    ):
        unknown = sorted(set(asked) - set(known))
        if unknown:
            parser.error(f"no {kind} {', '.join(unknown)}; there are {', '.join(known)}")
    if arguments.ids or arguments.paper:
        claims = [claim for claim in claims if claim.id in arguments.ids or claim.paper in arguments.paper]
    return arguments, claims


def show(result: Result) -> None:
    claim = result.claim
    print(f"{claim.id:4} {result.verdict:10}  {claim.claim}")
    line = f"     {claim.quantity}: published {claim.published}, accepted {claim.accept}, ours {result.text}"
    print(line.rstrip())
    if result.beside:
        print(f"     beside: {result.beside}")
    sys.stdout.flush()


COLUMNS = ("claim", "verdict", "what", "quantity", "published", "accepted", "ours", "beside")


def table_of(results: list[Result]) -> Table:
    """Without the last column where nothing was found beside."""
    names = COLUMNS if any(result.beside for result in results) else COLUMNS[:-1]
    rows = []
    for result in results:
        claim = result.claim
        row = (claim.id, result.verdict.lower(), claim.claim, claim.quantity, claim.published, claim.accept)
        rows.append([*row, result.text, result.beside or None][: len(names)])
    return Table([Column(name) for name in names], rows)


def leave_for_others(folder: Path, found: list[Result]) -> None:
    document = record.document(read_claims(), found, commit())
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "reproduced.json", record.as_text(document))
    try:
        write_whole(folder / "reproduced.html", page.page(document))
    except ImportError as error:
        print(f"reproduce: no page: {error} (Debian: python3-jinja2)", file=sys.stderr)


def main() -> int:
    arguments, claims = read_arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the runs end with us
    progress = Progress()
    context = Context(
        arguments.build.resolve(), arguments.jobs, progress, arguments.campaigns, episodes=arguments.episodes
    )
    missing = missing_program(claims, context)
    if missing is not None:
        sys.exit(f"reproduce: {missing}")
    writer = csv.writer(sys.stdout)
    if arguments.csv:
        writer.writerow(("id", "published", "ours", "accepted", "verdict"))
    found = []
    try:
        for result in results(claims, context):
            progress.clear()
            found.append(result)
            if arguments.csv:
                claim = result.claim
                ours = "; beside: ".join(filter(None, (result.text, result.beside)))
                writer.writerow((claim.id, claim.published, ours, claim.accept, result.verdict))
                sys.stdout.flush()
            else:
                show(result)
    except KeyboardInterrupt as error:
        progress.clear()
        sys.stdout.flush()
        print(f"reproduce: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130
    try:
        leave_for_others(arguments.output, found)
    except OSError as error:
        print(f"reproduce: {error.filename or arguments.output}: {error.strerror}", file=sys.stderr)
        return 1
    if arguments.json:
        measured = any("measured here" in result.text + result.beside for result in found)
        leave(arguments.json, "Claims", [table_of(found)], simulated=not measured)
    return 1 if {MISSED, FAILED} & {result.verdict for result in found} else 0


if __name__ == "__main__":
    sys.exit(main())
