"""What run.py builds and runs: the suites that there are, against the library that counts. The one list."""

from __future__ import annotations

from pathlib import Path

# Instrumented, and what else the tests below start. The programs that share the headers of barriers/ and waiting/ count, too.
TARGETS = (
    *("muster", "muster_checked", "muster_unknown_entries_probe", "muster_definitions_probe"),
    *("muster_thunks_alone", "muster_unit_tests", "muster_chaos", "model", "muster_model_tests", "muster_smp_waits_tests"),
)
OBJECTS = (
    *("lib/libmuster.so", "lib/libmuster_checked.so", "bin/muster_unit_tests", "bin/muster_chaos", "bin/model"),
    *("bin/muster_model_tests", "bin/muster_smp_waits_tests", "bin/muster_unknown_entries_probe"),
    "bin/muster_definitions_probe",
)

# What the tests of ctest begin with that are run, two at a time. They need no more than TARGETS.
CTEST = (
    *("platform", "load", "turns", "waiting", "barriers", "runtime-hooks", "counters", "model", "sim.production_jobs"),
    *("sim.simulated_memory", "conformance", "region-folding", "fault", "loading", "preload", "sequences", "random-programs", "soak"),
)


def commands(root: Path, build: Path, runtimes: Path, only: str = "") -> dict[str, list[str]]:
    """One after the other; `only` is one of these, or a test of ctest."""
    places = ["--library", str(build / "lib/libmuster.so"), "--runtimes", str(runtimes)]
    every = {
        "ctest": ["ctest", "--test-dir", str(build), "-j", "2", "--output-on-failure", "-R", f"^({'|'.join(CTEST)})[.]"],
        "chaos": [str(build / "bin/muster_chaos"), "--episodes", "100000"],
        "nth-failure": [
            *(str(root / "tests/fault/nth_failure.py"), *places, "--build", str(build / "nth")),
            *("--programs", "constructs,memory", "--settings", "auto,on,2cs+", "--on", "libgomp12,libomp19"),
        ],
        "torture": [str(root / "tests/run.py"), "torture", "--build", str(build), "--runtimes", str(runtimes), "--minutes", "1"],
    }
    if not only:
        return every
    one = ["ctest", "--test-dir", str(build), "--output-on-failure", "-R", f"^{only}"]
    return {only: every.get(only, one)}
