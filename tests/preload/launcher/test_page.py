"""`muster report --html`: the page is whole and needs nothing else; a browser, where there is one, shows it readably.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from lab.environment import clean_environment  # noqa: E402

BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
MUSTER = BUILD / "bin" / "muster"
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
HOSTILE = "</title><script>alert(1)</script>&\"'"

PROGRAM = r"""
#include <omp.h>
#include <unistd.h>
int main(void) {
  for (int region = 0; region < 40; ++region) {
    #pragma omp parallel
    {
      if (omp_get_thread_num() == 0) usleep(500);
      #pragma omp barrier
      usleep(1);  // or the barrier is a jump out of the function
    }
  }
  return 0;
}
"""

# Shows a page in frames of two widths and writes what it measured: what is wider than the frame, the smallest font, and
# the least contrast of a text with the page (WCAG; 4.5 is its limit for text of normal size).
MEASURING = """<!DOCTYPE html><body><iframe width="1280" height="900" srcdoc="{page}"></iframe>
<iframe width="400" height="900" srcdoc="{page}"></iframe><pre id="found"></pre><script>
const light = color => {{
  const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map(
    c => c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}};
onload = () => {{
  const found = [...document.querySelectorAll('iframe')].map(frame => {{
    const page = frame.contentDocument;
    const style = element => frame.contentWindow.getComputedStyle(element);
    const back = light(style(page.body).backgroundColor);
    const texts = [...page.body.querySelectorAll('*')].filter(element =>
      [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim() !== ''));
    const contrast = element => {{
      const both = [back, light(style(element).color)].sort((a, b) => a - b);
      return (both[1] + 0.05) / (both[0] + 0.05);
    }};
    return {{
      width: frame.clientWidth, scrolled: page.documentElement.scrollWidth, dark: back < 0.5, texts: texts.length,
      font: Math.min(...texts.map(element => parseFloat(style(element).fontSize))),
      contrast: Math.min(...texts.map(contrast)),
      bars: [...page.querySelectorAll('.bar i')].filter(bar => bar.getBoundingClientRect().width > 0).length,
    }};
  }});
  document.getElementById('found').textContent = JSON.stringify(found);
}};
</script></body>"""


class Page(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-page-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        (cls.folder / "program.c").write_text(PROGRAM)
        command = ["clang-19", "-O2", "-g", "-fopenmp", cls.folder / "program.c", "-o", cls.folder / "program"]
        subprocess.run(command, check=True)

    def page(self, *flags: str, **variables: str) -> str:
        report = self.folder / "report.json"
        command = [MUSTER, "run", "--report", report, *flags, "--", self.folder / "program", HOSTILE]
        environment = clean_environment() | {"OMP_NUM_THREADS": "2", "MUSTER_FORKJOIN": "on", **variables}
        subprocess.run(command, env=environment, check=True, timeout=60)
        done = subprocess.run([MUSTER, "report", report, "--html"], capture_output=True, text=True, check=True)
        return done.stdout

    def test_is_whole_and_needs_nothing_else(self) -> None:
        for flags, variables in ((("--sites",), {}), ((), {}), ((), {"MUSTER_BARRIER": "native"})):
            page = self.page(*flags, **variables)
            root = ElementTree.fromstring(page)
            self.assertEqual([found for found in root.iter() if found.tag in ("script", "img", "iframe")], [])
            for element in root.iter():
                for name in ("src", "href"):
                    self.assertTrue(element.get(name, "data:").startswith("data:"))
            self.assertNotRegex(page, r"https?:|url\(|@import")
            text = "".join(root.itertext())
            self.assertIn(HOSTILE, text)
            headings = [found.text for found in root.iter("h2")]
            self.assertEqual(headings[:3], ["What to do", "Efficiency", "Call sites"])
            self.assertEqual(headings[-1], "Settings")
            self.assertIn(len(root.findall(".//ol/li")), (1, 2, 3))

    def test_names_what_waits(self) -> None:
        line = next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if "omp barrier" in text)
        page = self.page("--sites")
        self.assertRegex(page, rf"program\.c:{line}\b")
        self.assertIn("Parallel efficiency", page)
        native = self.page(MUSTER_BARRIER="native")
        self.assertRegex(native, r"<li>(100 % of the arrivals|Muster replaced no barrier)")
        self.assertIn("run with muster run --sites", native)

    def test_in_a_browser(self) -> None:
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            self.skipTest("no Chromium")
        frames = self.folder / "frames.html"
        frames.write_text(MEASURING.format(page=html.escape(self.page("--sites"))))
        for dark in (False, True):
            command = [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                f"--blink-settings=preferredColorScheme={int(not dark)}", frames.as_uri(),
            ]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
            self.assertNotIn("CONSOLE", done.stderr)
            found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout)
            self.assertIsNotNone(found, done.stdout[-500:])
            for frame in json.loads(found[1]):
                self.assertEqual(frame["dark"], dark)
                self.assertLessEqual(frame["scrolled"], frame["width"], "the page itself need not be scrolled sideways")
                self.assertGreaterEqual(frame["font"], 12)
                self.assertGreaterEqual(frame["contrast"], 4.5)
                self.assertGreater(frame["texts"], 30)
                self.assertGreater(frame["bars"], 5)


if __name__ == "__main__":
    unittest.main()
