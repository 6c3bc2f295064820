#!/usr/bin/env python3
"""The papers' published numbers against ours: `papi-scripts/reproduce.py [--build build/release] [--csv] [ID...]`.

The claims, with the ranges in which ours are accepted, are in claims.csv. Each is computed anew by the built programs; a
miss is printed as a miss, and docs/reproduction.md says why. Exit status 1 where one is missed.
"""

from __future__ import annotations

import argparse
import csv
import functools
import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAPERS_FIVE = ("fetch-add", "dist-counter", "dist-counter-padded", "local-sensor", "dist-sensor")


@dataclass(frozen=True)
class Claim:
    id: str
    source: str
    where: str
    claim: str
    quantity: str
    published: str
    accept: str
    how: str


@dataclass(frozen=True)
class Found:
    """What we have for a claim: a number for its range, or whether what it says holds; and how to say it."""

    text: str
    value: float | None = None
    holds: bool | None = None


class Coherence:
    """Runs bin/coherence, each run once."""

    def __init__(self, build: Path, episodes: int, machines: Path | None = None) -> None:
        self.program = build / "bin" / "coherence"
        self.episodes = episodes
        self.machines = machines
        self._row = functools.cache(self._run)

    def _run(self, machine: str, barrier: str, threads: int) -> dict[str, str]:
        words = ["--machine", machine, "--barrier", barrier, "--threads", str(threads)]
        words += ["--episodes", str(self.episodes), "--csv"]
        if self.machines is not None:
            words += ["--machines", str(self.machines)]
        text = subprocess.check_output([self.program, *words], text=True)
        return next(iter(csv.DictReader(io.StringIO(text))))

    def get(self, machine: str, barrier: str, threads: int, column: str = "overhead_us") -> float:
        return float(self._row(machine, barrier, threads)[column])


def reduction(simulator: Coherence, machine: str, threads: int, barrier: str, against: str) -> Found:
    ours = simulator.get(machine, barrier, threads)
    theirs = simulator.get(machine, against, threads)
    percent = 100 * (1 - ours / theirs)
    return Found(f"{percent:.0f} ({ours:.2f} us against {theirs:.2f})", value=percent)


def order(simulator: Coherence) -> Found:
    times = {barrier: simulator.get("power4-32", barrier, 32) for barrier in PAPERS_FIVE}
    ranked = sorted(times, key=times.__getitem__)
    holds = ranked[:2] == ["dist-sensor", "dist-counter-padded"] and ranked[-1] == "fetch-add"
    return Found(" < ".join(f"{name} {times[name]:.2f}" for name in ranked), holds=holds)


def failures(simulator: Coherence) -> Found:
    passes = [simulator.get("power4-32", "fetch-add", n, "sc_passes") for n in (2, 8, 16, 32)]
    few, many = (simulator.get("power4-32", "fetch-add", n, "sc_fails") for n in (8, 32))
    flat = max(passes) <= 1.1 * min(passes)
    ratio = many / few if few > 0 else float("inf")
    spread = f"passes {min(passes):.2f} to {max(passes):.2f}"
    return Found(f"{spread}; fails {few:.2f} at 8, {many:.2f} at 32: {ratio:.1f} x", holds=flat and ratio > 4)


def padded_misses(simulator: Coherence) -> Found:
    padded, packed = (
        [simulator.get("power4-32", barrier, 32, column) for column in ("misses", "overhead_us")]
        for barrier in ("dist-counter-padded", "dist-counter")
    )
    text = f"padded {padded[0]:.1f} misses, {padded[1]:.2f} us; not {packed[0]:.1f}, {packed[1]:.2f} us"
    return Found(text, holds=padded[0] > packed[0] and padded[1] < packed[1])


def few_threads(simulator: Coherence) -> Found:
    at = {
        n: simulator.get("power4-32", "fetch-add", n) / simulator.get("power4-32", "dist-sensor", n) for n in (4, 32)
    }
    return Found(f"{at[4]:.2f} at 4, {at[32]:.2f} at 32", holds=at[32] > 2 * at[4])


REPRODUCED: dict[str, Callable[[Coherence], Found]] = {
    "Z1": lambda simulator: reduction(simulator, "power4-32", 32, "dist-sensor", "fetch-add"),
    "Z2": lambda simulator: reduction(simulator, "power3-16", 16, "dist-sensor", "fetch-add"),
    "Z3": lambda simulator: reduction(simulator, "power4-32", 32, "dist-sensor", "dist-counter-padded"),
    "Z4": order,
    "Z5": failures,
    "Z6": padded_misses,
    "Z7": few_threads,
}


def is_accepted(claim: Claim, found: Found) -> bool:
    """By the claim's range, or where it has none by what it says."""
    bounds = re.fullmatch(r"([\d.]+?)\.\.([\d.]+)", claim.accept)
    if bounds is None:
        return bool(found.holds)
    return found.value is not None and float(bounds[1]) <= found.value <= float(bounds[2])


def read_claims(text: str) -> list[Claim]:
    return [Claim(**row) for row in csv.DictReader(io.StringIO(text))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="of claims.csv (all that are built)")
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--episodes", type=int, default=200, help="of each simulated run")
    parser.add_argument("--csv", action="store_true", help="for programs to read")
    arguments = parser.parse_args()
    claims = read_claims((HERE / "claims.csv").read_text())
    unknown = set(arguments.ids) - {claim.id for claim in claims}
    if unknown:
        parser.error(f"no claim {', '.join(sorted(unknown))}; there are {', '.join(claim.id for claim in claims)}")
    simulator = Coherence(arguments.build.resolve(), arguments.episodes)
    if not simulator.program.is_file():
        sys.exit(f"reproduce: {simulator.program} is missing; run ./bootstrap build first")
    writer = csv.writer(sys.stdout)
    if arguments.csv:
        writer.writerow(("id", "published", "ours", "accepted", "verdict"))
    missed = 0
    for claim in claims:
        if arguments.ids and claim.id not in arguments.ids:
            continue
        if claim.id not in REPRODUCED:
            verdict, text = "not built", ""
        else:
            found = REPRODUCED[claim.id](simulator)
            accepted = is_accepted(claim, found)
            missed += not accepted
            verdict, text = ("reproduced" if accepted else "MISSED"), found.text
        if arguments.csv:
            writer.writerow((claim.id, claim.published, text, claim.accept, verdict))
        else:
            print(f"{claim.id:4} {verdict:10}  {claim.claim}")
            print(f"     {claim.quantity}: published {claim.published}, accepted {claim.accept}, ours {text}")
        sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
