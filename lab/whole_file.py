"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file beside `path`, to be written in the block. It replaces `path` at the end, or is removed by an exception."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    with whole_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
