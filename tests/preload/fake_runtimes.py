"""Shared objects that show the names of an OpenMP runtime and print which of them was called, and programs that call them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile

_folder = tempfile.TemporaryDirectory(prefix="muster-thunks-")
FOLDER = pathlib.Path(_folder.name)
# For another processor: its compiler, options separated by blanks; MUSTER_EMULATOR then runs the programs.
COMPILER = os.environ.get("MUSTER_COMPILER", "clang-19").split()


def thunked(own: bool = False) -> list[str]:
    """The names that have a thunk; with `own`, those as well that Muster has an entry point of its own for."""
    made = pathlib.Path(os.environ["MUSTER_ENTRY_POINTS"]) / "thunk_names.inc"
    rows = [line.split("(") for line in made.read_text().splitlines()]
    return [name.split(",")[0].rstrip(")") for kind, name in rows if own or kind != "MUSTER_IMPLEMENTED"]


def _compile(name: str, source: str, *flags: str | pathlib.Path) -> pathlib.Path:
    file = FOLDER / f"{name}.c"
    file.write_text(source)
    output = FOLDER / name
    command = [*COMPILER, "-O2", "-w", f"-L{FOLDER}", f"-Wl,-rpath,{FOLDER}", file, "-o", output, *flags]
    subprocess.run(command, check=True)
    return output


def library(name: str, source: str, *needed: str) -> pathlib.Path:
    """lib<name>.so, which needs lib<needed>.so."""
    links = [f"-l{other}" for other in needed]
    return _compile(f"lib{name}.so", source, "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so", *links)


def versioned_library(name: str, source: str, versions: str) -> pathlib.Path:
    """lib<name>.so with a linker's version script; `.symver` in the source tells which function has which version."""
    script = FOLDER / f"lib{name}.map"
    script.write_text(versions)
    linking = f"-Wl,-soname,lib{name}.so", f"-Wl,--version-script={script}"
    return _compile(f"lib{name}.so", source, "-shared", "-fPIC", *linking)


def program(name: str, source: str, *needed: str, export: bool = False) -> pathlib.Path:
    """With what it needs: lib<needed>.so, or an option of the linker's."""
    links = [other if other.startswith("-") else f"-l{other}" for other in needed]
    return _compile(name, source, *links, *(["-Wl,--export-dynamic"] if export else []))


def answering(number: int, *names: str) -> str:
    """C functions that return the number."""
    return "".join(f"int {name}(void) {{ return {number}; }}\n" for name in names)
