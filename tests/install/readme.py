#!/usr/bin/env python3
"""What README.md and docs/use/getting-started.md tell a newcomer to type, in roots that have git and nothing else. By
hand, as root: a quarter of an hour for each suite.

The commands are read from the documents, which are taken as committed. `--test` adds `./bootstrap test` with a `ctest`
that only lists: everything that the tests need is installed and built.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from pathlib import Path

from roots import SOURCE, Problem, Root, root, run

SUITES = ("bookworm", "trixie")
TREE = "/opt/muster"
# Of a newcomer: a program of gcc's OpenMP in the folder where the commands are typed.
PROGRAM = """
cat > app.c <<'END'
#include <stdio.h>
int main(void) {
  int arrived = 0;
  for (int region = 0; region < 50; ++region) {
#pragma omp parallel reduction(+ : arrived)
    for (int i = 0; i < 100; ++i) {
#pragma omp barrier
      arrived += 1;
    }
  }
  printf("%d\\n", arrived);
  return arrived == 0;
}
END
gcc -O2 -fopenmp app.c -o app
"""
LISTS = "#!/bin/sh\nexec /usr/bin/ctest --test-dir build/release -N\n"


def blocks(document: str, first: str = "") -> list[str]:
    """The commands of the document's blocks, from the heading `first` on."""
    text = (SOURCE / document).read_text()
    return re.findall(r"^```sh\b[^\n]*\n(.*?)^```$", text[text.index(first) :], re.MULTILINE | re.DOTALL)


def type_in(clean: Root, place: str, commands: str) -> str:
    """Each line as typed, and shown before what it printed; the first that fails ends it."""
    return clean.run("bash", "-c", f"cd {shlex.quote(place)} && set -e -o pipefail && set -v\n{commands}")


def follow_readme(clean: Root) -> None:
    usual, install, *others = blocks("README.md")
    print(type_in(clean, TREE, install)[-400:], flush=True)
    clean.install("gcc", "libc6-dev")
    clean.run("mkdir", "/opt/work")
    type_in(clean, "/opt/work", PROGRAM)
    shown = type_in(clean, "/opt/work", "".join([usual, *others]))
    print(shown, flush=True)
    if "cannot be preloaded" in shown:
        raise Problem("README.md: the loader does not find the installed library")
    clean.run("sh", f"{TREE}/tests/install/use.sh", "muster", "gcc")
    print(type_in(clean, TREE, "./bootstrap demo 2>&1")[-1500:], flush=True)


def follow_getting_started(clean: Root, files: list[Path]) -> None:
    """The block that installs a release's files, where those have been made."""
    install, _made, *_ = blocks("docs/use/getting-started.md", "## Install")
    kinds = {"apt": ".deb", "tar": "x86_64.tar.gz", "pip": ".whl"}
    clean.install("python3-venv")
    clean.run("mkdir", "/opt/release")
    for file in files:
        (clean.path / "root/release" / file.name).write_bytes(file.read_bytes())
    clean.run("python3", "-m", "venv", "/opt/venv")
    for line in install.splitlines():
        kind = line.split()[0]
        if not any(file.name.endswith(kinds[kind]) for file in files):
            print(f"not here, not tried: {line}")
            continue
        typed = f". /opt/venv/bin/activate\n{line.replace('apt install', 'apt install -y')}\n"
        muster = {"apt": "/usr/bin/muster", "pip": "muster", "tar": "muster-*-linux-x86_64/bin/muster"}[kind]
        print(type_in(clean, "/opt/release", f"{typed}sh {TREE}/tests/install/use.sh {muster} gcc\n")[-300:], flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", help=f"of Debian, may be repeated ({' '.join(SUITES)})")
    parser.add_argument("--test", action="store_true", help="also set up and build what ./bootstrap test runs")
    arguments = parser.parse_args()
    made = [*SOURCE.glob("build/debian/*muster[0_]*.deb"), *SOURCE.glob("build/tarball/*.gz"), *SOURCE.glob("build/wheel/*")]
    try:
        for suite in arguments.suite or SUITES:
            with root(suite) as clean:
                clean.install("git", "ca-certificates")
                run("git", "clone", "-q", "--depth", "1", f"file://{SOURCE}", f"{clean.path}{TREE}")
                follow_readme(clean)
                follow_getting_started(clean, [file for file in made if "debug" not in file.name])
                if arguments.test:
                    ctest = clean.path / "usr/local/bin/ctest"
                    ctest.write_text(LISTS)
                    ctest.chmod(0o755)
                    print(type_in(clean, TREE, "./bootstrap test 2>&1")[-400:], flush=True)
            print(f"{suite}: as documented", flush=True)
    except Problem as problem:
        print(f"readme: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
