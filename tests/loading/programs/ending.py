"""ending.py HOW PLUGIN...: an interpreter that ends while threads of its are in regions, or at its last handlers."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
import time


def main() -> None:
    how, paths = sys.argv[1], sys.argv[2:]
    libs = [ctypes.CDLL(path) for path in paths]
    if how == "handlers":  # one before the runtimes are there, one after
        atexit.register(lambda: print("last", [lib.regions(ctypes.c_long(20)) > 0 for lib in libs], flush=True))
    for lib in libs:
        print(lib.regions(ctypes.c_long(40)) > 0, flush=True)
    if how == "handlers":
        atexit.register(lambda: print("first", [lib.regions(ctypes.c_long(20)) > 0 for lib in libs], flush=True))
        return

    def in_a_region() -> None:
        for lib in libs:
            lib.waiting(ctypes.c_long(10000))

    threading.Thread(target=in_a_region, daemon=True).start()
    time.sleep(0.1)
    print("ending", flush=True)
    if how == "error":
        raise SystemExit(3)


if __name__ == "__main__":
    main()
