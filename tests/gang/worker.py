"""worker.py SECONDS [PID-FILE [CPU-FILE]]: two threads, one of which burns CPU time for SECONDS; then its CPU time."""

import os
import sys
import threading
import time

end = time.monotonic() + float(sys.argv[1])
if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as file:
        file.write(f"{os.getpid()}\n")
threading.Thread(target=time.sleep, args=(float(sys.argv[1]),), daemon=True).start()
while time.monotonic() < end:
    sum(range(2000))
if len(sys.argv) > 3:
    with open(sys.argv[3], "w") as file:
        file.write(f"{time.process_time()}\n")
