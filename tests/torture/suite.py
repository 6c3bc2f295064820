"""Torture, after the kernel's rcutorture: checked programs under random settings while everything around them changes.

Each run is drawn from a seed, which its name has: runtime, MUSTER_* settings, what the program does, and what is done to
it (disturbing.py). It must end right, and make progress all the time.

    tests/run.py torture                                        # a few runs of three seconds
    tests/run.py torture --minutes 60 --set seconds=20          # by hand: one seed after the other
    tests/run.py torture.1234                                   # one run again
    tests/run.py torture --library none                         # stock: checks the programs themselves
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from disturbing import Disturber, threads_of

from driver.entries import Entry
from driver.places import Places
from lab import reports
from lab.compilers import CLANG, GCC, build_once, installed
from lab.environment import clean_environment, preload
from lab.runtimes import ended_by_known_assertion, is_libgomp, loader_command

HERE = Path(__file__).resolve().parent
# Those that have every entry point which today's compilers call.
RUNTIMES = ("libomp19", "libgomp12", "libomp21", "libiomp5", "libgomp14")
LISTED = 6  # seeds that ctest runs
SECONDS = 3.0  # of one run
LONGEST_GAP = 10.0  # seconds without a step that are a failure
# libomp itself crashes where threads that end have created tasks, also without Muster.
WITHOUT_TASKS = "barriers,loops,combined,singles,nested,settings,orphans,waits,forks,spawns,plugin"


def entries(places: Places) -> Iterator[Entry]:
    """Not in the gate: what happens depends on the moment."""
    return itertools.islice(more(places), LISTED)


def more(_: Places) -> Iterator[Entry]:
    return (Entry(f"torture.{seed}", full=True, alone=True) for seed in itertools.count(1))


def compile_programs(kind: str, places: Places) -> tuple[Path, Path]:
    """Linked with any libomp: LD_LIBRARY_PATH chooses at the start."""
    compilers, library = (CLANG, [f"-L{places.runtimes / 'libomp19'}"]) if kind == "clang" else (GCC, [])
    folder = places.programs("torture")
    program, plugin = folder / f"torture-{kind}", folder / f"plugin-{kind}.so"
    flags = ["-O2", "-g1", "-fopenmp", "-w"]
    source = HERE / "programs/torture.cpp"
    build_once(program, [[installed(compilers[1]), *flags, source, *library, "-o", program]], source)
    source = HERE / "programs/plugin.c"
    build_once(plugin, [[installed(compilers[0]), *flags, "-shared", "-fPIC", source, *library, "-o", plugin]], source)
    return program, plugin


def draw_settings(draw: random.Random, runtime: str, places: Places) -> dict[str, str]:
    """Half of the runs have Muster's defaults."""
    settings = {"OMP_NUM_THREADS": str(draw.randint(1, 6))}
    if draw.random() < 0.5:
        settings["MUSTER_FORKJOIN"] = draw.choice(("auto", "on", "on", "off"))
        settings["MUSTER_BARRIER"] = draw.choice(("auto", *places.values_of("MUSTER_BARRIER")))
        settings["MUSTER_WAIT"] = draw.choice([wait for wait in places.values_of("MUSTER_WAIT") if wait != "spin"])
        settings["MUSTER_PLACE"] = draw.choice(("auto", "off"))
        settings["MUSTER_LOOPS"] = draw.choice(("auto", "off"))
        settings["MUSTER_SLICE"] = draw.choice(("auto", "off", "300us"))
        settings["MUSTER_YIELD"] = draw.choice(("auto", "native", "adaptive"))
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


def follow(process: subprocess.Popen[str], counter: Path, draw: random.Random, seconds: float) -> str:
    """Disturbs the program and monitors its steps until it ends. The failure."""
    disturber = Disturber(process.pid, draw)
    steps, since = 0, time.monotonic()
    deadline = since + 4 * seconds + LONGEST_GAP
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
            if gap > LONGEST_GAP or now > deadline:
                what = "no step" if gap > LONGEST_GAP else "not over"
                return f"{what} for {gap:.1f} s\n{where_threads_are(process.pid)}"
            time.sleep(0.01)
        return ""
    finally:
        disturber.end()


def run(places: Places, name: str) -> str:
    """Empty, or how the run failed."""
    seed, seconds = int(name.split(".")[1]), float(places.settings.get("seconds", SECONDS))
    draw = random.Random(seed)
    runtime = places.runtimes / draw.choice([runtime for runtime in RUNTIMES if places.has(runtime)])
    settings = draw_settings(draw, runtime.name, places)
    program, plugin = compile_programs("gcc" if is_libgomp(runtime) else "clang", places)
    with tempfile.TemporaryDirectory(prefix="muster-torture-") as folder:
        counter = Path(folder) / "steps"
        counter.write_bytes(bytes(8))
        environment = clean_environment() | settings | {"LD_LIBRARY_PATH": str(runtime)}
        if places.library is not None:
            environment |= preload(places.library) | {"MUSTER_REPORT": f"{folder}/report.json"} | places.extra
        command = [*loader_command(runtime), program, str(seconds), str(seed), plugin, counter]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
        )
        failure = follow(process, counter, draw, seconds)
        if failure:
            # The children that it forked as well, which hold its pipes. No session of its own: the kernel may give each
            # session an equal share of the CPUs, and then the hogs would not disturb.
            os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        if not failure and ended_by_known_assertion(errors):
            print(f"seed {seed}, {runtime.name}: an assertion that stock fails, too", flush=True)
        elif not failure and (process.returncode, out, errors) != (0, "right\n", ""):
            failure = f"status {process.returncode}, {out!r}, {errors[-2000:]!r}"
        work = [(reports.replaced(one), reports.folded(one)) for one in reports.read_all(Path(folder))]
        replaced, folded = work[0] if work else (0, 0)
        print(f"{runtime.name}: {steps_in(counter)} steps, {replaced} arrivals replaced, {folded} regions folded")
    shown = " ".join(f"{variable}={value}" for variable, value in settings.items())
    return f"{runtime.name} {shown}: {failure}" if failure else ""
