"""The commit of this source tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit(root: Path = ROOT) -> str:
    """Short, `+` behind it where files are changed; `unknown` outside a repository of this very tree."""
    if git(root, "rev-parse", "--show-toplevel") != str(root):
        return "unknown"
    name = git(root, "rev-parse", "--short=10", "HEAD")
    if name is None:
        return "unknown"
    return f"{name}+" if git(root, "status", "--porcelain", "--untracked-files=no") else name
