"""Rules that a tool judges: the formatter, the shell checker, the built launcher."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tree import Tree

FORMATTER = "clang-format-19"
SHELL_CHECKER = "shellcheck"
OPTIONS_PAGE = "docs/use/options.md"


class Unavailable(Exception):
    """The tool that a check needs is not on this machine."""


def need(tool: str) -> None:
    if shutil.which(tool) is None:
        raise Unavailable(f"{tool} is not installed")


def complaints(command: list[str], folder: Path) -> list[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return (done.stdout + done.stderr).splitlines() or [f"{command[0]} failed"]


def formatting(tree: Tree) -> list[str]:
    """clang-format has nothing to change."""
    need(FORMATTER)
    sources = tree.sources()
    if not sources:
        return []
    lines = complaints([FORMATTER, "--dry-run", "-Werror", *sources], tree.root)
    return [line for line in lines if "error:" in line] or lines


def shell_scripts(tree: Tree) -> list[str]:
    """shellcheck has nothing to say."""
    need(SHELL_CHECKER)
    scripts = [name for name in tree.files() if tree.text(name).startswith("#!") and "sh" in tree.lines(name)[0]]
    return complaints([SHELL_CHECKER, *scripts], tree.root) if scripts else []


def options_page(tree: Tree, launcher: Path) -> list[str]:
    """The page of the options is what the launcher makes from their table."""
    page = tree.root / OPTIONS_PAGE
    made = subprocess.check_output([launcher, "options", "--markdown"], text=True)
    if page.exists() and page.read_text() == made:
        return []
    return [f"{OPTIONS_PAGE}: not what `muster options --markdown` prints; write it anew"]
