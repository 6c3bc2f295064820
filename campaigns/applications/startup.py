"""What preloading costs Python at its start, with everything imported that the recipes use."""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from pathlib import Path

from lab.environment import clean_environment, preload
from lab.runs import ends_within

MODULES = ("numpy", "sklearn.ensemble", "sklearn.cluster", "lightgbm", "xgboost", "faiss", "torch")
# Debian's torch goes with the venv's other modules when it is looked for last.
LOOK = "import sys; sys.path.append('/usr/lib/python3/dist-packages'); "
MOST_DIFFERENCE = 0.005  # seconds
LIMIT = 120.0


def importable(python: Path, module: str) -> bool:
    command = [str(python), "-c", f"{LOOK}import {module}"]
    return subprocess.run(command, capture_output=True, env=clean_environment(), check=False).returncode == 0


def seconds_of(python: Path, modules: list[str], library: Path | None) -> tuple[float, float]:
    """Of the clock, and of CPUs."""
    environment = clean_environment() | preload(library)
    command = [str(python), "-c", LOOK + "".join(f"import {module}; " for module in modules)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ended = ends_within(process.pid, LIMIT)
        seconds = time.perf_counter() - began
    finally:
        process.kill()
        process.wait()
    if not ended or process.returncode != 0:
        side = "preloaded" if library else "stock"
        raise RuntimeError(f"{side}: {f'status {process.returncode}' if ended else f'no end after {LIMIT:.0f} s'}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(python: Path, library: Path, repetitions: int) -> tuple[str, bool]:
    """The text, and whether the difference is small enough."""
    modules = [module for module in MODULES if importable(python, module)]
    left_out = [module for module in MODULES if module not in modules]
    sides: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    seconds_of(python, modules, None)  # reads the files
    for repetition in range(repetitions):
        for preloaded in (repetition % 2 == 1, repetition % 2 == 0):
            sides[preloaded].append(seconds_of(python, modules, library if preloaded else None))
    stock, muster = (statistics.median(seconds for seconds, _ in sides[side]) for side in (False, True))
    stock_cpu, muster_cpu = (statistics.median(cpu for _, cpu in sides[side]) for side in (False, True))
    pairs = sorted(muster - stock for (stock, _), (muster, _) in zip(sides[False], sides[True], strict=True))
    difference = statistics.median(pairs)
    low, _, high = statistics.quantiles(pairs, n=4, method="inclusive") if len(pairs) > 1 else (pairs[0],) * 3
    verdict = "reached" if difference <= MOST_DIFFERENCE else "MISSED"
    lines = [
        f"python -c 'import {', '.join(modules)}', {repetitions} pairs of interleaved runs:",
        f"stock {1000 * stock:.1f} ms, preloaded {1000 * muster:.1f} ms; median difference of pairs "
        f"{1000 * difference:+.1f} ms (quartiles {1000 * low:+.1f} to {1000 * high:+.1f})",
        f"CPU time: stock {1000 * stock_cpu:.1f} ms, preloaded {1000 * muster_cpu:.1f} ms",
        f"at most {1000 * MOST_DIFFERENCE:.0f} ms: {verdict}",
    ]
    if left_out:
        lines.append(f"left out, because they cannot be imported: {', '.join(left_out)}")
    return "\n".join(lines), difference <= MOST_DIFFERENCE
