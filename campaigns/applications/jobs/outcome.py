"""How a job reports its outcome: the last line of its output, which ../recipe.py reads."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from typing import Any


class Stopwatch:
    """Times the work alone, after imports and the making of data."""

    def __init__(self) -> None:
        self.began = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self.began


def digest(arrays: Iterable[Any]) -> str:
    """Of every bit of them, their shapes and types included."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(f"{array.dtype} {array.shape}\n".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()[:16]


def report(seconds: float, arrays: Iterable[Any], **numbers: float) -> None:
    found = {"seconds": seconds, "digest": digest(arrays), "numbers": {key: float(n) for key, n in numbers.items()}}
    print(json.dumps(found), flush=True)
