"""The CSV of a collection: a line a run, on the disk before the next one begins."""

from __future__ import annotations

import csv
import fcntl
import io
import os
import stat
from collections.abc import Callable
from pathlib import Path

from collection import columns
from collection.columns import COMMON, FORMAT
from collection.plan import Setting
from collection.running import OK, is_number


class RecordError(Exception):
    """A line for the user."""


Row = dict[str, str]


def line_of(values: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def check(row: Row, where: str) -> None:
    """Refuses what is not a run, with its line and key."""

    def refuse(key: str, wanted: str) -> None:
        raise RecordError(f"{where}: {key}: {row[key]!r} is not {wanted}")

    if row["format"] != FORMAT:
        refuse("format", f"{FORMAT!r}")
    for key in ("repetition", "threads"):
        if not row[key].isdecimal() or int(row[key]) < 1:
            refuse(key, "a number from 1")
    for key in ("barrier", "wait", "status"):
        if not row[key]:
            refuse(key, "a name")
    for key in ("elapsed_s", "cpu_s"):
        if not is_number(row[key]) or float(row[key]) < 0:
            refuse(key, "a time")
    for key in columns.SOFTWARE:
        if row[key] and not row[key].isdecimal():
            refuse(key, "a count")
    if row["value"] and not is_number(row["value"]):
        refuse("value", "a number")
    for event in filter(None, row["events"].split(",")):
        check_event(row, event, refuse)


def check_event(row: Row, event: str, refuse: Callable[[str, str], None]) -> None:
    if row[f"{event}.source"] not in columns.SOURCES:
        refuse(f"{event}.source", " or ".join(columns.SOURCES))
    has = row[f"{event}.source"] != columns.UNAVAILABLE
    for part in ("waiting", "rest"):
        value = row[f"{event}.{part}"]
        if has and not value.isdecimal():
            refuse(f"{event}.{part}", "a count")
        if not has and value:
            refuse(f"{event}.{part}", "empty, though the event is unavailable")


def parse(path: Path, data: bytes) -> tuple[list[Row], int]:
    """The runs, and how many bytes are whole lines: a last line that was torn is not one."""
    whole = data.rfind(b"\n") + 1
    try:
        text = data[:whole].decode()
    except UnicodeDecodeError as error:
        number = data[: error.start].count(b"\n") + 1
        raise RecordError(f"{path}:{number}: no text; is it a collection's CSV?") from None
    lines = text.split("\n")[:-1]
    if not lines:
        return [], whole
    head = next(csv.reader(lines[:1]))
    for key in columns.columns([]):
        if key not in head:
            raise RecordError(f"{path}:1: {key}: no such column; is it a collection's CSV?")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        try:
            values = next(csv.reader([line], strict=True), [])
        except csv.Error as error:
            raise RecordError(f"{path}:{number}: no line of a CSV: {error}") from None
        if len(values) != len(head):
            last = head[min(len(values), len(head) - 1)]
            raise RecordError(f"{path}:{number}: {last}: {len(values)} values, {len(head)} columns")
        row = dict(zip(head, values, strict=True))
        for event in filter(None, row["events"].split(",")):
            for key in columns.event_columns(event):
                if key not in row:
                    raise RecordError(f"{path}:1: {key}: no such column, though line {number} names the event")
        check(row, f"{path}:{number}")
        rows.append(row)
    return rows, whole


def check_common(path: Path, rows: list[Row]) -> None:
    for number, row in enumerate(rows, 2):
        for key in COMMON:
            if row[key] != rows[0][key]:
                raise RecordError(f"{path}:{number}: {key}: {row[key]!r}, while the first run has {rows[0][key]!r}")


def read(path: Path) -> list[Row]:
    """For tables and figures."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from None
    rows, _ = parse(path, data)
    if not rows:
        raise RecordError(f"{path}:1: no run in it")
    check_common(path, rows)
    return rows


class Record:
    """The file of a collection that runs. Only one writes it at a time."""

    def __init__(self, path: Path, common: Row, events: list[str], restart: bool) -> None:
        self.path = path
        self.common = common
        self.head = columns.columns(events)
        self.rows: list[Row] = []
        self.dropped = 0  # bytes of a torn line
        try:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise RecordError(f"{path}: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(self.file).st_mode):
            raise RecordError(f"{path}: no file that could be continued")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RecordError(f"{path}: another collection is writing it") from None
        data = path.read_bytes()
        if restart and data:
            self.refuse_to_lose(data)
            os.ftruncate(self.file, 0)
            data = b""
        self.resume(data)

    def refuse_to_lose(self, data: bytes) -> None:
        """--restart is for collections: another file was named by mistake."""
        if not data.startswith(COMMON[0].encode() + b","):
            raise RecordError(f"{self.path}: no collection's CSV: --restart would lose what it holds")

    def resume(self, data: bytes) -> None:
        self.rows, whole = parse(self.path, data)
        for number, row in enumerate(self.rows, 2):
            for key in COMMON:
                if row[key] != self.common[key]:
                    raise RecordError(
                        f"{self.path}:{number}: {key}: it was {row[key]!r} and would be {self.common[key]!r};"
                        " choose another --output, or use --restart"
                    )
        if whole and line_of(self.head) != data[: data.index(b"\n") + 1]:
            raise RecordError(f"{self.path}:1: other columns than this version writes; choose another --output")
        self.dropped = len(data) - whole
        if self.dropped:
            os.ftruncate(self.file, whole)
        if not whole:
            self.append(line_of(self.head))

    def append(self, line: bytes) -> None:
        """The line and nothing else, or nothing; on the disk when this returns."""
        before = os.fstat(self.file).st_size
        try:
            while line:  # what is short once fails the next time, and says why
                line = line[os.write(self.file, line) :]
            os.fsync(self.file)
        except BaseException as error:
            os.ftruncate(self.file, before)
            if isinstance(error, OSError):
                raise RecordError(
                    f"{self.path}: {error.strerror}; its {len(self.rows)} runs are whole,"
                    " and the same command continues"
                ) from None
            raise

    def add(self, values: Row) -> None:
        row = self.common | values
        self.append(line_of([row.get(name, "") for name in self.head]))
        self.rows.append({name: row.get(name, "") for name in self.head})

    def done(self) -> set[tuple[int, Setting]]:
        return {
            (int(row["repetition"]), Setting(row["barrier"], row["wait"], int(row["threads"]))) for row in self.rows
        }

    def failed(self) -> list[Row]:
        return [row for row in self.rows if row["status"] != OK]
