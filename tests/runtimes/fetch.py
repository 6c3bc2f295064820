#!/usr/bin/env python3
"""Fetches the OpenMP runtimes that the tests run on and unpacks them side by side.

    fetch.py build/runtimes [NAME ...]

leaves build/runtimes/NAME/ for each of libomp14, libomp16, libomp19, libomp21 and libiomp5, in it
the one real library under the three names that programs ask for. With LD_LIBRARY_PATH set to that
folder, a program linked with any of them runs on it. What is there already is left alone.

libomp16-aarch64 and libomp16-ppc64le are for other processors than this one and fetched only when asked
for, into a folder of their own (tests/cross).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LINK_NAMES = ("libomp.so.5", "libomp.so", "libiomp5.so")
STAMP = ".stamp"


class FetchError(Exception):
    """One line for the user: what could not be had, and how to get it."""


@dataclass(frozen=True)
class Runtime:
    name: str
    package: str  # what apt-get or pip downloads
    member: str  # the library inside it
    fetch: Callable[[str, Path], None]  # unpacks the package into a directory
    runs_here: bool = True


def run_quietly(command: list[str], directory: Path, hint: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=600, check=False
        )
    except FileNotFoundError:
        raise FetchError(f"{command[0]} is not installed; {hint}") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"`{' '.join(command)}` took over 600 s; {hint}") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"status {done.returncode}"
        raise FetchError(f"`{' '.join(command)}`: {reason}; {hint}")


def fetch_debian(package: str, directory: Path) -> None:
    command = ["apt-get", "download", "--quiet", package]
    if os.geteuid() == 0:
        # The user that apt would switch to cannot write into our directory.
        command[1:1] = ["-o", "APT::Sandbox::User=root"]
    run_quietly(command, directory, "run `apt-get update` and try again (it is in Debian 12)")
    archives = list(directory.glob("*.deb"))
    if len(archives) != 1:
        raise FetchError(f"apt-get download {package} left {len(archives)} packages instead of one")
    hint = "install the package `dpkg`"
    run_quietly(["dpkg-deb", "-x", str(archives[0]), str(directory)], directory, hint)


def fetch_foreign_debian(package: str, directory: Path) -> None:
    """`package` is NAME:ARCHITECTURE. apt's own lists and settings stay as they are."""
    name, architecture = package.split(":")
    apt = directory / "apt"
    for folder in ("lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    options = [f"APT::Architecture={architecture}", f"APT::Architectures::={architecture}"]
    options += [f"Dir::State::lists={apt}/lists", f"Dir::Cache={apt}/cache"]
    options += ["APT::Sandbox::User=root", "Acquire::Languages=none"]
    command = ["apt-get", *(part for option in options for part in ("-o", option))]
    # Fails as well for a further source that has nothing for that processor.
    subprocess.run([*command, "update", "-qq"], capture_output=True, timeout=600, check=False)
    run_quietly([*command, "download", "--quiet", name], directory, "it is in Debian 12; is there a network?")
    shutil.rmtree(apt)
    (archive,) = directory.glob("*.deb")
    run_quietly(["dpkg-deb", "-x", str(archive), str(directory)], directory, "install the package `dpkg`")


def fetch_wheel(package: str, directory: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--dest", ".", package]
    run_quietly(command, directory, "it takes pip (package `python3-pip`) and a package index")
    wheels = list(directory.glob("*.whl"))
    if len(wheels) != 1:
        raise FetchError(f"pip download {package} left {len(wheels)} wheels instead of one")
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(directory)


LIBOMP16 = "usr/lib/llvm-16/lib/libomp.so.5"
RUNTIMES = (
    Runtime("libomp14", "libomp5-14", "usr/lib/llvm-14/lib/libomp.so.5", fetch_debian),
    Runtime("libomp16", "libomp5-16", LIBOMP16, fetch_debian),
    Runtime("libomp19", "libomp5-19", "usr/lib/llvm-19/lib/libomp.so.5", fetch_debian),
    Runtime("libomp21", "cmeel-libomp==21.1.8", "cmeel.prefix/lib/libomp.so", fetch_wheel),
    Runtime(
        "libiomp5",
        "intel-openmp==2026.2.0",
        "intel_openmp-2026.2.0.data/data/lib/libiomp5.so",
        fetch_wheel,
    ),
    *(
        Runtime(f"libomp16-{processor}", f"libomp5-16:{architecture}", LIBOMP16, fetch_foreign_debian, runs_here=False)
        for processor, architecture in (("aarch64", "arm64"), ("ppc64le", "ppc64el"))
    ),
)


def check_loads(library: Path) -> None:
    """A library for another machine, or one that misses another library, is found here."""
    program = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_get_max_threads()"
    done = subprocess.run(
        [sys.executable, "-c", program, str(library)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise FetchError(f"{library.name} does not load: {lines[-1]}")


def install(runtime: Runtime, directory: Path) -> bool:
    """Puts one runtime in place; false where it already was."""
    target = directory / runtime.name
    stamp = target / STAMP
    complete = all((target / name).exists() for name in LINK_NAMES)
    if complete and stamp.is_file() and stamp.read_text() == runtime.package:
        return False
    with tempfile.TemporaryDirectory(dir=directory, prefix=".fetch-") as scratch:
        unpacked = Path(scratch) / "unpacked"
        unpacked.mkdir()
        runtime.fetch(runtime.package, unpacked)
        library = unpacked / runtime.member
        if not library.is_file():
            raise FetchError(f"{runtime.package} holds no {runtime.member}")
        ready = Path(scratch) / "ready"
        ready.mkdir()
        shutil.copyfile(library, ready / library.name)
        for link in LINK_NAMES:
            if link != library.name:
                (ready / link).symlink_to(library.name)
        if runtime.runs_here:
            check_loads(ready / library.name)
        (ready / STAMP).write_text(runtime.package)
        shutil.rmtree(target, ignore_errors=True)
        ready.rename(target)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch the OpenMP runtimes that the tests run on.")
    parser.add_argument("directory", type=Path, help="where to put them, e.g. build/runtimes")
    names = [runtime.name for runtime in RUNTIMES]
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"default: all for this processor of {', '.join(names)}"
    )
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in names:
            parser.error(f"unknown runtime {name}; there are {', '.join(names)}")
    try:
        arguments.directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"fetch.py: {arguments.directory}: {error.strerror}", file=sys.stderr)
        return 1
    directory = arguments.directory.resolve()
    status = 0
    for runtime in RUNTIMES:
        wanted = runtime.name in arguments.names if arguments.names else runtime.runs_here
        if not wanted:
            continue
        try:
            fetched = install(runtime, directory)
        except (FetchError, OSError, zipfile.BadZipFile) as error:
            print(f"fetch.py: {runtime.name} ({runtime.package}): {error}", file=sys.stderr)
            status = 1
        else:
            print(f"{runtime.name}: {'fetched' if fetched else 'already there'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
