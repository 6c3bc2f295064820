"""Recording scheduler events through tracefs, in an instance of our own, so that other tracing is not affected."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

PLACES = [Path("/sys/kernel/tracing"), Path("/sys/kernel/debug/tracing")]
EVENTS = ["sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_process_fork"]


class Unavailable(Exception):
    """Why no trace can be recorded, in one line."""


def is_usable(place: Path) -> bool:
    try:
        return (place / "instances").is_dir() and os.access(place / "instances", os.W_OK)
    except OSError:
        return False


@contextlib.contextmanager
def mounted() -> Iterator[Path]:
    """Where tracefs is; mounted for as long as it is needed where it was not."""
    for place in PLACES:
        if is_usable(place):
            yield place
            return
    if os.geteuid() != 0:
        raise Unavailable("tracefs needs root")
    place = PLACES[0]
    done = subprocess.run(["mount", "-t", "tracefs", "nodev", place], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not is_usable(place):
        raise Unavailable(f"tracefs cannot be mounted: {done.stderr.strip() or 'no permission'}")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], capture_output=True, check=False)


class Recording:
    """Begins when made; `stop` ends it, then `lines` reads it."""

    def __init__(self, place: Path, kilobytes_per_cpu: int) -> None:
        self.folder = place / "instances" / f"muster-trace-{os.getpid()}"
        try:
            self.folder.mkdir()
        except OSError as error:
            raise Unavailable(f"no trace instance can be made: {error.strerror}") from error
        try:
            self._write("trace_clock", "mono")
            self._write("buffer_size_kb", str(kilobytes_per_cpu))
            for event in EVENTS:
                if event == "sched_switch" or (self.folder / "events/sched" / event).is_dir():
                    self._write(f"events/sched/{event}/enable", "1")
        except OSError as error:
            self.remove()
            raise Unavailable(f"the kernel refuses to trace: {error.filename}: {error.strerror}") from error

    def _write(self, name: str, value: str) -> None:
        (self.folder / name).write_text(value)

    def stop(self) -> None:
        self._write("tracing_on", "0")

    def lines(self) -> Iterator[str]:
        with (self.folder / "trace").open(errors="replace") as trace:
            yield from trace

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self._write("tracing_on", "0")
            self.folder.rmdir()


@contextlib.contextmanager
def recording(kilobytes_per_cpu: int) -> Iterator[Recording]:
    with mounted() as place:
        record = Recording(place, kilobytes_per_cpu)
        try:
            yield record
        finally:
            record.remove()
