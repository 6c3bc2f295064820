"""Runs one check: check.py NAME --root FOLDER [--build FOLDER]. 0: fine, 1: not, 77: its tool is missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import docs_checks
import library_check
import method_checks
import source_checks
import tool_checks
import words
from tree import Tree

SKIPPED = 77

CHECKS: dict[str, Callable[[Tree, Path], list[str]]] = {
    "includes": lambda tree, build: source_checks.includes(tree),
    "system_calls": lambda tree, build: source_checks.system_calls(tree),
    "conditionals": lambda tree, build: source_checks.conditionals(tree),
    "lengths": lambda tree, build: source_checks.lengths(tree),
    "readmes": lambda tree, build: source_checks.readmes(tree),
    "executables": lambda tree, build: source_checks.executables(tree),
    "machine_paths": lambda tree, build: source_checks.machine_paths(tree),
    "doc_places": lambda tree, build: docs_checks.places(tree),
    "doc_links": lambda tree, build: docs_checks.links(tree),
    "doc_columns": lambda tree, build: docs_checks.columns(tree),
    "doc_pictures": lambda tree, build: docs_checks.pictures(tree),
    "doc_paths": lambda tree, build: docs_checks.named_paths(tree),
    "doc_tables": lambda tree, build: docs_checks.tables(tree),
    "doc_sentences": lambda tree, build: docs_checks.sentences(tree),
    "doc_lengths": lambda tree, build: docs_checks.lengths(tree),
    "doc_help": lambda tree, build: docs_checks.help_texts(tree, build / "bin" / "muster"),
    "method": lambda tree, build: method_checks.method(tree),
    "words": lambda tree, build: words.banned_words(tree),
    "formatting": lambda tree, build: tool_checks.formatting(tree),
    "shell_scripts": lambda tree, build: tool_checks.shell_scripts(tree),
    "options_page": lambda tree, build: tool_checks.options_page(tree, build / "bin" / "muster"),
    "library": lambda tree, build: library_check.library(build / "lib" / "libmuster.so"),
    "entry_points": lambda tree, build: library_check.shown(
        build / "lib" / "libmuster.so", build / "runtime-hooks" / "entry-points" / "exported.txt"
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=CHECKS)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    arguments = parser.parse_args()
    try:
        problems = CHECKS[arguments.name](Tree(arguments.root), arguments.build)
    except tool_checks.Unavailable as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
