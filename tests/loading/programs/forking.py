"""forking.py METHOD THREADS PLUGIN: regions in a process, in children that multiprocessing starts, and after them."""

from __future__ import annotations

import ctypes
import multiprocessing
import sys


def regions(path: str, count: int) -> int:
    return int(ctypes.CDLL(path).regions(ctypes.c_long(count)))


def main() -> None:
    method, threads, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    ctypes.CDLL(path).set_threads(ctypes.c_long(threads))
    print(regions(path, 40), flush=True)
    with multiprocessing.get_context(method).Pool(2) as pool:
        works = pool.starmap_async(regions, [(path, 20)] * 3, chunksize=1).get(timeout=50)
        print([result > 0 for result in works], flush=True)
    print(regions(path, 20), flush=True)


if __name__ == "__main__":
    main()
