"""The machine code of fetch-add's loop: the paper's pair of instructions, and nothing that hides its failures."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys

# For each processor and function: what there must be, in this order, and what there must not. Without a single
# instruction for it the other function is whatever the compiler makes of std::atomic.
EXPECTED = {
    "aarch64": {
        "by_loop": (["ldaxr", "add", "stlxr"], r"cas\w*|ldadd\w*|bl|ldxr|stxr"),
    },
    "aarch64-lse": {
        "by_loop": (["ldaxr", "add", "stlxr"], r"cas\w*|ldadd\w*|bl|ldxr|stxr"),
        "by_instruction": (["ldaddal"], r"cas\w*|ld\w*xr|st\w*xr|bl"),
    },
    "ppc64le": {
        "by_loop": (["lwsync", "ldarx", "add", "stdcx.", "bne-", "isync"], r"sync|bl"),
    },
    "x86_64": {
        "by_loop": (["lock cmpxchg"], r"lock xadd|call"),
        "by_instruction": (["lock xadd"], r"lock cmpxchg|call"),
    },
}


def instructions(objdump: str, file: str) -> dict[str, list[str]]:
    """Each function's instructions, without their operands."""
    text = subprocess.check_output([objdump, "-d", "--no-show-raw-insn", file], text=True)
    functions: dict[str, list[str]] = {}
    for line in text.splitlines():
        if begins := re.match(r"[0-9a-f]+ <muster_probe_(\w+)>:", line):
            code = functions.setdefault(begins[1], [])
        elif found := re.match(r"\s+[0-9a-f]+:\s+(?:(lock)\s+)?(\S+)", line):
            # LLVM's objdump gives a prefix a line of its own and tells how wide the rest is: cmpxchgq.
            locked = found[1] or (code and code[-1] == "lock" and code.pop())
            code.append(f"lock {found[2].rstrip('q')}" if locked else found[2])
    return functions


def problems(processor: str, functions: dict[str, list[str]]) -> list[str]:
    out = []
    for name, (needed, forbidden) in EXPECTED[processor].items():
        code = functions[name]
        rest = iter(code)
        # An `in` goes on where the one before has stopped.
        missing = [each for each in needed if each not in rest]
        if missing:
            out.append(f"{name}: no {missing[0]} in its place: {' '.join(code)}")
        out += [f"{name}: {each}" for each in code if re.fullmatch(forbidden, each)]
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processor", choices=EXPECTED)
    parser.add_argument("objdump")
    parser.add_argument("object")
    arguments = parser.parse_args()
    found = problems(arguments.processor, instructions(arguments.objdump, arguments.object))
    for each in found:
        print(f"{arguments.processor}: {each}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
