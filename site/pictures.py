#!/usr/bin/env python3
"""Pictures of Muster's pages for the manual, by headless Chromium: pictures.py [--build FOLDER].

Runs `muster report --html` and `muster compare` on programs of the build and writes docs/use/pictures/report.png and
compare.png. Run times are in them, so the machine should be idle. It takes a minute.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from check import BROWSERS, Browser  # noqa: E402

from lab.environment import clean_environment  # noqa: E402

PICTURES = ROOT / "docs" / "use" / "pictures"
WIDTH = 1000
TALLEST = 900
MOST_BYTES = 150_000
# Each row has less to do than the one above, and each thread has as many rows.
TRIANGLE = """
static double sums[4000], rows[4000][500];
int main(void) {
  for (int step = 0; step < 150; ++step) {
    #pragma omp parallel for
    for (int row = 0; row < 4000; ++row) {
      for (int i = 0; i < 500 - row / 8; ++i) sums[row] += rows[row][i] * step;
    }
  }
  return sums[0] != 0;
}
"""


def picture_of(page: Path, browser: Browser, file: Path) -> None:
    """The upper part of a page that is taller than TALLEST."""
    size = {"width": WIDTH, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", height=TALLEST, **size)
    browser.call("Emulation.setScrollbarsHidden", hidden=True)
    browser.open(page.as_uri())
    height = min(browser.value("document.documentElement.scrollHeight"), TALLEST)
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    data = base64.b64decode(browser.call("Page.captureScreenshot", format="png", clip=clip)["data"])
    if len(data) > MOST_BYTES:
        sys.exit(f"{file}: {len(data)} bytes, {MOST_BYTES} allowed")
    file.write_bytes(data)
    print(f"{file.relative_to(ROOT)}: {len(data)} bytes")


def report_page(programs: Path, folder: Path) -> Path:
    (folder / "triangle.c").write_text(TRIANGLE)
    subprocess.run(["clang-19", "-O2", "-g", "-fopenmp", "triangle.c", "-o", "triangle"], cwd=folder, check=True)
    report = folder / "report.json"
    command = [programs / "muster", "run", "--sites", "--forkjoin", "on", "--report", report, "--", "./triangle"]
    subprocess.run(command, env=clean_environment(), cwd=folder, check=True)
    page = folder / "report.html"
    with page.open("wb") as file:
        subprocess.run([programs / "muster", "report", report, "--html"], check=True, stdout=file)
    return page


def comparison_page(programs: Path, folder: Path) -> Path:
    command = [programs / "muster", "compare", "--rounds", "5", "--hogs", "0,2", "--rate", 'iterations_per_s":']
    command += ["--threads", "2", "--folder", folder / "compare", "--", "barrier", "--seconds", "0.5", "--format", "json"]
    environment = clean_environment()
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
    return folder / "compare" / "compare.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="the build folder")
    programs = parser.parse_args().build.resolve() / "bin"
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit("there is no Chromium here")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="muster-pictures-", ignore_cleanup_errors=True) as name:
        with contextlib.closing(Browser(program, name)) as browser:
            for make, file in ((report_page, "report.png"), (comparison_page, "compare.png")):
                picture_of(make(programs, Path(name)), browser, PICTURES / file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
