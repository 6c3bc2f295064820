"""Compiles with ThreadSanitizer, runs with Archer, and reads what was reported."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from inventory import ROOT, TESTS, Program, Run

from lab import runs
from lab.compilers import CLANG, build, installed
from lab.environment import clean_environment

ARCHER = Path("/usr/lib/llvm-19/lib/libarcher.so")
SYMBOLIZERS = ("llvm-symbolizer-19", "llvm-symbolizer", "llvm-symbolizer-14")
# clang 19's LICM otherwise reads, before a loop, what only some iterations read: sections are such a loop.
NO_READS_OF_ITS_OWN = ("-mllvm", "-disable-licm-promotion")
INCLUDE = f"-I{TESTS / 'conformance/programs'}"
FLAGS = ("-fsanitize=thread", "-fopenmp", "-g", "-O1", "-w", *NO_READS_OF_ITS_OWN, INCLUDE)
OPTIONS = {
    "ignore_noninstrumented_modules": 1,  # the runtime's own accesses
    "exitcode": 0,
    "halt_on_error": 0,
    "die_after_fork": 0,
    "history_size": 5,  # so that the earlier of two accesses is still known
    "report_signal_unsafe": 0,
    "report_thread_leaks": 0,
    "report_destroy_locked": 0,
    "report_mutex_bugs": 0,
    "atexit_sleep_ms": 0,
}
ACCESS = re.compile(r"  (?:Previous )?((?:atomic )?(?:read|write)) of size", re.IGNORECASE)
FRAME = re.compile(r"    #\d+ (.*) (/\S+?):(\d+)(?::\d+)? \(")
# Memory that the runtime takes: of tasks and of their copies in a reduction. It uses it again, and combines the copies
# before Archer sees that the tasks are over.
RUNTIMES_OWN = re.compile(
    r"^  Location is heap block .*\n    #0 \S+ <null> .*\n    #1 <null> <null> \(libomp", re.MULTILINE
)
DECLARED = re.compile(r"^\s*(?://|!|#) muster-test: race (\S+): (.+)$", re.MULTILINE)
STANDARDS = {".c": "-std=gnu17", ".cpp": "-std=c++20"}


@dataclass(frozen=True, order=True)
class Access:
    kind: str
    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.kind} {self.file}:{self.line} in {self.function}"

    def text(self) -> str:
        """The line, and the one before it, which may be a pragma."""
        path = ROOT / self.file
        return "\n".join(path.read_text().splitlines()[max(self.line - 2, 0) : self.line]) if path.is_file() else ""


@dataclass(frozen=True, order=True)
class Race:
    accesses: tuple[Access, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.accesses)) or "at an unknown place"

    def declared(self, program: Program) -> str | None:
        """Why the program may have it: `// muster-test: race WORD: WHY`, with a word of the lines or functions."""
        files = {*program.sources, *(ROOT / one.file for one in self.accesses)}
        lines = [line for file in sorted(files) if file.is_file() for line in DECLARED.findall(file.read_text())]
        for word, why in lines:
            if any(word in one.text() or word in one.function for one in self.accesses):
                return why
        return None


def symbolizer() -> str | None:
    return next((path for name in SYMBOLIZERS if (path := shutil.which(name))), None)


def compile_program(program: Program, folder: Path) -> Path:
    sources = program.sources
    if program.text:
        sources = (folder / f"{program.file_name}{program.suffix}",)
        sources[0].write_text(program.text)
    output = folder / (program.file_name + (".so" if program.shared else ""))
    compiler = installed(CLANG[program.suffix == ".cpp"])
    shared = ("-shared", "-fPIC") if program.shared else ()
    flags = [STANDARDS[program.suffix], *FLAGS, *shared, *program.flags]
    build([compiler, *flags, *sources, "-o", output, "-lm", "-ldl", "-pthread"])
    return output


def _place(path: str, folder: Path) -> str | None:
    """Where one of our files is: in the tree, or generated into the folder."""
    resolved = Path(path).resolve()
    if resolved.is_relative_to(ROOT):
        return str(resolved.relative_to(ROOT))
    return str(resolved) if resolved.is_relative_to(folder) else None


def _accesses(report: str, folder: Path) -> tuple[Access, ...]:
    found, kind = [], ""
    for line in report.splitlines():
        if match := ACCESS.match(line):
            kind = match[1].lower()
        elif kind and (match := FRAME.match(line)) and (place := _place(match[2], folder)):
            found.append(Access(kind, place, int(match[3]), match[1]))
            kind = ""
        elif not line.strip():
            kind = ""
    return tuple(sorted(found))


def races_in(text: str, folder: Path) -> set[Race]:
    reports = re.split(r"^WARNING: ThreadSanitizer: ", text, flags=re.MULTILINE)[1:]
    ours = (one for one in reports if one.startswith("data race") and not RUNTIMES_OWN.search(one))
    return {Race(_accesses(report, folder)) for report in ours}


@dataclass(frozen=True)
class Observed:
    races: set[Race]
    outcome: runs.Outcome
    log: str


def observe(binary: Path, run: Run, timeout: float) -> Observed:
    folder = binary.parent

    def filled(word: str) -> str:
        return word.replace("{build}", str(folder))

    with tempfile.TemporaryDirectory(prefix="muster-races-") as logs:
        options = OPTIONS | {"log_path": f"{logs}/log", "external_symbolizer_path": symbolizer()}
        environment = clean_environment() | {
            "OMP_NUM_THREADS": "4",
            "OMP_TOOL_LIBRARIES": str(ARCHER),
            "TSAN_OPTIONS": " ".join(f"{name}={value}" for name, value in options.items()),
        }
        environment |= {name: filled(value) for name, value in run.environment}
        outcome = runs.run([binary, *map(filled, run.arguments)], environment, timeout)
        log = "\n".join(file.read_text(errors="replace") for file in sorted(Path(logs).iterdir()))
    return Observed(races_in(log, folder), outcome, log)
