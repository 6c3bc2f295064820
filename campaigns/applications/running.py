"""One run of an application, in one setting, beside its load. Whatever happens, it ends and has an outcome."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from muster_report import summary
from recipe import BadResult, Place, Recipe

from lab.environment import clean_environment, preload
from lab.hogs import hogs
from lab.quota import Quota
from lab.runs import end_with_parent, ends_within, how_it_ended, start_child

OK = "ok"
NO_END = "no end"  # within the limit
LONGER = 20  # times its usual time is the limit of a run
LEAST_LIMIT = 60.0  # seconds
PATIENCE = 5.0  # seconds to end after SIGTERM


@dataclass(frozen=True)
class Load:
    name: str
    what: str
    hogs: int = 0
    times_threads: int = 1
    quota: float = 0.0  # CPUs; 0: none
    threads: int = 0  # so many instead of one a CPU; preloaded, as many as `muster run --threads auto` chooses


LOADS = (
    Load("idle", "as many threads as CPUs, nothing else"),
    Load("hogs", "as many threads as CPUs, beside two CPU hogs", hogs=2),
    Load("twice", "twice as many threads as CPUs", times_threads=2),
    Load("quota", "as many threads as CPUs, in a cgroup with one CPU", quota=1),
)
AUTO_LOADS = tuple(
    Load(f"auto-{quota}-{threads}", f"{threads} threads, in a cgroup with {quota} CPUs", quota=quota, threads=threads)
    for quota in (1, 2)
    for threads in (2, 4, 8)
)


@dataclass(frozen=True)
class Setting:
    """What is compared: the application as it is, as its users may set it, and preloaded."""

    name: str
    what: str
    preloaded: bool = False
    reports: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


MUSTER = Setting("muster", "preloaded, with Muster's defaults", preloaded=True)
# Run once in a cell, and not timed: a report takes some ten milliseconds, in which Muster reads all loaded objects.
REPORTED = Setting("muster-report", "the same with MUSTER_REPORT", preloaded=True, reports=True)
STOCK = (
    Setting("stock", "the runtime's defaults"),
    Setting("stock-passive", "OMP_WAIT_POLICY=passive", environment={"OMP_WAIT_POLICY": "passive"}),
)
TIMED = (*STOCK, MUSTER)
SETTINGS = (*TIMED, REPORTED)


@dataclass
class Run:
    """The record of one run."""

    recipe: str
    load: str
    setting: str
    repetition: int
    status: str = OK
    wall_s: float = 0.0  # of the whole process
    seconds: float = 0.0  # of the work alone; of the whole process where the job does not report it
    user_s: float = 0.0
    system_s: float = 0.0
    slept: int = 0  # voluntary context switches
    preempted: int = 0
    threads: int = 0
    digest: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    muster: dict[str, Any] | None = None  # of the report

    @property
    def preloaded(self) -> bool:
        return self.setting in (MUSTER.name, REPORTED.name)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Runner:
    def __init__(
        self, folder: Path, library: Path, hog: Path, quota: Quota | None, cpus: int, launcher: Path | None = None
    ) -> None:
        self.folder = folder  # venv, inputs, scratch folders, what failures left
        self.library = library
        self.launcher = launcher  # bin/muster, for loads with a number of threads
        self.hog = hog
        self.quota = quota
        self.cpus = cpus

    def run(self, recipe: Recipe, load: Load, setting: Setting, repetition: int, limit: float) -> Run:
        run = Run(recipe.name, load.name, setting.name, repetition)
        if load.threads and setting.preloaded:
            run.threads = self.auto_threads(load)
        else:
            run.threads = recipe.threads_of(load.threads or self.cpus, load.times_threads)
        scratch = self.folder / "scratch"
        scratch.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f"{recipe.name}-", dir=scratch))
        try:
            place = Place(self.folder / "inputs" / recipe.name, work / "work", run.threads, self.folder / "venv")
            if place.inputs.is_dir():
                shutil.copytree(place.inputs, place.work)
            else:
                place.work.mkdir()
            with hogs(load.hogs, self.hog):
                self.measure(run, recipe, place, work, load, setting, limit)
            if run.status == OK:
                self.judge(run, recipe, place, work, setting)
            if run.status != OK:
                self.keep(run, work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return run

    def auto_threads(self, load: Load) -> int:
        """What `muster run --threads auto` chooses there."""
        done = subprocess.run(
            [str(self.launcher), "run", "--threads", "auto", "--dry-run", "--", "true"], env=clean_environment(),
            capture_output=True, text=True, check=True, preexec_fn=self.before(load),
        )  # fmt: skip
        return int(dict(word.partition("=")[::2] for word in done.stdout.split())["OMP_NUM_THREADS"])

    def command(
        self, recipe: Recipe, place: Place, load: Load, setting: Setting, reports: Path
    ) -> tuple[list[str], dict[str, str]]:
        settings = {"OMP_NUM_THREADS": str(place.threads), **setting.environment, **recipe.environment}
        words = recipe.command(place)
        if load.threads and setting.preloaded:
            del settings["OMP_NUM_THREADS"]
            words = [str(self.launcher), "run", "--threads", "auto", "--", *words]
        elif setting.preloaded:
            settings |= preload(self.library)
        if setting.reports:
            settings["MUSTER_REPORT"] = str(reports / "%r.%p.json")
        environment = clean_environment() | {"LC_ALL": "C.UTF-8"}
        if not recipe.ranks:
            return words, environment | settings
        # The ranks are the OpenMP programs; mpirun itself is left alone.
        # As it comes: it binds each of two ranks, with all of its threads, to a core.
        launcher = ["mpirun", "-n", str(recipe.ranks), "--oversubscribe"]
        if os.geteuid() == 0:
            launcher.append("--allow-run-as-root")
        for name, value in settings.items():
            launcher += ["-x", f"{name}={value}"]
        return [*launcher, *words], environment

    def before(self, load: Load) -> Callable[[], None]:
        quota = self.quota if load.quota else None

        def prepare() -> None:
            end_with_parent()
            if quota is not None:
                quota.set(load.quota)
                quota.enter()

        return prepare

    def measure(
        self, run: Run, recipe: Recipe, place: Place, work: Path, load: Load, setting: Setting, limit: float
    ) -> None:
        reports = work / "reports"
        reports.mkdir()
        words, environment = self.command(recipe, place, load, setting, reports)
        (work / "command.txt").write_text(" ".join(words) + "\n")
        with (work / "output.txt").open("wb") as out, (work / "errors.txt").open("wb") as errors:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.perf_counter()
            try:
                process = start_child(
                    words, self.before(load), cwd=place.work, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                    stderr=errors, start_new_session=True,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError) as error:
                run.status = f"cannot be started: {error}"
                return
            try:
                ended = ends_within(process.pid, limit)
                run.wall_s = run.seconds = time.perf_counter() - began
                if not ended:
                    run.status = f"{NO_END} after {limit:.0f} s"
                    (work / "backtraces.txt").write_text(backtraces(process.pid))
            finally:
                end_group(process)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        run.user_s, run.system_s = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        run.slept, run.preempted = after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw
        if run.status == OK and process.returncode != 0:
            run.status = how_it_ended(process.returncode)

    def judge(self, run: Run, recipe: Recipe, place: Place, work: Path, setting: Setting) -> None:
        """Reads the result and the report."""
        try:
            result = recipe.result(place, (work / "output.txt").read_text(errors="replace"))
        except BadResult as error:
            run.status = str(error)
            return
        run.digest, run.numbers = result.digest, result.numbers
        run.seconds = result.seconds if result.seconds is not None else run.wall_s
        run.status = recipe.wrong(result) or OK
        if setting.reports:
            run.muster = summary(work / "reports")
            # With one thread a program may do without the runtime.
            if run.status == OK and run.muster is None and run.threads != 1:
                run.status = "no report was written: there was no library, or no OpenMP runtime"

    def keep(self, run: Run, work: Path) -> None:
        """Keeps the files of a failed run."""
        kept = self.folder / "failures" / f"{run.recipe}-{run.load}-{run.setting}-{run.repetition}"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for file in work.iterdir():
            if file.is_file():
                shutil.copy(file, kept)
            elif file.name == "reports":
                shutil.copytree(file, kept / "reports")
        (kept / "run.txt").write_text(f"{run.as_json()}\n")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started, gently first: mpirun ends its ranks, which are no group of its."""
    if process.poll() is not None:
        return
    below = []
    for pid in descendants(process.pid)[1:]:
        with contextlib.suppress(OSError):
            below.append(os.pidfd_open(pid))
    try:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        for descriptor in below:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        process.wait()
    finally:
        for descriptor in below:
            os.close(descriptor)


def descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(words[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found.extend(parents.get(one, []))
    return found


def backtraces(pid: int) -> str:
    """Of every thread of it and of its children, where gdb is installed."""
    gdb = shutil.which("gdb")
    if gdb is None:
        return "gdb is not installed\n"
    texts = []
    for one in descendants(pid):
        command = [gdb, "-p", str(one), "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
            texts.append(f"==== {one}\n{done.stdout}")
        except (OSError, subprocess.TimeoutExpired) as error:
            texts.append(f"==== {one}\n{error}\n")
    return "\n".join(texts)
