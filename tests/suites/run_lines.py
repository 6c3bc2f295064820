"""lit's RUN lines, with the substitutions of libomp's suite."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from case import ONCE, RUN

RUN_LINE = re.compile(r"RUN:\s?(.*)$")
REQUIRES = re.compile(r"(?:REQUIRES|UNSUPPORTED):\s*(.*)$")


def script_of(lines: list[str]) -> str:
    """The RUN lines of a file, each a command of its own; a backslash at the end continues with the next."""
    commands: list[str] = []
    goes_on = False
    for line in lines:
        match = RUN_LINE.search(line)
        if match is None:
            continue
        text = match[1].rstrip()
        if goes_on:
            commands[-1] += " " + text.rstrip("\\").strip()
        else:
            commands.append(text.rstrip("\\").strip())
        goes_on = text.endswith("\\")
    return " &&\n".join(f"{{ {command}; }}" for command in commands)


def substituted(script: str, source: Path, root: Path, flags: str) -> str:
    """`%libomp-run` is what is to be preloaded. So `-and-run` is made of it, as in libomp's own configuration."""
    flags = f"-I {shlex.quote(str(root))} -I {shlex.quote(str(root / 'ompt'))} {flags}"
    c, cpp = f"{ONCE} %clang -fopenmp %flags", f"{ONCE} %clangXX -fopenmp %flags"
    compile_lines = {
        "%libomp-cxx-compile-c": f"{cpp} -std=c++17 -x c++ %s -o %t -lm",
        "%libomp-cxx20-compile": f"{cpp} -std=c++20 %s -o %t -lm",
        "%libomp-cxx-compile": f"{cpp} -std=c++17 %s -o %t -lm",
        "%libomp-irbuilder-compile": f"{c} -fopenmp-enable-irbuilder %s -o %t -lm",
        "%libomp-c99-compile": f"{c} -std=c99 %s -o %t -lm",
        "%libomp-compile": f"{c} %s -o %t -lm",
    }
    table = {f"{name}-and-run": f"{line} && %libomp-run" for name, line in compile_lines.items()} | compile_lines
    table |= {
        "%libomp-run": f"{RUN} %t",
        "%clangXX": "clang++-19",
        "%clang": "clang-19",
        "%openmp_flags": "-fopenmp",
        "%flags-use-compiler-omp-h": flags,
        "%flags": flags,
        "%preload-tool": "env LD_PRELOAD=$PWD/tool.so",
        "%no-as-needed-flag": "-Wl,--no-as-needed",
        "%sort-threads": "sort -n -s",
        "%python": "python3",
        "%not": "not-19",
        "FileCheck": "tee t.out | FileCheck-19",
        "%s": shlex.quote(str(source)),
        "%S": shlex.quote(str(source.parent)),
        "%T": "$PWD",
        "%t": "$PWD/t",
    }
    for name, value in table.items():
        script = script.replace(name, value)
    return script


def required(lines: list[str]) -> set[str]:
    return {word.strip() for line in lines if (match := REQUIRES.search(line)) for word in match[1].split(",")}
