"""Writes the man page of a program from what its --help prints: help_page.py PROGRAM --name NAME --output FILE.

It reads the help of CLI11 and of argparse. What it does not know as a row of arguments is shown as it stands.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

USAGE = re.compile(r"usage: *", re.IGNORECASE)
HEADING = re.compile(r"(\w[\w ]*):$")
ROW = re.compile(r"  ?(?: {0,2})(\S.*?)(?: {2,}(\S.*))?$")
CONTINUATION = re.compile(r" {16,}(\S.*)$")
TITLES = {"positionals": "ARGUMENTS", "positional arguments": "ARGUMENTS", "options": "OPTIONS"}


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def prose(text: str) -> str:
    """In short lines, with the hyphens of flags only."""
    lines = textwrap.wrap(text, 70, break_long_words=False, break_on_hyphens=False)
    shown = "\n".join(lines).replace("\\", "\\e").replace("^", "\\(ha").replace("~", "\\(ti")
    shown = re.sub(r"(?<![\w-])--?(?=\w)", lambda dashes: dashes[0].replace("-", "\\-"), shown)
    return re.sub(r"(?m)^([.'])", r"\\&\1", shown)


def as_it_stands(lines: list[str]) -> str:
    return ".EX\n" + "\n".join(escaped(line) or "\\&" for line in lines) + "\n.EE\n"


def paragraphs(lines: list[str]) -> str:
    """Text; indented paragraphs are shown as they stand."""
    text, separator = "", ""
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        rows = [row for row in block.splitlines() if row.strip()]
        if rows:
            indented = all(row.startswith(" ") for row in rows)
            text += separator + (as_it_stands(textwrap.dedent(block).splitlines()) if indented else prose(block) + "\n")
            separator = ".PP\n"
    return text


def rows(lines: list[str]) -> str:
    """Names and their help, each name in bold."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if (more := CONTINUATION.match(line)) and found:
            found[-1][1].append(more[1])
        elif row := ROW.match(line):
            found.append((row[1], [row[2]] if row[2] else []))
    return "".join(f".TP\n.B {escaped(name)}\n{prose(' '.join(text)) or chr(92) + '&'}\n" for name, text in found)


def sections(text: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """The lines before any heading, without the usage; those of the usage; and those below each heading."""
    before: list[str] = []
    usage: list[str] = []
    below: dict[str, list[str]] = {}
    current = before
    for line in text.splitlines():
        if USAGE.match(line):
            usage.append(USAGE.sub("", line, count=1))
            current = usage
        elif (heading := HEADING.match(line)) and not line.startswith(" "):
            current = below.setdefault(heading[1].lower(), [])
        elif line and not line.startswith(" ") and current is not before:
            current = before  # a paragraph after the usage, or a footer
            current += ["", line]
        else:
            current.append(line)
    return before, usage, below


def page(text: str, program: str, name: str, version: str) -> str:
    text = re.sub(rf"(?<![\w/.-])(?:\./)?{re.escape(program)}(?= [\[(<-])", name, text)
    before, usage, below = sections(text)
    lead = " ".join("\n".join(before).strip("\n").split("\n\n")[0].split())
    summary = re.split(r"(?<=\w)[.:](?: |$)", lead, maxsplit=1)[0] or "a program of Muster's tools"
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    day = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    parts = [
        f'.TH {escaped(name.upper())} 1 {day} "Muster {version}" "Muster manual"\n.ad l\n.SH NAME\n',
        f"{escaped(name)} \\-\n{prose(summary[:1].lower() + summary[1:])}\n",
        f".SH SYNOPSIS\n{prose(' '.join(usage)) or escaped(name)}\n.SH DESCRIPTION\n{paragraphs(before)}",
    ]
    for heading, lines in below.items():
        parts.append(f".SH {TITLES.get(heading, heading.upper())}\n{rows(lines) or paragraphs(lines)}")
    parts.append(".SH SEE ALSO\n.BR muster (1)\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--name", required=True, help="what it is called once it is installed")
    parser.add_argument("--version", default="", help="of Muster")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    command = [sys.executable, program] if program.suffix == ".py" else [program]
    ended = subprocess.run(
        [*command, "--help"], capture_output=True, text=True, check=False, timeout=60, env=os.environ | {"COLUMNS": "80"}
    )
    if ended.returncode != 0 or not ended.stdout:
        print(f"{program}: prints no help: {ended.stderr.strip()[-200:]}", file=sys.stderr)
        return 1
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(page(ended.stdout, program.name, arguments.name, arguments.version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
