"""`python -m muster_omp ARGUMENTS`: becomes `muster ARGUMENTS`, in the same process."""

from __future__ import annotations

import os
import sys

from muster_omp import launcher_path


def main() -> None:
    try:
        launcher = str(launcher_path())
        os.execv(launcher, [launcher, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"muster_omp: {error}")


if __name__ == "__main__":
    main()
