#!/usr/bin/env python3
"""Writes the SBOM (SPDX 2.3, JSON) of libmuster.so and the `muster` command of one build.

Its components are those that the build has used: the headers that the compiler has read (ninja keeps them), the archives
on the link lines and the shared objects that the files name. Debian's dpkg knows whose they are; components.toml has
their licences. See docs/develop/releasing.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "packaging" / "components.toml"
NOTICES = ROOT / "packaging" / "THIRD-PARTY-NOTICES"
COMMON_LICENCES = Path("/usr/share/common-licenses")
FILES = ("lib/libmuster.so", "bin/muster")
RULE = "=" * 80


class Problem(Exception):
    """Something that the caller must mend; its text is one line."""


@dataclass(frozen=True)
class Component:
    name: str
    licence: str
    url: str
    packages: tuple[str, ...]
    notice: bool = False
    texts: tuple[str, ...] = ()
    comment: str = ""

    def has(self, package: str) -> bool:
        return any(fnmatch.fnmatch(package, pattern) for pattern in self.packages)


def output_of(*command: str | Path) -> str:
    try:
        return subprocess.check_output(command, text=True, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise Problem(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as failure:
        lines = (failure.stderr or failure.stdout or "failed").strip().splitlines()
        raise Problem(f"{command[0]}: {lines[-1]}") from None


def table() -> list[Component]:
    rows = tomllib.loads(TABLE.read_text())["component"]
    return [Component(**{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}) for row in rows]


def compiled(build: Path) -> set[str]:
    """The files outside the source tree that the compiler and the linker have read for FILES, by ninja's notes."""
    inputs = set(output_of("ninja", "-C", build, "-t", "inputs", *FILES).split("\n"))
    found = {name for name in inputs if name.endswith((".a", ".so")) and name.startswith("/")}
    is_ours = False
    for line in output_of("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            is_ours = line.partition(":")[0] in inputs
        elif is_ours and line.strip().startswith("/"):
            found.add(line.strip())
    return {name for name in found if not Path(name).is_relative_to(ROOT)}


def linked(build: Path) -> set[str]:
    """What the compiler's driver adds of itself, and the shared objects that the loader will search."""
    found = set()
    for name in FILES:
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "--dynamic", build / name)))
        for line in output_of("ldd", build / name).splitlines():
            path = re.search(r"(/\S+) \(0x", line)
            if path and Path(path[1]).name in needed:
                found.add(path[1])
    line = output_of("ninja", "-C", build, "-t", "commands", "bin/muster").splitlines()[-1]
    words = shlex.split(line)
    if "-static-libstdc++" in words:
        compiler = next(word for word in words if word.startswith("/"))
        found |= {output_of(compiler, f"-print-file-name={name}").strip() for name in ("libstdc++.a", "libgcc.a")}
    return found


def package_names(files: Iterable[str]) -> set[str]:
    """Debian's packages of the files. On a merged /usr, dpkg may know a file by its name below / or below /usr."""
    names = set()
    for name in files:
        path = str(Path(name).resolve())
        names |= {path, path.removeprefix("/usr"), name}
    done = subprocess.run(["dpkg-query", "-S", *sorted(names)], capture_output=True, text=True, check=False)
    return {line.split(":")[0] for line in done.stdout.splitlines() if ": " in line}


def used(build: Path) -> dict[Component, dict[str, str]]:
    """Each component that the build has used, with the versions of its packages."""
    for name in FILES:
        if not (build / name).is_file():
            raise Problem(f"{build / name} is missing: build the targets muster and muster_launcher first")
    files = compiled(build) | linked(build)
    try:
        packages = package_names(files)
    except FileNotFoundError:
        raise Problem("dpkg-query is not installed: only Debian's packages are known") from None
    components = table()
    found: dict[Component, dict[str, str]] = {}
    for package in sorted(packages):
        owner = next((component for component in components if component.has(package)), None)
        if owner is None:
            raise Problem(f"the build uses the package {package}, which {TABLE.relative_to(ROOT)} does not have")
        version = output_of("dpkg-query", "-W", "-f=${Version}\n", package).split("\n")[0]
        found.setdefault(owner, {})[package] = version
    if not found:
        raise Problem(f"{build}: ninja knows no header that it was compiled with; was it built with another generator?")
    return found


def version() -> str:
    match = re.search(r"project\(muster VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert match is not None
    return match[1]


def upstream(version: str) -> str:
    """1:2.36-9+deb12u14 is 2.36 of the project."""
    number = version.rpartition(":")[2]
    return re.sub(r"[.+]\b(ds|dfsg)\d*$", "", number.rpartition("-")[0] or number)


def package_record(name: str, number: str, licence: str, url: str, comment: str = "") -> dict:
    record = {
        "name": name,
        "SPDXID": f"SPDXRef-{name}",
        "versionInfo": number,
        "downloadLocation": "NOASSERTION",
        "homepage": url,
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    return record | ({"comment": comment} if comment else {})


def build_id(file: Path) -> str:
    match = re.search(r"Build ID: (\w+)", output_of("readelf", "--notes", file))
    if match is None:
        raise Problem(f"{file} has no build id: link it with --build-id")
    return match[1]


def document(build: Path) -> dict:
    found = used(build)
    ids = {name: build_id(build / name) for name in FILES}
    epoch = int(output_of("git", "-C", ROOT, "log", "-1", "--format=%ct")) if (ROOT / ".git").exists() else 0
    url = "https://muster.example.org"
    # The same in a stripped file.
    comment = "Build ids: " + ", ".join(f"{name} {number}" for name, number in ids.items())
    records = [package_record("muster", version(), "Apache-2.0", url, comment)]
    links = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-muster")]
    for component, packages in found.items():
        details = ", ".join(f"{name} {number}" for name, number in packages.items())
        comment = ". ".join(filter(None, [component.comment, f"Debian's packages: {details}"]))
        numbers = sorted({upstream(number) for number in packages.values()})
        records.append(package_record(component.name, numbers[-1], component.licence, component.url, comment))
        links.append(("SPDXRef-muster", "DEPENDS_ON", f"SPDXRef-{component.name}"))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"muster-{version()}",
        "documentNamespace": f"{url}/spdx/muster-{version()}-{ids[FILES[0]][:16]}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "creators": ["Tool: packaging/sbom.py"],
        },
        "packages": records,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in links
        ],
    }


def notices(build: Path) -> str:
    text = (
        "The `muster` command of the wheel and of the tarball contains code of these projects. libmuster.so contains\n"
        "nothing but Muster's own code. packaging/sbom.py --notices has made this file from Debian's packages.\n"
    )
    texts: list[str] = []
    for component, packages in used(build).items():
        if component.notice:
            texts += component.texts
            copyright_file = Path("/usr/share/doc") / next(iter(packages)) / "copyright"
            heading = f"{component.name} ({component.url}): {component.licence}"
            text += f"\n{RULE}\n{heading}\n{RULE}\n\n{copyright_file.read_text()}"
    for name in texts:
        text += f"\n{RULE}\n{name}\n{RULE}\n\n{(COMMON_LICENCES / name).read_text()}"
    return text


def check(build: Path) -> list[str]:
    """What the build uses is in the table, and what needs a notice has one."""
    text = NOTICES.read_text() if NOTICES.is_file() else ""
    needed = [component for component in used(build) if component.notice]
    missing = [component.name for component in needed if f"\n{component.name} ({component.url})" not in text]
    return [f"{NOTICES.relative_to(ROOT)} has no notice of {name}: write it anew" for name in missing]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", metavar="DIR", help="default: %(default)s")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--output", type=Path, metavar="FILE", help="write the SBOM there (default: to standard output)")
    what.add_argument("--notices", action="store_true", help=f"write {NOTICES.relative_to(ROOT)} of a portable build")
    what.add_argument("--check", action="store_true", help="only tell what components.toml or the notices lack")
    arguments = parser.parse_args()
    try:
        build = arguments.build.resolve()
        if arguments.check:
            for problem in (problems := check(build)):
                print(f"sbom: {problem}", file=sys.stderr)
            return 1 if problems else 0
        if arguments.notices:
            NOTICES.write_text(notices(build))
            return 0
        text = json.dumps(document(build), indent=2) + "\n"
        if arguments.output:
            arguments.output.write_text(text)
        else:
            sys.stdout.write(text)
    except (Problem, OSError) as problem:
        print(f"sbom: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
