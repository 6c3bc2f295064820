"""The commit of this source tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit() -> str:
    """Short, `+` behind it where files are changed; `unknown` outside a repository of this very tree."""
    if git("rev-parse", "--show-toplevel") != str(ROOT):
        return "unknown"
    name = git("rev-parse", "--short=10", "HEAD")
    if name is None:
        return "unknown"
    return f"{name}+" if git("status", "--porcelain", "--untracked-files=no") else name
