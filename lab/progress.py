"""A progress bar on stderr, by rich: on a terminal only, and gone when the work is done. Without rich: a line at
times."""

from __future__ import annotations

import atexit
import sys
import time
from typing import Any

EVERY_S = 10.0  # a line, without rich


def duration(seconds: float) -> str:
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


class Progress:
    """Called with the share that is done, from 0 to 1, and what is being done. A smaller share begins another bar."""

    def __init__(self, shown: bool | None = None) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._bar: Any = _bar() if self._shown else None
        self._share = 1.0
        self._last = time.monotonic()
        atexit.register(self.clear)

    def __call__(self, share: float, what: str) -> None:
        if self._bar is None:
            if self._shown and time.monotonic() - self._last > EVERY_S:
                self._last = time.monotonic()
                print(f"{100 * share:.0f} %  {what}", file=sys.stderr, flush=True)
            return
        self._bar.start()
        if share < self._share or not self._bar.tasks:
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._bar.add_task(what, total=1.0, completed=share)
        self._share = share
        self._bar.update(self._bar.task_ids[-1], completed=share, description=what)

    def clear(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Any:
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        return None

    class Left(progress.ProgressColumn):
        def render(self, task: progress.Task) -> str:
            return "" if task.time_remaining is None else f"{duration(task.time_remaining)} left"

    columns = (progress.BarColumn(30), progress.TaskProgressColumn(), Left(), progress.TextColumn("{task.description}"))
    return progress.Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600)
