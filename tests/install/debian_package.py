#!/usr/bin/env python3
"""Builds the Debian packages of the committed tree in a clean root, checks them by lintian, and installs, uses and purges
them in roots that have nothing else. By hand, as root: ten minutes and more. See README.md here.

The packages are left in build/debian/.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from roots import SOURCE, Problem, Root, root, run

PACKAGES = SOURCE / "build" / "debian"
TOOLS = ["build-essential", "lintian", "fakeroot"]


def version() -> str:
    match = re.match(r"muster \((\S+)\)", (SOURCE / "debian" / "changelog").read_text())
    if match is None:
        raise Problem("debian/changelog: its first line has no version")
    return match[1]


def build_dependencies() -> list[str]:
    text = (SOURCE / "debian" / "control").read_text()
    listed = re.search(r"^Build-Depends:\n((?: .*\n)+)", text, re.MULTILINE)
    assert listed is not None
    names = [re.sub(r"[ (:].*", "", name.strip()) for name in listed[1].split(",") if name.strip()]
    virtual = {"debhelper-compat": "debhelper", "dh-sequence-python3": "dh-python"}
    return [virtual.get(name, name) for name in names]


def unpack_source(place: Path) -> Path:
    """As a Debian maintainer has it: the release's archive, and debian/ over it."""
    upstream = version().rpartition("-")[0]
    folder = place / f"muster-{upstream}"
    folder.mkdir(parents=True)
    for name, paths in (("orig", [".", ":!debian"]), ("all", ["."])):
        made = place / f"{name}.tar"
        run("git", "-C", SOURCE, "archive", f"--prefix={folder.name}/", "-o", made, "HEAD", *paths)
    run("tar", "-C", place, "-xf", place / "all.tar")
    run("gzip", "-n", place / "orig.tar")
    (place / "orig.tar.gz").rename(place / f"muster_{upstream}.orig.tar.gz")
    (place / "all.tar").unlink()
    return folder


def build(suite: str) -> None:
    with root(suite, [*TOOLS, *build_dependencies()], "buildd") as clean:
        folder = unpack_source(clean.path / "build")
        inside = f"/build/{folder.name}"
        print(f"building muster {version()} on {suite}", flush=True)
        clean.run("sh", "-c", f"cd {inside} && dpkg-buildpackage -us -uc")
        shutil.rmtree(PACKAGES, ignore_errors=True)
        PACKAGES.mkdir(parents=True)
        for made in folder.parent.glob("*muster*_*"):
            shutil.copy(made, PACKAGES)
        (changes,) = folder.parent.glob("*.changes")
        shown = clean.run("lintian", "--info", "--fail-on", "error,warning", f"/build/{changes.name}")
        print(f"lintian: no errors, no warnings\n{shown}", flush=True)


def files_of(clean: Root) -> set[str]:
    """All but what apt and dpkg keep of any package that ever was."""
    apart = ("var/lib/dpkg", "var/lib/apt", "var/cache", "var/log", "proc", "dev", "tmp", "etc/ld.so.cache", "root", "run")
    found = set()
    for path in clean.path.rglob("*"):
        name = str(path.relative_to(clean.path))
        if not name.startswith(apart):
            found.add(name)
    return found


def use(suite: str) -> None:
    with root(suite) as clean:
        clean.install("gcc", "libc6-dev", "libomp5-19", "python3")
        before = files_of(clean)
        place = clean.path / "packages"
        place.mkdir()
        for package in PACKAGES.glob("*.deb"):
            if "dbgsym" not in package.name:
                shutil.copy(package, place)
        clean.run("sh", "-c", "apt-get install -y -qq --no-install-recommends /packages/*.deb")
        (clean.path / "use.sh").write_text((SOURCE / "tests/install/use.sh").read_text())
        print(clean.run("sh", "/use.sh", "/usr/bin/muster", "gcc"))
        # By a bare name, as docs/use/getting-started.md has it.
        clean.run("sh", "-c", "LD_PRELOAD=libmuster.so MUSTER_VERBOSE=1 muster --version 2>&1 | grep -v 'cannot be preloaded'")
        for tool in ("gang", "smp", "syncbench", "syncbench-gomp", "burner", "trace"):
            clean.run(f"muster-{tool}", "--help")
        clean.run("sh", "-c", "muster run -- muster-syncbench-gomp --help && test -d /usr/share/doc/muster/use")
        (clean.path / "use.sh").unlink()
        shutil.rmtree(place)
        clean.run("apt-get", "purge", "-y", "-qq", "libmuster0", "muster", "muster-tools", "muster-doc")
        clean.run("apt-get", "autoremove", "--purge", "-y", "-qq")
        left = sorted(files_of(clean) - before)
        if left:
            raise Problem(f"left after the purge: {' '.join(left)}")
        print(f"{suite}: installed, used and purged", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="bookworm", help="of Debian; where the packages are built and used (%(default)s)")
    parser.add_argument("--use-only", action="store_true", help="take the packages that build/debian/ has")
    arguments = parser.parse_args()
    try:
        if not arguments.use_only:
            build(arguments.suite)
        elif not list(PACKAGES.glob("*.deb")):
            raise Problem("build/debian/ has no packages; run this without --use-only")
        use(arguments.suite)
    except Problem as problem:
        print(f"debian_package: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
