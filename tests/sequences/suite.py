"""Short sequences of OpenMP constructs, a sample of the enumeration, always the same; a context and a runtime each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plan import CONTEXTS, LIBGOMPS, LIBOMPS

from driver.entries import Entry
from driver.places import GATE_RUNTIMES, PYTHON, ROOT, Places

RUN = str(Path(__file__).resolve().parent / "run.py")
CASES, CASES_OF_GATE = 40, 12


def entries(places: Places) -> Iterator[Entry]:
    build = ("--library", str(places.build / "lib/libmuster_checked.so"), "--build", str(places.programs("sequences")))
    for context in CONTEXTS:
        for runtime in (*LIBOMPS, *LIBGOMPS):
            for full in (False, True) if runtime in GATE_RUNTIMES else (True,):
                runtimes = ROOT / "build/runtimes" if full else places.runtimes
                variants = ("gnu",) if runtime in LIBGOMPS else ("clang", "gcc")
                chosen = ("--context", context, "--runtime", runtime, "--variant", *variants, "--inlined", "4" if full else "0")
                chosen += ("--cases", str(CASES if full else CASES_OF_GATE))
                command = (PYTHON, RUN, *build, "--runtimes", str(runtimes), *chosen, "--jobs", "1")
                name = f"sequences.{context}.{runtime}"
                yield Entry(f"{name}.more" if full and runtime in GATE_RUNTIMES else name, command, full=full)
