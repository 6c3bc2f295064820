#!/usr/bin/env python3
"""Torture, after the kernel's rcutorture: checked programs under random settings while everything around them changes.

Each run is drawn from a seed: runtime, MUSTER_* settings, what the program does, and what is done to it (disturbing.py).
It must end right, and make progress all the time. A failure is printed with the command that repeats the run.

    run.py --library build/release/lib/libmuster.so                 # a few runs of five seconds
    run.py --library ... --minutes 60 --seconds 20                  # by hand
    run.py --library ... --seed 1234 --runs 1                       # one run again
    run.py --library none ...                                       # stock: checks the programs themselves
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from disturbing import Disturber, threads_of  # noqa: E402

from lab import reports  # noqa: E402
from lab.environment import clean_environment, preload  # noqa: E402
from lab.runtimes import ended_by_known_assertion, is_libgomp, loader_command  # noqa: E402

# Those that have every entry point which today's compilers call.
RUNTIMES = ("libomp19", "libgomp12", "libomp21", "libiomp5", "libgomp14")
BARRIERS = ("fetch-add", "fetch-add-xadd", "dist-counter", "dist-counter-padded", "local-sensor", "dist-sensor",
            "dissemination", "dissemination-or-counter", "tree", "native")  # fmt: skip
WAITS = ("block", "cs", "cs+", "2cs+", "exponential", "uniform", "random", "50us", "0us", "conditional", "yield")
# libomp itself crashes where threads that end have created tasks, also without Muster.
WITHOUT_TASKS = "barriers,loops,combined,singles,nested,settings,orphans,waits,forks,spawns,plugin"


@dataclass(frozen=True)
class Options:
    library: Path | None
    runtimes: Path
    build: Path
    seconds: float
    longest_gap: float


@dataclass(frozen=True)
class Survived:
    """What a run did, and how it failed."""

    failure: str  # empty: none
    steps: int
    replaced: int
    folded: int
    longest_gap: float


def compile_programs(build: Path, runtimes: Path) -> None:
    build.mkdir(parents=True, exist_ok=True)
    for kind, c, cxx in (("clang", "clang-19", "clang++-19"), ("gcc", "gcc", "g++")):
        flags = ["-O2", "-g1", "-fopenmp", "-w"]
        # Linked with any libomp: LD_LIBRARY_PATH chooses at the start.
        library = [f"-L{runtimes / 'libomp19'}"] if kind == "clang" else []
        program = [cxx, *flags, str(HERE / "programs/torture.cpp"), *library, "-o", str(build / f"torture-{kind}")]
        plugin = [c, *flags, "-shared", "-fPIC", str(HERE / "programs/plugin.c"), *library]
        subprocess.run(program, check=True)
        subprocess.run([*plugin, "-o", str(build / f"plugin-{kind}.so")], check=True)


def draw_settings(draw: random.Random, runtime: str) -> dict[str, str]:
    """Half of the runs have Muster's defaults."""
    settings = {"OMP_NUM_THREADS": str(draw.randint(1, 6))}
    if draw.random() < 0.5:
        settings["MUSTER_FORKJOIN"] = draw.choice(("auto", "on", "on", "off"))
        settings["MUSTER_BARRIER"] = draw.choice(("auto", "auto", *BARRIERS))
        settings["MUSTER_WAIT"] = draw.choice(("auto", "auto", *WAITS))
        settings["MUSTER_PLACE"] = draw.choice(("auto", "off"))
        settings["MUSTER_LOOPS"] = draw.choice(("auto", "off"))
        settings["MUSTER_SLICE"] = draw.choice(("auto", "off", "300us"))
        settings["MUSTER_YIELD"] = draw.choice(("auto", "native", "skip", "adaptive"))
    if draw.random() < 0.3:
        settings["OMP_WAIT_POLICY"] = "passive"
    if draw.random() < 0.2 and "gomp" not in runtime:
        settings["KMP_BLOCKTIME"] = draw.choice(("0", "1", "50"))
    if "iomp" in runtime:
        settings["KMP_WARNINGS"] = "off"  # it warns where a process forks while another thread is in a region
    if "gomp" not in runtime:
        settings["TORTURE_ROOT_STEPS"] = WITHOUT_TASKS
    elif "TORTURE_STEPS" in os.environ:
        settings["TORTURE_ROOT_STEPS"] = os.environ["TORTURE_STEPS"]
    return settings | given_steps()


def given_steps() -> dict[str, str]:
    """The caller's own choice of steps has precedence."""
    return {name: value for name, value in os.environ.items() if name.startswith("TORTURE_")}


def where_threads_are(process: int) -> str:
    """For a hang: backtraces by gdb where it is installed, else the kernel's wchan."""
    if shutil.which("gdb"):
        command = ["gdb", "-batch", "-p", str(process), "-ex", "thread apply all backtrace 12"]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
        return "\n".join(line for line in found.splitlines() if line.startswith(("#", "Thread")))
    lines = []
    for thread in threads_of(process):
        place = Path(f"/proc/{process}/task/{thread}")
        lines.append(f"{thread} {(place / 'wchan').read_text()} {(place / 'syscall').read_text().strip()}")
    return "\n".join(lines)


def steps_in(counter: Path) -> int:
    return struct.unpack("<Q", counter.read_bytes())[0]


def follow(process: subprocess.Popen[str], counter: Path, draw: random.Random, options: Options) -> tuple[str, float]:
    """Disturbs the program and monitors its steps until it ends. The failure, and the longest time without a step."""
    disturber = Disturber(process.pid, draw)
    steps, since, longest = 0, time.monotonic(), 0.0
    deadline = since + 4 * options.seconds + options.longest_gap
    next_at = since
    try:
        while process.poll() is None:
            now = time.monotonic()
            if now >= next_at and steps > 0:  # before the first it does not take signals yet
                disturber.disturb()
                next_at = now + draw.uniform(0.02, 0.3)
            if (found := steps_in(counter)) != steps:
                steps, since = found, now
                disturber.stopped_s = 0.0
            gap = now - since - disturber.stopped_s
            longest = max(longest, gap)
            if gap > options.longest_gap or now > deadline:
                what = "no step for" if gap > options.longest_gap else "not over; longest without a step:"
                return f"{what} {longest:.1f} s\n{where_threads_are(process.pid)}", longest
            time.sleep(0.01)
        return "", longest
    finally:
        disturber.end()


def run_once(seed: int, options: Options) -> Survived:
    draw = random.Random(seed)
    present = [name for name in RUNTIMES if (options.runtimes / name).is_dir()]
    runtime = options.runtimes / draw.choice(present)
    settings = draw_settings(draw, runtime.name)
    kind = "gcc" if is_libgomp(runtime) else "clang"
    with tempfile.TemporaryDirectory() as folder:
        counter = Path(folder) / "steps"
        counter.write_bytes(bytes(8))
        report = Path(folder) / "report.json"
        environment = clean_environment() | settings | {"LD_LIBRARY_PATH": str(runtime)}
        if options.library is not None:
            environment |= preload(options.library) | {"MUSTER_REPORT": str(report)}
        command = [*loader_command(runtime), str(options.build / f"torture-{kind}"), str(options.seconds),
                   str(seed), str(options.build / f"plugin-{kind}.so"), str(counter)]  # fmt: skip
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
        )
        failure, gap = follow(process, counter, draw, options)
        if failure:
            # The children that it forked as well, which hold its pipes. No session of its own: the kernel may give each
            # session an equal share of the CPUs, and then the hogs would not disturb.
            os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        if not failure and ended_by_known_assertion(errors):
            print(f"seed {seed}, {runtime.name}: an assertion that stock fails, too", flush=True)
        elif not failure and (process.returncode, out, errors) != (0, "right\n", ""):
            failure = f"status {process.returncode}, {out!r}, {errors[-2000:]!r}"
        if failure:
            shown = " ".join(f"{name}={value}" for name, value in settings.items())
            failure = f"{runtime.name} {shown}: {failure}"
        work = [(reports.replaced(one), reports.folded(one)) for one in reports.read_all(Path(folder))]
        replaced, folded = work[0] if work else (0, 0)
        return Survived(failure, steps_in(counter), replaced, folded, gap)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libmuster.so, or none")
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--build", type=Path, default=ROOT / "build/torture")
    parser.add_argument("--seconds", type=float, default=5.0, help="of one run")
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--minutes", type=float, help="runs for so long, instead of --runs")
    parser.add_argument("--longest-gap", type=float, default=10.0, help="seconds without a step that are a failure")
    given = parser.parse_args()
    library = None if given.library == "none" else Path(given.library).resolve()
    options = Options(library, given.runtimes.resolve(), given.build.resolve(), given.seconds, given.longest_gap)
    compile_programs(options.build, options.runtimes)
    begin = time.monotonic()
    failures = runs = steps = replaced = folded = 0
    longest = 0.0
    while (time.monotonic() - begin < 60 * given.minutes) if given.minutes else runs < given.runs:
        seed = given.seed + runs
        outcome = run_once(seed, options)
        runs += 1
        steps += outcome.steps
        replaced += outcome.replaced
        folded += outcome.folded
        longest = max(longest, outcome.longest_gap)
        if outcome.failure:
            failures += 1
            print(f"FAILED seed {seed}: {outcome.failure}\n  again: {sys.argv[0]} --library {given.library} "
                  f"--seconds {given.seconds} --seed {seed} --runs 1", flush=True)  # fmt: skip
    hours = (time.monotonic() - begin) / 3600
    print(f"{runs} runs in {hours:.3f} h on {len(os.sched_getaffinity(0))} CPUs: {steps} steps, {replaced} arrivals "
          f"replaced, {folded} regions folded, at most {longest:.2f} s without a step; {failures} failed")  # fmt: skip
    if library is not None and runs > 3 and (replaced == 0 or folded == 0):
        print("FAILED: nothing was replaced or nothing folded: the runs prove nothing")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
