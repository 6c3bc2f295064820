"""Assertions by which released runtimes end a legal program now and then, with no Muster near it."""

from __future__ import annotations

KNOWN = (
    # libomp 14 and 16: where threads that have given memory away are gone; stock in some three of ten thousand random programs.
    "Assertion failure at kmp_alloc.cpp",
    # libomp 14 to 19, as Debian builds them, with schedule(dynamic): a thread that looks for chunks reads a teammate's
    # bounds while that one writes them, and asserts what only holds once the comparison after it has succeeded. Stock in
    # two of three runs of 20 s that do nothing but such loops, 12 threads on 2 CPUs.
    "vnew.p.ub * (UT)chunk <= trip",
)


def ended_by_known_assertion(stderr: str) -> bool:
    return any(text in stderr for text in KNOWN)
