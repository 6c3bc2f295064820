"""Runs the commands that README.md and docs/use show: docs_commands.py --root FOLDER --build FOLDER [PAGE...]

Each block fenced as ```sh is run by bash, which stops at the first command that fails. The blocks of a page follow each
other in a folder of its own, in which ./app is an OpenMP program and train.py a script. `muster`, libmuster.so and the
build's other programs are found by name. What stands behind the language says what is expected:

    ```sh                          status 0
    ```sh status: 1                this status
    ```sh needs: mpirun            not run, and counted, where a command is missing
    ```sh skip: needs Docker       never run, and why
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from markdown import Fence, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab import runs  # noqa: E402
from lab.environment import clean_environment  # noqa: E402

SHELL = re.compile(r"sh(?:\s+(?P<key>status|needs|skip):\s*(?P<value>.+))?$")
APP = ["tests/conformance/programs/barrier_stencil.c", "tests/conformance/programs"]
SECONDS = 20.0  # for a block; all of them take a few
SKIPPED = 77


@dataclass
class BlockResult:
    problem: str | None = None
    not_run: str | None = None


def compile_app(root: Path, into: Path) -> str | None:
    """./app, by whichever compiler is there; None where there is none."""
    for compiler in ("clang-19", "clang", "gcc", "cc"):
        if shutil.which(compiler) is None:
            continue
        command = [compiler, "-O1", "-fopenmp", f"-I{root / APP[1]}", str(root / APP[0]), "-o", str(into / "app"), "-lm"]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return compiler
    return None


def environment(build: Path, commands: Path) -> dict[str, str]:
    """What a user's shell has after an installation, and no settings of OpenMP or of ours."""
    clean = clean_environment(keep=("LD_LIBRARY_PATH",))
    return clean | {
        "PATH": os.pathsep.join([str(commands), str(build / "bin"), clean.get("PATH", "/usr/bin:/bin")]),
        "LD_LIBRARY_PATH": os.pathsep.join([str(build / "lib"), clean.get("LD_LIBRARY_PATH", "")]).rstrip(os.pathsep),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }


def run(fence: Fence, folder: Path, variables: dict[str, str]) -> BlockResult:
    match = SHELL.match(fence.info)
    if match is None:
        return BlockResult(problem=f"```{fence.info}: not understood")
    key, value = match["key"], match["value"]
    if key == "skip":
        return BlockResult(not_run=value)
    if key == "needs":
        missing = [name for name in value.split() if shutil.which(name, path=variables["PATH"]) is None]
        if missing:
            return BlockResult(not_run=f"{' '.join(missing)} is not installed")
    expected = int(value) if key == "status" else 0
    command = ["bash", "-euo", "pipefail", "-c", "\n".join(fence.lines)]
    ended = runs.run(command, variables, SECONDS, folder, one_stream=True)
    if ended.status is None:
        return BlockResult(problem=f"no end within {SECONDS:.0f} s")
    if ended.status != expected:
        return BlockResult(problem=f"status {ended.status}, {expected} expected:\n{ended.stdout[-2000:]}")
    return BlockResult()


def run_page(name: str, root: Path, build: Path, app: Path) -> tuple[int, list[str], list[str]]:
    """How many blocks were run, what went wrong, what was not run."""
    problems, not_run, done = [], [], 0
    with tempfile.TemporaryDirectory(prefix="muster-docs-") as made:
        folder, commands = Path(made) / "here", Path(made) / "commands"
        folder.mkdir()
        commands.mkdir()
        shutil.copy(app, folder / "app")
        (folder / "train.py").write_text("print(sum(range(10)))\n")
        for command in ("python", "python3"):
            (commands / command).symlink_to(sys.executable)
        for fence in Page((root / name).read_text()).fences:
            if not fence.info.startswith("sh"):
                continue
            outcome = run(fence, folder, environment(build, commands))
            where = f"{name}:{fence.line}"
            if outcome.problem:
                problems.append(f"{where}: {outcome.problem}")
            elif outcome.not_run:
                not_run.append(f"{where}: not run: {outcome.not_run}")
            else:
                done += 1
    return done, problems, not_run


def pages(root: Path) -> list[str]:
    return ["README.md", *sorted(str(path.relative_to(root)) for path in (root / "docs" / "use").glob("*.md"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="all by default")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    arguments = parser.parse_args()
    root, build = arguments.root.resolve(), arguments.build.resolve()
    total, all_problems = 0, []
    with tempfile.TemporaryDirectory(prefix="muster-docs-") as made:
        if compile_app(root, Path(made)) is None:
            print("skipped: no compiler has OpenMP here")
            return SKIPPED
        for name in arguments.pages or pages(root):
            done, problems, not_run = run_page(name, root, build, Path(made) / "app")
            total += done
            all_problems += problems
            print("\n".join([*not_run, *problems, f"{name}: {done} blocks run"]), flush=True)
    print(f"{total} blocks run, {len(all_problems)} failed")
    return 1 if all_problems or not total else 0


if __name__ == "__main__":
    sys.exit(main())
