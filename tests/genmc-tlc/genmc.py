"""Programs of algorithms.cpp under GenMC: from the production headers to its verdict."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What GenMC sees is the compiler's intermediate code, with everything inlined: it takes each stack object for
# memory that other threads may see. Vectors it does not know.
COMPILE = """-std=c++20 -O2 -mllvm -inline-threshold=100000 -fno-exceptions -fno-rtti
    -fno-c++-static-destructors -fno-threadsafe-statics -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
    -fno-builtin -fno-discard-value-names -gline-tables-only -emit-llvm -S""".split()
# The two transformations are switched off because they crash, or do not end, on this much inlined code.
CHECK = """-input-from-bitcode-file -check-liveness -disable-estimation --disable-confirmation-annotation
    --disable-loop-jump-threading""".split()

# A change to a copy of a header: file, text, what stands in its place.
Change = tuple[str, str, str]

# By value, clang passes this struct of three words in two pieces, and GenMC has no accesses of mixed sizes. A
# destructor makes it be passed by reference. No shared word is concerned.
IN_ONE_SIZE: Change = ("barriers/tree.h", "  struct Level {\n", "  struct Level {\n    ~Level() {}\n")


@dataclass(frozen=True)
class Case:
    """One program: what it runs, with how many threads, how often, and which thread calls off what."""

    program: str
    algorithm: str
    policy: str
    threads: int
    episodes: int
    called_off: int = 0
    caller: int = 0

    def __str__(self) -> str:
        off = f", thread {self.caller} calls {self.called_off} off" if self.called_off else ""
        what = "" if self.program == "sleep_word" else f" {self.algorithm} {self.policy.lower()}"
        return f"{self.program}{what}, {self.threads} threads, {self.episodes} instances{off}"

    def definitions(self) -> list[str]:
        values = {name.upper(): value for name, value in vars(self).items()}
        return [f"-D{name}={value}" for name, value in values.items()]


@dataclass
class Verdict:
    """`found` is GenMC's error, empty where there is none; `gave_up` says why it has no verdict."""

    found: str = ""
    gave_up: str = ""
    executions: int = 0
    blocked: int = 0
    output: str = field(default="", repr=False)


def lower(code: str) -> str:
    """GenMC's interpreter lacks some intrinsics: minima and maxima become functions. Zeroing is left out, of
    memory that is zero already: what is read uninitialized GenMC reports."""
    for name, kind in sorted(set(re.findall(r"@llvm\.([us](?:min|max))\.(i\d+)", code))):
        code = re.sub(rf"declare {kind} @llvm\.{name}\.{kind}\(.*\n", "", code)
        code = code.replace(f"@llvm.{name}.{kind}", f"@{name}_{kind}")
        less = {"umin": "ult", "umax": "ugt", "smin": "slt", "smax": "sgt"}[name]
        code += f"""
define internal {kind} @{name}_{kind}({kind} %a, {kind} %b) {{
  %c = icmp {less} {kind} %a, %b
  %r = select i1 %c, {kind} %a, {kind} %b
  ret {kind} %r
}}
"""
    zeroing = r".*call void @llvm\.memset\.p0\.i64\(.*, i8 0, i64 \d+, i1 false\).*\n"
    return re.sub(zeroing, "", code)


def copy_changed(changes: list[Change], folder: Path) -> None:
    for name, old, new in changes:
        copy = folder / name
        source = copy if copy.exists() else ROOT / name
        text = source.read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{name}: {text.count(old)} times instead of once: {old.strip()}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text.replace(old, new))


def run(tool: str, clang: str, model: str, case: Case, timeout: float, change: Change | None) -> Verdict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_changed([IN_ONE_SIZE] + ([change] if change else []), folder)
        code = folder / "code.ll"
        command = [clang, *COMPILE, *case.definitions(), f"-I{folder}", f"-I{ROOT}", "-o", str(code)]
        subprocess.run([*command, str(HERE / "algorithms.cpp")], check=True)
        code.write_text(lower(code.read_text()))
        try:
            done = subprocess.run(
                [tool, f"--{model}", *CHECK, str(code)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return Verdict(gave_up=f"not through after {timeout:.0f} s")
    return judge(done.stdout, done.returncode)


def judge(output: str, status: int) -> Verdict:
    def number(text: str) -> int:
        found = re.search(rf"{text}: (\d+)", output)
        return int(found.group(1)) if found else 0

    verdict = Verdict(
        executions=number("complete executions explored"),
        blocked=number("blocked executions seen"),
        output=output,
    )
    error = re.search(r"^Error: (.*)", output, re.MULTILINE)
    if "No errors were detected." in output and status == 0:
        return verdict
    if error is not None and re.search(r"violation|race", error.group(1), re.IGNORECASE):
        verdict.found = error.group(1)
    else:
        verdict.gave_up = error.group(1) if error else f"status {status}"
    return verdict
