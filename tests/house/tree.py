"""The files of a source tree, as the checks see them."""

from __future__ import annotations

import subprocess
from pathlib import Path

CPP_SUFFIXES = {".h", ".cpp", ".c"}
NOT_SOURCE = {"build", ".git", "__pycache__"}


class Tree:
    """A source tree: what git would commit, or, outside of git, every file but build output."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def files(self) -> list[str]:
        """Paths relative to the root, sorted."""
        listed = subprocess.run(
            # Whoever owns the checkout: a test may run as another user.
            ["git", "-c", "safe.directory=*", "-C", self.root, "ls-files", "-z"]
            + ["--cached", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=False,
        )
        if listed.returncode == 0 and (self.root / ".git").exists():
            names = {name for name in listed.stdout.split("\0") if name}
        else:
            found = (path.relative_to(self.root) for path in self.root.rglob("*"))
            names = {str(path) for path in found if not NOT_SOURCE.intersection(path.parts)}
        return sorted(name for name in names if (self.root / name).is_file())

    def sources(self) -> list[str]:
        return [name for name in self.files() if Path(name).suffix in CPP_SUFFIXES]

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def lines(self, name: str) -> list[str]:
        return self.text(name).splitlines()
