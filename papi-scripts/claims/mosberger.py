"""Mosberger, "Affinity ueber alles": M1 to M3, measured on this machine."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import statistics
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from claims.claim import Context, Found, Unavailable
from lab.campaign import CampaignError
from lab.environment import clean_environment, preload
from lab.hogs import hogs
from lab.machine import cpus

PROGRAMS = ("test-yield", "barrier", "burner")
SECONDS = 2.0
YIELDS = 100_000
ROUNDS = 3
TEAMS = (2, 4)
HOGS = 2

# <linux/seccomp.h>, <linux/filter.h>
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD_CALL, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
KILL, ALLOW = 0x80000000, 0x7FFF0000


def library(context: Context, name: str) -> Path:
    path = context.build / "lib" / name
    if not path.is_file():
        raise CampaignError(f"{path} is missing; run ./bootstrap build first")
    return path


def run(context: Context, program: str, words: list[str], **keywords: object) -> dict:
    done = subprocess.run(
        [context.campaign.program(program), *words, "--format", "json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        **keywords,  # type: ignore[call-overload]
    )
    if done.returncode != 0:
        raise CampaignError(f"{program}: exit status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def busy(context: Context) -> Found:
    """His program, a thread a CPU. His was a machine of two."""
    if cpus() < 2:
        raise Unavailable("one processor")
    used = [
        run(context, "test-yield", ["--threads", "2", "--seconds", f"{SECONDS:g}"])["cpu_percent"]
        for _ in range(ROUNDS)
    ]
    middle = statistics.median(used)
    return Found(f"{middle:.0f} ({min(used):.0f} to {max(used):.0f})", value=middle, holds=True, measured=True)


def yield_number() -> int:
    numbers = {"x86_64": 24, "aarch64": 124, "ppc64le": 158}
    machine = os.uname().machine
    if machine not in numbers:
        raise Unavailable(f"the number of sched_yield on {machine} is not known here")
    return numbers[machine]


def forbid_yields(number: int) -> None:
    """For a child: the kernel kills it at its first sched_yield."""
    instructions = ((LOAD_CALL, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, number), (RETURN, 0, 0, KILL), (RETURN, 0, 0, ALLOW))
    program = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    kept = ctypes.create_string_buffer(program)
    filter_ = struct.pack("HxxxxxxP", 4, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        os._exit(99)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_) != 0:
        os._exit(99)


def forbidden(context: Context, preloaded: Path | None) -> int:
    """test-yield's exit status where no yield may reach the kernel."""
    number = yield_number()
    return subprocess.run(
        [context.campaign.program("test-yield"), "--threads", "2", "--yields", str(YIELDS)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=clean_environment(keep=["LD_LIBRARY_PATH"]) | preload(preloaded),
        preexec_fn=lambda: forbid_yields(number),  # noqa: PLW1509
    ).returncode


def no_op(context: Context) -> Found:
    """Where one call reaches the kernel, the program is killed; without the preloaded function it must be."""
    status = forbidden(context, None)
    if status != -signal.SIGSYS:
        raise Unavailable(f"no seccomp here: test-yield ended with {status}")
    status = forbidden(context, library(context, "libromp.so"))
    if status not in (0, -signal.SIGSYS):
        raise CampaignError(f"test-yield under libromp.so: exit status {status}")
    passed = 0 if status == 0 else 1
    return Found(f"{'0' if passed == 0 else 'at least 1'} of {2 * YIELDS:,}", value=passed, measured=True)


def beside_hogs(context: Context) -> Found:
    """The BARRIER program with two hogs, interleaved; as stock, and with Muster's defaults."""
    stock = clean_environment(keep=["LD_LIBRARY_PATH"])
    muster = stock | preload(library(context, "libmuster.so"))
    ratios: dict[int, list[float]] = {team: [] for team in TEAMS}
    for _ in range(ROUNDS):
        for team in TEAMS:
            rates = [beside(context, team, environment) for environment in (stock, muster)]
            ratios[team].append(rates[1] / rates[0])
    middles = {team: statistics.median(found) for team, found in ratios.items()}
    text = ", ".join(f"{team} threads {middle:,.1f} x" for team, middle in middles.items())
    return Found(text, values=tuple(middles.values()), measured=True)


def beside(context: Context, team: int, environment: dict[str, str]) -> float:
    with hogs(HOGS, context.campaign.program("burner")):
        words = ["--threads", str(team), "--seconds", f"{SECONDS:g}", "--margin", "0.3"]
        return run(context, "barrier", words, env=environment)["iterations_per_s"]


REPRODUCED: dict[str, Callable[[Context], Found]] = {"M1": busy, "M2": no_op, "M3": beside_hogs}
