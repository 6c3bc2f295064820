"""DejaGnu's directives, as far as libgomp's tests have them: what to compile with, and whether to run it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)\s*(.*?)\s*\}\s*(?:\*/|\*\)|$)")
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|\{(.*)\}|(\S+)')

# Effective targets that x86-64 Linux has.
HERE = {"tls", "tls_runtime", "pthread", "fopenmp", "c", "c++", "lp64", "sync_int_long", "size32plus", "large_long_double",
        "offload_device_shared_as", "lto", "avx_runtime", "vect_simd_clones"}  # fmt: skip


@dataclass
class Directives:
    action: str = "run"
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    more_sources: list[str] = field(default_factory=list)
    must_fail: bool = False
    only_elsewhere: bool = False  # an offloading device, another processor, or a target that is unknown here


def _words(text: str) -> list[str]:
    """Strings without their quotes, lists in braces without those."""
    return [next(part for part in match if part is not None) for match in _matches(text)]


def _matches(text: str) -> list[tuple[str | None, ...]]:
    return [match.groups() for match in WORD.finditer(text)]


def _applies(selector: str) -> bool | None:
    """Whether a target selector is true on x86-64 Linux without devices. None: it is not known here."""
    plain = " ".join(selector.split())
    known = {
        "": True,
        "target *-*-*": True,
        "target *-*-linux*": True,
        "target lp64": True,
        "target x86_64-*-*": True,
        "target { i?86-*-* x86_64-*-* }": True,
        "target i?86-*-* x86_64-*-*": True,
        "target avx_runtime": True,
        "target sse2_runtime": True,
        "target tls_runtime": True,
        "target { { i?86-*-* x86_64-*-* } && lp64 }": True,
        "target { { i?86-*-* x86_64-*-* } && ia32 }": False,
        "target *-*-linux* *-*-gnu* *-*-freebsd*": True,
        "target alpha*-*-*": False,
        "target { ! run_expensive_tests }": True,
        "target run_expensive_tests": False,
        "target vect_simd_clones": True,
        "target lto": True,
        "target offload_device_shared_as": True,  # what falls back to the host shares its memory
        "target { vect_simd_clones && lto }": True,
        "target __float128": True,
        "target fd_truncate": True,
        "target c++": False,
        "target c": True,
        "target offload_device": False,
    }
    return known.get(plain)


def read_directives(source: Path, cpp: bool = False) -> Directives:
    found = Directives()
    for line in source.read_text(errors="replace").splitlines():
        match = DIRECTIVE.search(line)
        if match is not None:
            _take(found, match[1], _words(match[2]), cpp)
    return found


def _take(found: Directives, name: str, words: list[str], cpp: bool) -> None:
    selector = words[1].strip() if len(words) > 1 else ""
    if selector in ("target c++", "target c"):
        applies: bool | None = (selector == "target c++") == cpp
    else:
        applies = _applies(selector)
    if name == "dg-do":
        found.action = words[0]
        found.only_elsewhere |= applies is not True
    elif name in ("dg-options", "dg-additional-options"):
        if applies:
            found.options += words[0].split() if words else []
    elif name == "dg-set-target-env-var":
        found.environment[words[0]] = words[1]
    elif name == "dg-additional-sources":
        found.more_sources += words[0].split()
    elif name == "dg-shouldfail":
        found.must_fail = True
    elif name == "dg-skip-if":
        found.only_elsewhere |= words[1:2] == [" *-*-* "]  # a part of another test
    elif name == "dg-require-effective-target":
        found.only_elsewhere |= words[0] not in HERE
