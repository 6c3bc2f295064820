"""What libmuster.so brings into the processes of others, and what it exports: as little as possible."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

ALLOWED_LIBRARY = re.compile(r"^(linux-vdso\.so\.|linux-gate\.so\.|libc\.so\.|ld-linux|ld64\.so\.|/lib.*/ld)")
INHERITING = Path(__file__).resolve().parents[2] / "runtime-hooks" / "entry-points" / "inheriting.txt"
OF_SIGNALS = ["sigaction", "__sigaction", "signal", "bsd_signal", "ssignal", "sysv_signal", "__sysv_signal", "sigset"]
WITHOUT_LIST = ["sched_yield", "dlclose", "__cxa_finalize", "prctl", "syscall", *OF_SIGNALS, "sigignore", "siginterrupt"]
OF_LIBC = [*WITHOUT_LIST, *re.findall(r"^(\w+) : ", INHERITING.read_text(), re.MULTILINE)]
MOST_BYTES = 825_000  # of the file, stripped
INTERPOSED = re.compile(rf"^((__kmpc_|GOMP_|ompc?_|ompx_|kmpc?_)\w+|{'|'.join(OF_LIBC)})$")
# SSE, AVX and x87 instructions that compute, compare or convert. Moves, logic and the control words raise no exception.
COMPUTES = re.compile(
    r"v?(cvt|u?comi|fn?m(add|sub)|(h?add|h?sub|mul|div|sqrt|rsqrt|rcp|min|max|round|cmp|dp)\w*[sp][sdh]\b)"
    r"|f(?!ldcw|ldenv|nstcw|nstenv|nstsw|nclex)"
)


def output_of(*command: str | Path) -> str:
    return subprocess.check_output(command, text=True, stderr=subprocess.STDOUT)


def shown(path: Path, expected: Path) -> list[str]:
    """Just what the lists of runtime-hooks/entry-points/ say: `expected` is made from them."""
    names = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", path).splitlines()}
    listed = set(expected.read_text().split()) | {*WITHOUT_LIST}
    problems = [f"it shows {name}, which is not in implemented.txt" for name in sorted(names - listed)]
    return problems + [f"it does not show {name}" for name in sorted(listed - names)]


def floating_point(path: Path) -> list[str]:
    """On the program's threads it would leave exception flags behind, and trap where they are unmasked."""
    found: dict[str, str] = {}
    function, shown = "", output_of("objdump", "-dC", "--no-show-raw-insn", path)
    if "file format elf64-x86-64" not in shown:
        return []
    for line in shown.splitlines():
        if header := re.match(r"\w+ <(.*)>:$", line):
            function = header[1]
        elif (word := line.partition("\t")[2]) and COMPUTES.match(word):
            found.setdefault(function, word.split()[0])
    return [f"it computes in floating point: {word} in {function}" for function, word in found.items()]


def stripped_bytes(path: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="muster-house-") as folder:
        stripped = Path(folder) / path.name
        subprocess.run(["strip", "-o", stripped, path], check=True)
        return stripped.stat().st_size


def library(path: Path) -> list[str]:
    """libc and the loader only; interposed names only; never unloaded; no relocated text; static TLS; small; integers."""
    problems = floating_point(path)
    if "__gxx_personality" in output_of("nm", path):
        problems.append("it contains the C++ library's exceptions: something calls a function that may throw")
    is_instrumented = "__llvm_prf" in output_of("readelf", "-SW", path)
    if not is_instrumented and (size := stripped_bytes(path)) > MOST_BYTES:
        problems.append(f"it has {size:,} bytes when stripped, {MOST_BYTES:,} allowed")
    for line in output_of("ldd", path).splitlines():
        name = line.split()[0]
        if not ALLOWED_LIBRARY.match(name) and line.strip() != "statically linked":
            problems.append(f"it brings {name} with it")
    for line in output_of("nm", "-D", "--defined-only", path).splitlines():
        name = line.split()[-1]
        if not INTERPOSED.match(name):
            problems.append(f"it shows {name}, which is no entry point (a version name would be wrong, too)")
    if "__tls_get_addr" in output_of("nm", "-D", "--undefined-only", path):
        problems.append("it calls __tls_get_addr: its thread-local data are not initial-exec")
    if re.search(r"(JUMP_SLOT?|GLOB_DAT)\b.*\bsched_yield\b", output_of("readelf", "-rW", path)):
        problems.append("it calls sched_yield, which would come back to its own")
    dynamic = output_of("readelf", "-dW", path)
    if "TEXTREL" in dynamic:
        problems.append("it has text relocations")
    if not re.search(r"\(FLAGS_1\).*\bNODELETE\b", dynamic):
        problems.append("it is not linked -z nodelete")
    return problems
