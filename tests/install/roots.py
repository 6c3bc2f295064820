"""Root file systems of Debian with nothing but what is asked for, made by mmdebstrap from the mirror that apt uses here.

They are kept as archives in build/install/, and unpacked anew for each use. Needs root.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
KEPT = SOURCE / "build" / "install"
MOUNTS = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"'


class Problem(Exception):
    """Why a package or a root is not as it should be, in a line or with a command's output."""


def run(*command: str | Path, **options: object) -> str:
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    except FileNotFoundError:
        raise Problem(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise Problem(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def mirror() -> str:
    """Debian's archive, as this system's apt has it."""
    lines = run("apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages").splitlines()
    for line in lines:
        origin, label, uri = line.split("|")
        if (origin, label) == ("Debian", "Debian"):
            return uri
    raise Problem("apt has no list of Debian's packages; run apt-get update on a Debian system")


@dataclass(frozen=True)
class Root:
    path: Path

    def run(self, *command: str) -> str:
        """In the root, with /proc and /dev, in a mount namespace that goes away with it."""
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        isolated = ["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTS, "sh"]
        return run(*isolated, str(self.path), *command, env=environment)

    def install(self, *packages: str) -> None:
        self.run("apt-get", "update", "-qq")
        self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)


def archive(suite: str, packages: Sequence[str], variant: str) -> Path:
    """Made once for each suite and list of packages."""
    key = hashlib.sha256(" ".join([suite, variant, *packages]).encode()).hexdigest()[:10]
    kept = KEPT / f"{suite}-{key}.tar"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = kept.with_suffix(".part.tar")
        include = [f"--include={','.join(packages)}"] if packages else []
        line = f"deb {mirror()} {suite} main"
        run("mmdebstrap", "--quiet", f"--variant={variant}", *include, suite, made, line)
        made.rename(kept)
    return kept


@contextlib.contextmanager
def root(suite: str, packages: Sequence[str] = (), variant: str = "apt") -> Iterator[Root]:
    if os.geteuid() != 0:
        raise Problem("only root can unpack and enter a root file system")
    kept = archive(suite, packages, variant)
    folder = Path(tempfile.mkdtemp(prefix=f"{suite}-", dir=KEPT))
    try:
        run("tar", "-C", folder, "-xf", kept)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        yield Root(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
