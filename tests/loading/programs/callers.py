"""callers.py CALLERS FILE...: callers.c as a shared object, whose calls libffi makes."""

from __future__ import annotations

import ctypes
import os
import sys

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)


@ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_long)
def call(function: int, argument: int) -> int:
    return FUNCTION(function)(argument)


files = sys.argv[2:]
sizes = [int(size) for size in os.environ.get("SIZES_AT_LOAD", "3" * len(files))]
wrong = ctypes.CDLL(sys.argv[1]).check_all(
    call,
    len(files),
    (ctypes.c_char_p * len(files))(*(file.encode() for file in files)),
    (ctypes.c_int * len(files))(*sizes),
)
sys.exit(wrong != 0)
