#!/usr/bin/env python3
"""Fetches the OpenMP runtimes that the tests run on and unpacks them side by side.

    fetch.py build/runtimes [NAME ...]

leaves build/runtimes/NAME/ for each of libomp14, libomp16, libomp19, libomp21 and libiomp5, in it
the one real library under the three names that programs ask for, and for each of libgomp7, libgomp9,
libgomp12 and libgomp14, in it libgomp.so.1. With LD_LIBRARY_PATH set to that folder, a program linked
with any of them runs on it. What is there already is left alone.

libgomp7 and libgomp9 are what Python wheels carry: Red Hat's builds, with the interfaces of gcc 7 and
gcc 9. libgomp14 and libgomp16 need a newer C library than this machine may have. It lies beside them,
in libc/, and programs run on it by its loader (lab/runtimes.py).

libomp19 and libgomp12, which the gate runs on, are the system's where they are installed.

libgomp10 and libgomp16 are fetched only when asked for. So are libomp16-aarch64 and libomp16-ppc64le,
which are for other processors than this one, into a folder of their own (tests/cross).
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab.runtimes import loader_command  # noqa: E402

LIBOMP_NAMES = ("libomp.so.5", "libomp.so", "libiomp5.so")
LIBGOMP_NAMES = ("libgomp.so.1",)
LIBC = "libc"  # folder of the C library that a runtime brings with it
LIBC_FILES = ("ld-linux*.so.*", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1")
STAMP = ".stamp"


class FetchError(Exception):
    """One line for the user: what could not be had, and how to get it."""


@dataclass(frozen=True)
class Runtime:
    name: str
    package: str  # what apt-get or pip downloads
    member: str  # the library inside it, as a glob pattern
    fetch: Callable[[str, Path], None]  # unpacks the package into a directory
    link_names: tuple[str, ...] = LIBOMP_NAMES
    runs_here: bool = True
    by_default: bool = True
    libc: str = ""  # folder of the C library in the package, as a glob pattern


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


def fetch_installed(package: str, directory: Path) -> None:
    """The system's own copy of the package's library, without a network; else as fetch_debian()."""
    member = next(runtime.member for runtime in RUNTIMES if runtime.package == package)
    member = member.replace("*-linux-gnu", f"{platform.machine()}-linux-gnu")
    if not (Path("/") / member).exists():
        fetch_debian(package, directory)
        return
    (directory / member).parent.mkdir(parents=True)
    shutil.copyfile(Path("/") / member, directory / member)


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


def own_archive() -> str:
    """Where this machine's own release of Debian comes from, to take another one from there."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    for line in listing.stdout.splitlines():
        site, *rest = line.split()
        if rest == [release, "main"]:
            return site
    raise FetchError("this machine has no source of Debian's packages; its other releases are fetched from there")


def fetch_other_debian(package: str, directory: Path) -> None:
    """`package` is NAME[+NAME...]/RELEASE. apt's own lists and settings stay as they are."""
    names, release = package.split("/")
    apt = directory / "apt"
    for folder in ("lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(f"deb {own_archive()} {release} main\n")
    options = [f"Dir::Etc::SourceList={apt}/sources.list", "Dir::Etc::SourceParts=/dev/null"]
    options += [f"Dir::State::lists={apt}/lists", f"Dir::State::status={apt}/status", f"Dir::Cache={apt}/cache"]
    options += ["APT::Sandbox::User=root", "Acquire::Languages=none"]
    command = ["apt-get", *(part for option in options for part in ("-o", option))]
    hint = f"it is in Debian's release {release}; is there a network?"
    run_quietly([*command, "update", "-qq"], directory, hint)
    run_quietly([*command, "download", "--quiet", *names.split("+")], directory, hint)
    shutil.rmtree(apt)
    for archive in directory.glob("*.deb"):
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


LIBGOMP = "usr/lib/*-linux-gnu/libgomp.so.1.0.0"
GLIBC = "usr/lib/*-linux-gnu"
LIBOMP16 = "usr/lib/llvm-16/lib/libomp.so.5"
RUNTIMES = (
    Runtime("libomp14", "libomp5-14", "usr/lib/llvm-14/lib/libomp.so.5", fetch_debian),
    Runtime("libomp16", "libomp5-16", LIBOMP16, fetch_debian),
    Runtime("libomp19", "libomp5-19", "usr/lib/llvm-19/lib/libomp.so.5", fetch_installed),
    Runtime("libomp21", "cmeel-libomp==21.1.8", "cmeel.prefix/lib/libomp.so", fetch_wheel),
    Runtime(
        "libiomp5",
        "intel-openmp==2026.2.0",
        "intel_openmp-2026.2.0.data/data/lib/libiomp5.so",
        fetch_wheel,
    ),
    Runtime(
        "libgomp7", "pykdtree==1.3.9", "pykdtree.libs/libgomp-*.so.1.0.0", fetch_wheel, LIBGOMP_NAMES
    ),
    Runtime(
        "libgomp9", "sparse-dot-topn==1.2.0", "sparse_dot_topn.libs/libgomp-*.so.1.0.0", fetch_wheel, LIBGOMP_NAMES
    ),
    Runtime("libgomp10", "libgomp1/bullseye", LIBGOMP, fetch_other_debian, LIBGOMP_NAMES, by_default=False),
    Runtime("libgomp12", "libgomp1", LIBGOMP, fetch_installed, LIBGOMP_NAMES),
    Runtime("libgomp14", "libgomp1+libc6/trixie", LIBGOMP, fetch_other_debian, LIBGOMP_NAMES, libc=GLIBC),
    Runtime(
        "libgomp16", "libgomp1+libc6/forky", LIBGOMP, fetch_other_debian, LIBGOMP_NAMES, by_default=False, libc=GLIBC
    ),
    *(
        Runtime(f"libomp16-{processor}", f"libomp5-16:{architecture}", LIBOMP16, fetch_foreign_debian, runs_here=False)
        for processor, architecture in (("aarch64", "arm64"), ("ppc64le", "ppc64el"))
    ),
)


def check_loads(library: Path) -> None:
    """A library for another machine, or one that misses another library, is found here."""
    program = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).omp_get_max_threads()"
    command = [*loader_command(library.parent), sys.executable, "-c", program, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise FetchError(f"{library.name} does not load: {lines[-1]}")


def one_file(folder: Path, pattern: str, package: str) -> Path:
    found = [path for path in folder.glob(pattern) if path.is_file()]
    if len(found) != 1:
        raise FetchError(f"{package} holds {len(found)} of {pattern} instead of one")
    return found[0]


def install(runtime: Runtime, directory: Path) -> bool:
    """Puts one runtime in place; false where it already was."""
    target = directory / runtime.name
    stamp = target / STAMP
    complete = all((target / name).exists() for name in runtime.link_names)
    if complete and stamp.is_file() and stamp.read_text() == runtime.package:
        return False
    with tempfile.TemporaryDirectory(dir=directory, prefix=".fetch-") as scratch:
        unpacked = Path(scratch) / "unpacked"
        unpacked.mkdir()
        runtime.fetch(runtime.package, unpacked)
        library = one_file(unpacked, runtime.member, runtime.package)
        ready = Path(scratch) / "ready"
        ready.mkdir()
        shutil.copyfile(library, ready / library.name)
        for link in runtime.link_names:
            if link != library.name:
                (ready / link).symlink_to(library.name)
        if runtime.libc:
            (ready / LIBC).mkdir()
            for name in LIBC_FILES:
                file = one_file(unpacked, f"{runtime.libc}/{name}", runtime.package)
                shutil.copy(file, ready / LIBC / file.name)
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
        by_default = runtime.runs_here and runtime.by_default
        wanted = runtime.name in arguments.names if arguments.names else by_default
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
