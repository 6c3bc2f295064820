"""Many runs of programs, side by side, each made once: `python3 -m lab.campaign [--build build/release] COMMANDS`.

COMMANDS is a file with a run a line, a program of the build and its arguments (- reads it from stdin; # begins a
comment). The outputs are printed in the file's order, whatever --jobs is. What a run printed is kept under a key made
of the program's contents, the arguments and the contents of each file among them: an interrupted campaign continues,
and a changed program or run file is run again. Exit status 1 where a run fails, 130 where interrupted.

The claims and figures of the papers use it as a library: Campaign(build, jobs).run([Run(...), ...]).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import hashlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from lab.progress import Progress
from lab.whole_file import whole_file

FORMAT = 1  # of what is kept; results in another format are made again
GRACE_S = 2.0  # for interrupted runs to end by themselves
SHOWN_LINES = 20  # of a failing run's stderr
Word = str | Path


class CampaignError(Exception):
    """For the user: a program that is missing, or what a failing run said."""


class Interrupted(KeyboardInterrupt):
    """By Ctrl-C; the text says what remains."""


@dataclass(frozen=True)
class Run:
    """A program of the build and its arguments. Of a word that is a Path, the contents count, not its place."""

    program: str
    words: tuple[Word, ...] = ()
    files: tuple[Path, ...] = ()  # more of which the contents count: what the program reads by itself
    weight: float = 1.0  # about what it costs, in any unit: long ones go first, and the bar counts it

    def __str__(self) -> str:
        return shlex.join([Path(self.program).name, *map(str, self.words)])


def hash_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def hash_of(path: Path) -> str:
    """Of a folder: of all in it, by name."""
    if not path.is_dir():
        return hash_of_file(path)
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    names = [f"{file.relative_to(path)} {hash_of_file(file)}" for file in inside]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


class Campaign:
    """Runs, each made once for a key. One campaign may be asked for many lists of runs."""

    def __init__(
        self,
        build: Path,
        jobs: int | None = None,
        folder: Path | None = None,
        progress: Callable[[float, str], None] | None = None,
    ) -> None:
        self.build = build.resolve()
        self.jobs = jobs or len(os.sched_getaffinity(0))
        self.folder = folder if folder is not None else self.build.parent / "campaigns"
        self.progress = progress
        self.made = 0  # runs that were not there yet
        self._known: dict[str, str] = {}
        self._hash = functools.cache(hash_of)  # no file changes while we run
        self._started: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._ended = False

    def program(self, name: str) -> Path:
        return Path(name) if "/" in name else self.build / "bin" / name

    def key(self, run: Run) -> str:
        parts = [f"format {FORMAT}", self._contents(self.program(run.program))]
        parts += [f"file {self._contents(word)}" if isinstance(word, Path) else f"word {word}" for word in run.words]
        parts += [f"also {self._contents(path)}" for path in run.files]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]

    def run(self, runs: Sequence[Run]) -> list[str]:
        """What each printed, in their order."""
        keys = [self.key(run) for run in runs]
        by_key = dict(zip(keys, runs, strict=True))
        missing = {key: run for key, run in by_key.items() if not self._is_known(key)}
        if missing:
            self._make(missing, len(by_key))
        return [self._known[key] for key in keys]

    def rows(self, runs: Sequence[Run]) -> list[list[dict[str, str]]]:
        """What each printed, where that is CSV with a head."""
        tables = [list(csv.DictReader(io.StringIO(text))) for text in self.run(runs)]
        for run, table in zip(runs, tables, strict=True):
            if not table or any(None in row or None in row.values() for row in table):
                raise CampaignError(f"{run}: printed no table of numbers")
        return tables

    def _contents(self, path: Path) -> str:
        try:
            return self._hash(path)
        except FileNotFoundError:
            hint = "; run ./bootstrap build first" if path.parent == self.build / "bin" else ""
            raise CampaignError(f"{path} is missing{hint}") from None
        except OSError as error:
            raise CampaignError(f"{path}: {error.strerror}") from None

    def _is_known(self, key: str) -> bool:
        """Whatever is no whole result is none."""
        if key not in self._known:
            try:
                kept = json.loads((self.folder / f"{key}.json").read_text())
                self._known[key] = kept["output"]
            except (OSError, ValueError, KeyError, TypeError):
                return False
        return True

    def _keep(self, key: str, run: Run, text: str) -> None:
        """Whole or not at all."""
        with whole_file(self.folder / f"{key}.json") as unfinished:
            unfinished.write_text(json.dumps({"command": str(run), "output": text}))

    def _show(self, share: float, text: str) -> None:
        if self.progress is not None:
            self.progress(share, text)

    def _make(self, missing: dict[str, Run], wanted: int) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CampaignError(f"{self.folder}: {error.strerror}") from None
        todo = sorted(missing.items(), key=lambda item: item[1].weight, reverse=True)
        weight, total = 0.0, sum(run.weight for run in missing.values()) or 1.0
        done = 0
        self._show(0.0, f"{len(missing)} runs")
        pool = ThreadPoolExecutor(self.jobs)
        try:
            futures = {pool.submit(self._one, key, run): (key, run) for key, run in todo}
            for future in as_completed(futures):
                key, run = futures[future]
                self._known[key] = future.result()
                self.made += 1
                done += 1
                weight += run.weight
                self._show(weight / total, f"{done} of {len(missing)} runs: {run}")
        except BaseException as error:
            self._end()
            pool.shutdown(wait=True, cancel_futures=True)
            self._ended = False
            if isinstance(error, KeyboardInterrupt):
                left = sum(not self._is_known(key) for key in missing)
                text = f"interrupted; {wanted - left} of {wanted} runs are kept in {self.folder}, {left} remain"
                raise Interrupted(f"{text}: the same command continues") from None
            if isinstance(error, OSError):
                raise CampaignError(f"{error.filename or self.folder}: {error.strerror}") from None
            raise
        pool.shutdown()

    def _one(self, key: str, run: Run) -> str:
        command = [str(self.program(run.program)), *map(str, run.words)]
        with self._lock:
            if self._ended:
                raise CampaignError(f"{run}: not begun")
            # A group of its own: a Ctrl-C is ours alone, and we end it.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,
            )
            self._started.add(process)
        text, errors = process.communicate()
        with self._lock:
            self._started.discard(process)
        if process.returncode != 0:
            raise CampaignError(failure(run, process.returncode, errors))
        self._keep(key, run, text)
        return text

    def _end(self) -> None:
        """SIGTERM first: a run may have to end processes of its own."""
        with self._lock:
            self._ended = True
        for how in (signal.SIGTERM, signal.SIGCONT, signal.SIGKILL):
            until = time.monotonic() + GRACE_S
            with self._lock:
                for process in self._started:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, how)
            while how == signal.SIGCONT and self._started and time.monotonic() < until:
                time.sleep(0.01)


def failure(run: Run, status: int, errors: str) -> str:
    how = f"exit status {status}" if status >= 0 else f"killed by {signal.Signals(-status).name}"
    said = errors.strip().splitlines()
    if len(said) <= 1:
        return f"{run}: {how}: {said[0] if said else 'nothing on stderr'}"
    return "\n".join([f"{run}: {how}:", *(f"    {line}" for line in said[-SHOWN_LINES:])])


def read_commands(text: str, name: str) -> list[Run]:
    runs = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise CampaignError(f"{name}:{number}: {error}") from None
        if words:
            runs.append(Run(words[0], tuple(Path(word) if Path(word).exists() else word for word in words[1:])))
    return runs


def positive(text: str) -> int:
    value = int(text) if text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return value


def add_options(parser: argparse.ArgumentParser) -> None:
    """Those of every script that makes a campaign."""
    parser.add_argument("--build", type=Path, default=Path("build/release"), metavar="DIR", help="(build/release)")
    parser.add_argument("--jobs", type=positive, metavar="N", help="runs side by side (the CPUs allowed)")
    parser.add_argument("--campaigns", type=Path, metavar="DIR", help="where results are kept (build/campaigns)")


def print_outputs(outputs: Iterable[str], one_head: bool) -> None:
    head = None
    for text in outputs:
        first = text.split("\n", 1)[0]
        sys.stdout.write(text.split("\n", 1)[-1] if one_head and first == head else text)
        head = first
    sys.stdout.flush()


def status_after(error: CampaignError | KeyboardInterrupt | OSError, program: str, progress: Progress) -> int:
    """The exit status of a program that runs a campaign, and a line on stderr."""
    progress.clear()
    if isinstance(error, OSError):
        text = f"{error.filename or 'stdout'}: {error.strerror}"
    else:
        text = str(error) or "interrupted"
    print(f"{program}: {text}", file=sys.stderr)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="campaign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", metavar="COMMANDS", help="a file with a run a line; - reads stdin")
    parser.add_argument("--csv", action="store_true", help="outputs are tables: print a head that repeats once")
    add_options(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the runs end with us
    progress = Progress()
    try:
        text = sys.stdin.read() if arguments.commands == "-" else Path(arguments.commands).read_text()
        campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
        outputs = campaign.run(read_commands(text, arguments.commands))
        progress.clear()
        print_outputs(outputs, arguments.csv)
    except (CampaignError, KeyboardInterrupt, OSError) as error:
        return status_after(error, "campaign", progress)
    return 0


if __name__ == "__main__":
    sys.exit(main())
