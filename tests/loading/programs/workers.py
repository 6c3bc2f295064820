"""workers.py PLUGIN: workers that are started by fork and exec from a threaded parent, as joblib's loky does it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading

WORK = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
for line in sys.stdin:
    print(lib.regions(ctypes.c_long(int(line))), flush=True)
"""


def main() -> None:
    path = sys.argv[1]
    lib = ctypes.CDLL(path)
    print(lib.regions(ctypes.c_long(40)))
    going = True

    def regions_beside() -> None:
        while going:
            lib.quiet(ctypes.c_long(5))

    beside = threading.Thread(target=regions_beside)
    beside.start()
    workers = [
        subprocess.Popen([sys.executable, "-c", WORK, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    print([worker.communicate("20\n20\n")[0].split() for worker in workers])
    going = False
    beside.join()
    print(lib.regions(ctypes.c_long(20)))


if __name__ == "__main__":
    main()
