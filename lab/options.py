"""The options of a build, as `muster options` lists them."""

from __future__ import annotations

import subprocess
from pathlib import Path


class NoOptionsError(Exception):
    """One line: why the launcher lists none."""


def values_of(launcher: Path) -> dict[str, list[str]]:
    """The values of each option, by the name of its variable."""
    try:
        text = subprocess.check_output([launcher, "options"], text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoOptionsError(f"`{launcher} options` does not work: {error}") from None
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        words = line.split(maxsplit=1)
        if not line.startswith(" "):
            name = line.strip()
        elif len(words) == 2 and words[0] == "values":
            found[name] = words[1].split("|")
    return found
