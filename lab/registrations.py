"""What libomp leaves of processes that were killed: /dev/shm/__KMP_REGISTERED_LIB_PID_UID.

A later process with the same number takes it for another libomp of its own, and ends; with Muster or without.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

FOLDER = Path("/dev/shm")
NAME = re.compile(r"__KMP_REGISTERED_LIB_(\d+)_(\d+)")


def remove_stale(folder: Path = FOLDER) -> None:
    """Removes those of this user's processes that have ended."""
    for name in os.listdir(folder) if folder.is_dir() else []:
        match = NAME.fullmatch(name)
        if match and int(match[2]) == os.getuid() and not Path(f"/proc/{match[1]}").exists():
            with contextlib.suppress(OSError):
                (folder / name).unlink()
