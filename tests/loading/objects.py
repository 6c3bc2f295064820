"""Builds the host, and shared objects each on a runtime of its own: as installed, or a renamed copy as in a wheel."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import harness

PROGRAMS = Path(__file__).resolve().parent / "programs"
CLANG = "clang-19"
GCC = "gcc"
# What plugin.c shows.
NAMES = ("regions", "quiet", "constructs", "set_threads", "asked", "paused", "waiting", "between", "within", "by_each")


class BuildError(Exception):
    """What could not be built, with the tool's words."""


def do(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(str(word) for word in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@cache
def holder() -> tempfile.TemporaryDirectory[str]:
    """Until this process ends. Tests in other processes may build the same names at the same time."""
    return tempfile.TemporaryDirectory(prefix="muster-loading-")


def folder() -> Path:
    return Path(holder().name)


@dataclass(frozen=True)
class Runtime:
    """A runtime's file, and the compiler whose code calls it."""

    name: str
    file: Path
    compiler: str

    @property
    def is_libgomp(self) -> bool:
        return self.compiler == GCC


def renamed(original: Path, name: str) -> Path:
    """A copy with another file name and soname, as wheels have them."""
    copy = folder() / name
    if not copy.exists():
        shutil.copyfile(original, copy)
        do("patchelf", "--set-soname", name, copy)
    return copy


@cache
def libgomp(mark: str = "") -> Runtime:
    """The system's; with a mark, eight hexadecimal digits, a renamed copy."""
    original = Path(do(GCC, "-print-file-name=libgomp.so.1").strip()).resolve()
    if not mark:
        return Runtime("libgomp", original, GCC)
    return Runtime(f"libgomp-{mark}", renamed(original, f"libgomp-{mark}.so.1.0.0"), GCC)


@cache
def llvm(which: str, mark: str = "") -> Runtime:
    """libomp19 and so on, or libiomp5."""
    original = harness.places.runtimes / which / ("libiomp5.so" if which == "libiomp5" else "libomp.so.5")
    if not mark:
        return Runtime(which, original, CLANG)
    stem = "libiomp5" if which == "libiomp5" else "libomp"
    return Runtime(f"{which}-{mark}", renamed(original, f"{stem}-{mark}.so"), CLANG)


def llvms(*names: str) -> list[Runtime]:
    """Those of them that are there: the gate has one."""
    return [llvm(name) for name in harness.present(*names)]


@cache
def host() -> Path:
    """Without OpenMP, and at a fixed place: then objects are loaded where they were linked for."""
    output = folder() / "host"
    do(GCC, "-O2", "-no-pie", PROGRAMS / "host.c", "-o", output, "-pthread")
    return output


@cache
def static_host() -> Path:
    """With plugin.c and libgomp in itself."""
    output = folder() / "static_host"
    shown = [f"-Wl,--export-dynamic-symbol={name}" for name in NAMES]
    archive = do(GCC, "-print-file-name=libgomp.a").strip()
    items = [compiled(GCC), archive, "-pthread", "-ldl"]
    do(GCC, "-O2", PROGRAMS / "host.c", *items, *shown, "-o", output)
    return output


@cache
def compiled(compiler: str, *flags: str) -> Path:
    output = folder() / ("-".join(["plugin", compiler, *flags]).replace("=", "").replace("/", "") + ".o")
    do(compiler, "-O2", "-fPIC", "-fopenmp", *flags, "-c", PROGRAMS / "plugin.c", "-o", output)
    return output


@cache
def small(prefix: str) -> tuple[Runtime, Path]:
    """The runtime small.c and an object that uses it, its names with a prefix."""
    names = ("GOMP_parallel", "GOMP_barrier", "omp_get_thread_num", "omp_get_num_threads")
    flags = [f"-D{name}={prefix}{name}" for name in names] if prefix else []
    file, user = folder() / f"lib{prefix}small.so", folder() / f"{prefix}user.o"
    do(GCC, "-O2", "-shared", "-fPIC", *flags, PROGRAMS / "small.c", "-o", file, f"-Wl,-soname,{file.name}")
    do(GCC, "-O2", "-fPIC", "-fopenmp", "-c", PROGRAMS / "user.c", "-o", user)
    if prefix:
        do("objcopy", *(f"--redefine-sym={name}={prefix}{name}" for name in names), user)
    runtime = Runtime(f"{prefix}small", file, GCC)
    return runtime, linked(f"plugin-{prefix}small", [user], [runtime])


def linked(name: str, items: list[Path], needed: list[Runtime], *flags: str) -> Path:
    """A shared object that needs these runtimes, in this order."""
    output = folder() / f"{name}.so"
    paths = [f"-Wl,-rpath,{path}" for path in ("$ORIGIN", *(runtime.file.parent for runtime in needed))]
    keep = "-Wl,--no-as-needed"
    do(GCC, "-shared", *items, "-o", output, keep, *(runtime.file for runtime in needed), *paths, *flags)
    return output


@cache
def plugin(runtime: Runtime, *flags: str, place: int = 0) -> Path:
    """plugin.c on that runtime; linked for a place, if one is given."""
    name = "-".join(["plugin", runtime.name, *flags, f"{place:x}" if place else ""]).strip("-")
    where = [f"-Wl,-Ttext-segment={place:#x}"] if place else []
    return linked(name, [compiled(runtime.compiler, *flags)], [runtime], *where)


@cache
def jumping(runtime: Runtime, at_load: int = 0) -> Path:
    """jumping.c on that runtime, whose constructors set a size of teams if one is given."""
    item = folder() / f"jumping-{runtime.compiler}-{at_load}.o"
    size = [f"-DAT_LOAD={at_load}"] if at_load else []
    do(runtime.compiler, "-O2", "-fPIC", "-fopenmp", *size, "-c", PROGRAMS / "jumping.c", "-o", item)
    return linked(f"jumping-{runtime.name}-{at_load}", [item], [runtime])


@cache
def callers(*flags: str) -> Path:
    output = folder() / "-".join(["callers", *flags])
    do(GCC, "-O2", *flags, PROGRAMS / "callers.c", "-o", output)
    return output


@cache
def fork_beside_look_ups() -> Path:
    output = folder() / "fork_beside_look_ups"
    do(GCC, "-O2", "-pthread", PROGRAMS / "fork_beside_look_ups.c", "-o", output)
    return output


def remarked(file: Path, old: str, new: str) -> Path:
    """A copy of a file in whose name, soname and needed names one mark stands for another of the same length."""
    output = folder() / "copies" / file.name.replace(old, new)
    output.parent.mkdir(exist_ok=True)
    output.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))
    return output


@cache
def wrapper() -> Path:
    output = folder() / "wrapper.so"
    do(GCC, "-O2", "-shared", "-fPIC", PROGRAMS / "wrapper.c", "-o", output)
    return output


@cache
def whole(runtime: Runtime, *flags: str) -> Path:
    """A program linked with the runtime as compilers do it; the flags are the compiler's."""
    output = folder() / "-".join(["whole", runtime.name, *(flag.strip("-") for flag in flags)])
    sources = [PROGRAMS / "whole.c", PROGRAMS / "plugin.c"]
    where = [] if runtime.is_libgomp else [f"-L{runtime.file.parent}", f"-Wl,-rpath,{runtime.file.parent}"]
    do(runtime.compiler, "-O1", "-g", "-fopenmp", *flags, *sources, "-o", output, *where)
    return output
