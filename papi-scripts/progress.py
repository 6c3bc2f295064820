"""A progress bar on stderr: on a terminal only, and gone when the work is done."""

from __future__ import annotations

import shutil
import sys
import time

WIDTH = 30
EVERY_S = 0.2


def duration(seconds: float) -> str:
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Progress:
    def __init__(self, shown: bool | None = None) -> None:
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.began = time.monotonic()
        self.last = 0.0
        self.drawn = False
        self.first: float | None = None  # what was done before
        self.share = 0.0

    def __call__(self, share: float, what: str) -> None:
        now = time.monotonic()
        if self.first is None or share < self.share:  # another piece of work
            self.first, self.began = share, now
        self.share = share
        if not self.shown or (now - self.last < EVERY_S and share < 1):
            return
        self.last = now
        left = (now - self.began) * (1 - share) / (share - self.first) if share > self.first else None
        bar = "#" * int(share * WIDTH)
        line = f"[{bar:<{WIDTH}}] {100 * share:3.0f} %"
        line += f"  {duration(left)} left" if left is not None else ""
        line = f"{line}  {what}"[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()
        self.drawn = True

    def clear(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self.drawn = False
