"""Puts what `muster COMMAND --help` prints into docs/use/commands.md: command_help.py --launcher FILE.

Between `<!-- help: COMMAND -->` and `<!-- /help -->`. house.doc_help fails when the page is not up to date.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

PAGE = "docs/use/commands.md"
BLOCK = re.compile(r"(<!-- help: (\w+) -->\n).*?(<!-- /help -->)", re.DOTALL)


def filled(text: str, launcher: Path) -> str:
    """The text with the launcher's words in each block."""

    def block(match: re.Match[str]) -> str:
        printed = subprocess.check_output([launcher, match[2], "--help"], text=True)
        return f"{match[1]}```text\n{printed.strip()}\n```\n{match[3]}"

    return BLOCK.sub(block, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launcher", type=Path, default=Path("build/release/bin/muster"))
    page = Path(__file__).resolve().parents[2] / PAGE
    page.write_text(filled(page.read_text(), parser.parse_args().launcher.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
