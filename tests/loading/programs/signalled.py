"""signalled.py SIGNAL WHERE PLUGIN: a signal to the process, in a region or in the serial part after some."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time


def main() -> None:
    number = getattr(signal, sys.argv[1])
    where, path = sys.argv[2], sys.argv[3]
    lib = ctypes.CDLL(path)
    print(lib.regions(ctypes.c_long(40)) > 0, flush=True)
    timer = threading.Timer(0.15, os.kill, (os.getpid(), number))
    timer.start()
    try:
        if where == "region":
            lib.waiting(ctypes.c_long(2000))  # the signal comes meanwhile, on a busy machine, too
            print("the region has ended", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        print(lib.regions(ctypes.c_long(40)) > 0, flush=True)
        if where == "serial":
            raise


if __name__ == "__main__":
    main()
