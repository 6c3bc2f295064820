#!/usr/bin/env python3
"""Uses the tarball and the wheel in clean roots, and the wheel in every Python that is here. By hand, as root: minutes.

    archives.py --tarball build/tarball/muster-....tar.gz --wheel build/wheel/muster_omp-....whl [--suite NAME...]

A root has a C compiler and, for the wheel, Python; the oldest suite shows which C library is enough.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import sys
import tempfile
from pathlib import Path

from roots import SOURCE, Problem, Root, root, run

# bullseye has glibc 2.31, bookworm 2.36, trixie 2.41.
SUITES = ("bullseye", "bookworm", "trixie")
PACKAGES = ("gcc", "libc6-dev", "mount")
# 200 regions within two seconds, of two threads with a barrier each; it shows when it has begun.
SLOW = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 200; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
    usleep(10000);
    if (i == 5) fclose(fopen("/tmp/began", "w"));
  }
  return 0;
}
"""


def use_tarball(clean: Root, tarball: Path) -> None:
    """From a folder of its own, then from another one; without /dev/shm, and in a home that cannot be written to."""
    shutil.copy(tarball, clean.path / "muster.tar.gz")
    clean.run("sh", "-c", "mkdir /opt/m && tar -C /opt/m -xzf /muster.tar.gz")
    (folder,) = (clean.path / "opt/m").iterdir()
    place = f"/opt/m/{folder.name}"
    print(clean.run("sh", "/use.sh", f"{place}/bin/muster", "gcc"), end="")
    # Moved while a program runs: that goes on, and the next one finds the library in its new place.
    began = f"cd /tmp && gcc -fopenmp /slow.c -o slow && {place}/bin/muster run --report r.json -- ./slow &"
    clean.run("sh", "-c", f"{began} while [ ! -e /tmp/began ]; do sleep 0.1; done; mv {place} /opt/moved && wait $!")
    shown = clean.run("/opt/moved/bin/muster", "report", "/tmp/r.json")
    if " 400 arrivals replaced" not in shown:
        raise Problem(f"moved while a program ran: {shown}")
    print(clean.run("sh", "/use.sh", "/opt/moved/bin/muster", "gcc"), end="")
    without = "mount -t tmpfs -o size=4k,ro none /dev/shm; mount --bind /opt /root && mount -o remount,ro,bind /root"
    print(clean.run("sh", "-c", f"{without} && sh /use.sh /opt/moved/bin/muster gcc"), end="")


def without_runtime(clean: Root, muster: str) -> None:
    """The loader's line and status are the program's; the doctor tells what is missing."""
    away = "gcc -fopenmp /slow.c -o /tmp/lost && mv /usr/lib/x86_64-linux-gnu/libgomp.so.1 /tmp/kept"
    tried = f"status=0; {muster} run -- /tmp/lost || status=$?; echo $status; {muster} doctor /tmp/lost || true"
    back = "mv /tmp/kept /usr/lib/x86_64-linux-gnu/libgomp.so.1"
    shown = clean.run("sh", "-c", f"{away} && {{ {tried}; }} 2>&1 && {back}")
    for expected in ("libgomp.so.1: cannot open shared object file", "\n127\n", "libgomp.so.1 is not found"):
        if expected not in shown:
            raise Problem(f"{muster} without an OpenMP runtime, '{expected}' expected:\n{shown}")


def use_wheel(clean: Root, wheel: Path) -> None:
    clean.install("python3-venv")
    shutil.copy(wheel, clean.path)
    clean.run("sh", "-c", f"python3 -m venv /venv && /venv/bin/pip install -q --no-index /{wheel.name}")
    print(clean.run("sh", "/use.sh", "/venv/bin/muster", "gcc"), end="")
    clean.run("/venv/bin/python", "-m", "muster_omp", "--version")
    without_runtime(clean, "/venv/bin/muster")
    clean.run("sh", "-c", "/venv/bin/pip uninstall -y -q muster-omp && test ! -e /venv/bin/muster")


def use_pythons(wheel: Path) -> None:
    """Each Python of 3.9 and later in PATH or of pyenv: installed, used, uninstalled."""
    names = [f"python3.{minor}" for minor in range(9, 16)]
    found = {name: shutil.which(name) for name in names}
    for path in glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3.*")):
        if Path(path).name in found:
            found[Path(path).name] = path
    for name, path in found.items():
        if path is None:
            print(f"{name}: not here, not tried")
            continue
        with tempfile.TemporaryDirectory(prefix="muster-python-") as folder:
            run(path, "-m", "venv", folder)
            run(f"{folder}/bin/pip", "install", "-q", "--no-index", wheel)
            shown = run("sh", SOURCE / "tests/install/use.sh", f"{folder}/bin/muster", "gcc")
            run(f"{folder}/bin/python", "-m", "muster_omp", "run", "--", f"{folder}/bin/python", "-c", "pass")
            run(f"{folder}/bin/pip", "uninstall", "-y", "-q", "muster-omp")
            print(f"{name}: {shown.splitlines()[-1]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tarball", type=Path, help="from ./bootstrap tarball")
    parser.add_argument("--wheel", type=Path, help="from ./bootstrap wheel")
    parser.add_argument("--suite", action="append", help=f"of Debian, may be repeated ({' '.join(SUITES)})")
    arguments = parser.parse_args()
    for path in (arguments.tarball, arguments.wheel):
        if path is not None and not path.is_file():
            parser.error(f"{path} does not exist")
    if arguments.tarball is None and arguments.wheel is None:
        parser.error("nothing to try: give --tarball or --wheel")
    try:
        for suite in arguments.suite or SUITES:
            with root(suite) as clean:
                clean.install(*PACKAGES)
                shutil.copy(SOURCE / "tests/install/use.sh", clean.path / "use.sh")
                (clean.path / "slow.c").write_text(SLOW)
                if arguments.wheel:
                    use_wheel(clean, arguments.wheel)
                if arguments.tarball:
                    use_tarball(clean, arguments.tarball)
            print(f"{suite}: passed", flush=True)
        if arguments.wheel:
            use_pythons(arguments.wheel)
    except Problem as problem:
        print(f"archives: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
