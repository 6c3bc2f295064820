"""Fetches sources from Debian. apt's own lists and settings are not changed."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path


class FetchError(Exception):
    """One line for the user."""


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise FetchError(f"`{' '.join(command)}`: {lines[-1] if lines else done.returncode}")


def _extracted(archive: Path, member: str, folder: Path) -> Path:
    """`member` is the path of a folder in the archive, behind its top folder."""
    _run(["tar", "-xf", str(archive), "--wildcards", f"*/{member}"], folder)
    found = sorted(folder.glob(f"*/{member}"))
    if not found:
        raise FetchError(f"{archive.name} has no {member}")
    return found[0]


def source_package(name: str, member: str, folder: Path) -> Path:
    """A folder of a source package, from the archives that this machine's packages come from."""
    ready = sorted(folder.glob(f"{name}*/{member}"))
    if ready:
        return ready[0]
    apt = folder / "apt"
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    rows = sorted({tuple(line.split()[:3]) for line in listing.stdout.splitlines() if line.endswith(" main")})
    if not rows:
        raise FetchError(f"no sources of packages are known to apt on this {platform.system()}")
    suites = {(site, f"{code}{more}") for site, code, _ in rows for more in ("", "-updates", "-security")}
    lines = [f"deb-src {site} {suite} main" for site, suite in sorted(suites)]
    (apt / "sources.list").write_text("\n".join(lines) + "\n")
    options = [f"Dir::Etc::sourcelist={apt}/sources.list", "Dir::Etc::sourceparts=-", f"Dir::State::lists={apt}/lists"]
    options += [f"Dir::Cache={apt}/cache", "APT::Sandbox::User=root", "Acquire::Languages=none"]
    command = ["apt-get", *(part for option in options for part in ("-o", option))]
    # Not each of those suites is on each site, and apt-get update fails for one that is not.
    subprocess.run([*command, "update", "-qq"], cwd=folder, capture_output=True, timeout=600, check=False)
    _run([*command, "source", "--download-only", "-qq", name], folder)
    archives = sorted(folder.glob(f"{name}_*.orig.tar.*"))
    if not archives:
        raise FetchError(f"the source package {name} has no .orig.tar here")
    found = _extracted(archives[-1], member, folder)
    archives[-1].unlink()
    return found


def source_in_package(package: str, archive: str, member: str, folder: Path) -> Path:
    """The same from a binary package that carries its source as an archive."""
    ready = sorted(folder.glob(f"*/{member}"))
    if ready:
        return ready[0]
    _run(["apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package], folder)
    (deb,) = folder.glob(f"{package}_*.deb")
    _run(["dpkg-deb", "-x", str(deb), str(folder)], folder)
    deb.unlink()
    found = sorted(folder.glob(archive))
    if not found:
        raise FetchError(f"{package} has no {archive}")
    place = _extracted(found[0], member, folder)
    found[0].unlink()
    return place
