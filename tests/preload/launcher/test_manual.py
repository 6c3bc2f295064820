"""The man pages that `muster manual` writes: each subcommand and option has its place, and the formatters accept them.

A formatter that is not installed is left out, with a line. Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_launcher import LauncherTest, muster

ROOT = Path(__file__).resolve().parents[3]
# Each prints nothing about a page that is in order.
FORMATTERS = {
    "groff": ["groff", "-man", "-Tutf8", "-ww", "-z"],
    "mandoc": ["mandoc", "-T", "lint", "-W", "style"],
    "man": ["man", "--warnings", "-l", "-Z"],
}


def subcommands() -> list[str]:
    below = muster("--help").stdout.split("Subcommands:\n", 1)[1]
    return re.findall(r"^  (\w+) ", below, re.MULTILINE)


def plain(page: Path) -> str:
    """The source without fonts and escapes."""
    text = re.sub(r"\\f[BIR]|\\%|\\:|\\&", "", page.read_text())
    return text.replace("\\-", "-").replace("\\(aq", "'")


class Manual(LauncherTest):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.folder = cls.scratch / "man"
        muster("manual", cls.folder).check_returncode()

    def pages(self) -> list[Path]:
        return sorted(self.folder.glob("man*/*"))

    def check_formats(self, pages: list[Path]) -> None:
        for name, command in FORMATTERS.items():
            if shutil.which(name) is None:
                print(f"{name} is not installed: left out", file=sys.stderr)
                continue
            for page in pages:
                done = subprocess.run(
                    [*command, page],
                    env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"},
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                said = done.stderr + (done.stdout if name == "mandoc" else "")
                self.assertEqual((said, done.returncode), ("", 0), f"{name}: {page.name}")

    def test_each_subcommand_has_a_page_with_its_flags(self) -> None:
        expected = {f"muster-{name}.1" for name in subcommands()} | {"muster.1", "libmuster.7"}
        self.assertEqual({page.name for page in self.pages()}, expected)
        for name in subcommands():
            text = plain(self.folder / "man1" / f"muster-{name}.1")
            for flag in re.findall(r"--[a-z-]+", muster(name, "--help").stdout):
                self.assertIn(flag, text, name)

    def test_each_variable_has_its_place(self) -> None:
        text = plain(self.folder / "man7" / "libmuster.7")
        for row in json.loads(muster("options", "--json").stdout):
            self.assertIn(f".TP\n{row['variable']}={row['values']}\n", text)
            words = " ".join(text.split())
            self.assertIn(" ".join(row["help"].replace("`", "").split())[:60], words)

    def test_formatters_accept_them(self) -> None:
        self.check_formats(self.pages())

    def test_a_tool_s_page_is_made_from_its_help(self) -> None:
        page = self.scratch / "muster-trace.1"
        command = [sys.executable, ROOT / "cmake" / "help_page.py", ROOT / "campaigns" / "trace.py"]
        subprocess.run([*command, "--name", "muster-trace", "--version", "1.0", "--output", page], check=True, timeout=60)
        for flag in ("--hogs N", "--csv FILE"):
            self.assertIn(f".B {flag}", plain(page))
        self.check_formats([page])

    def test_a_folder_that_cannot_be_written(self) -> None:
        file = Path(tempfile.mkstemp(dir=self.scratch)[1])
        refused = muster("manual", file)
        self.assertEqual((refused.returncode, refused.stdout, refused.stderr.count("\n")), (1, "", 1))
        self.assertIn(f"muster manual: {file}/man1: ", refused.stderr)

    def test_the_date_is_that_of_the_release(self) -> None:
        muster("manual", self.scratch / "dated", SOURCE_DATE_EPOCH="86400").check_returncode()
        self.assertIn(" 1970-01-02 ", (self.scratch / "dated/man1/muster.1").read_text().splitlines()[0])


if __name__ == "__main__":
    unittest.main()
