"""What a recipe says: an application, how it is run, and how its result is read and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
JOBS = HERE / "jobs"
DEBIANS_PYTHON = Path("/usr/bin/python3")


class BadResult(Exception):
    """One line: why a run's result is no result."""


@dataclass(frozen=True)
class Result:
    digest: str  # of every bit that the application computed
    numbers: dict[str, float]
    seconds: float | None = None  # of the work alone, where the job reports it


@dataclass(frozen=True)
class Place:
    """Where and how one run happens."""

    inputs: Path  # made once, by `prepare`
    work: Path  # this run's own folder, its working directory
    threads: int  # of each rank
    venv: Path

    @property
    def python(self) -> str:
        return str(self.venv / "bin" / "python")


def nothing(_inputs: Path) -> None:
    pass


@dataclass(frozen=True)
class Recipe:
    name: str
    title: str  # what runs and on what, in a line
    command: Callable[[Place], list[str]]
    result: Callable[[Place, str], Result]  # of the run's folder and its standard output
    debian: tuple[str, ...] = ()  # packages
    pypi: tuple[str, ...] = ()  # requirements
    programs: tuple[str, ...] = ()  # that have to be found
    files: tuple[str, ...] = ()  # that the recipe stands on, below this folder: other files, other runs
    prepare: Callable[[Path], None] = nothing
    environment: Mapping[str, str] = field(default_factory=dict)
    ranks: int = 0  # MPI's; 0: no MPI program
    # The application's own check of a number: what it has to be, and how far it may be off that.
    expected: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    # With more threads than these, stock's own bits are known to differ from run to run, though not in every two runs.
    steady_threads: int = 1 << 20
    # How far a number may be from stock's, relatively, where stock's own bits differ from run to run.
    tolerances: Mapping[str, float] = field(default_factory=dict)

    def threads_of(self, cpus: int, times: int) -> int:
        """Of each rank: ranks share the CPUs, but a rank without a team would be no OpenMP program."""
        return times * (max(2, cpus // self.ranks) if self.ranks else cpus)

    def wrong(self, result: Result) -> str | None:
        """What the application's own check says against a result."""
        for name, (value, margin) in self.expected.items():
            if name not in result.numbers:
                return f"it reports no {name}"
            if not abs(result.numbers[name] - value) <= margin:  # so that no NaN passes
                return f"{name} is {result.numbers[name]:.12g}, not {value:g} within {margin:g}"
        return None

    def version(self) -> str:
        """Other words in a recipe, its job or its inputs: another version."""
        whole = hashlib.sha256()
        for name in sorted(self.files):
            whole.update((HERE / name).read_bytes())
        return whole.hexdigest()[:12]


def job_result(_place: Place, output: str) -> Result:
    """Of a job in jobs/: its last line (jobs/outcome.py)."""
    lines = output.strip().splitlines()
    try:
        found = json.loads(lines[-1])
        numbers = {str(name): float(number) for name, number in found["numbers"].items()}
        return Result(str(found["digest"]), numbers, float(found["seconds"]))
    except (IndexError, ValueError, KeyError, TypeError, AttributeError):
        raise BadResult("it reported no result") from None


def digest_of(*files: Path) -> str:
    whole = hashlib.sha256()
    for file in files:
        try:
            whole.update(file.read_bytes())
        except OSError as error:
            raise BadResult(f"{file.name}: {error.strerror}") from None
    return whole.hexdigest()[:16]


def text_of(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError as error:
        raise BadResult(f"{file.name}: {error.strerror}") from None
