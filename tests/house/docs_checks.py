"""Rules of the documents: links that lead somewhere, short sentences, short lines, not too many words."""

from __future__ import annotations

import os
from pathlib import Path

import tool_checks
from markdown import Page
from tree import Tree

MOST_WORDS_OF_README = 700
MOST_WORDS = 27_000  # of all documents, README included, generated pages aside
MOST_WORDS_OF_A_SENTENCE = 20  # on average over a page of these:
SHORT_SENTENCES = ("README.md", "docs/README.md", "docs/use/")
MOST_COLUMNS = 120
INDEX = "docs/README.md"
FOLDERS = ("docs/use/", "docs/understand/", "docs/develop/", "docs/results/")


def in_its_place(name: str) -> bool:
    """Each page is in a folder of docs/, which is for one kind of reader."""
    return name in ("README.md", "docs/README.md") or name.startswith(FOLDERS)


def pages(tree: Tree) -> dict[str, Page]:
    """The README and what is under docs/."""
    names = (name for name in tree.files() if name.endswith(".md") and (name == "README.md" or name.startswith("docs/")))
    return {name: Page(tree.text(name)) for name in names}


def places(tree: Tree) -> list[str]:
    """Pages are where a reader looks for them, and in the index."""
    index = [os.path.normpath(Path("docs") / target.partition("#")[0]) for _, target in Page(tree.text(INDEX)).links()]
    problems = [f"{name}: belongs into one of {', '.join(FOLDERS)}" for name in pages(tree) if not in_its_place(name)]
    listed = (name for name in pages(tree) if name.startswith(FOLDERS[:3]))
    return problems + [f"{name}: is not in {INDEX}" for name in listed if name not in index]


def links(tree: Tree) -> list[str]:
    """Each relative link, of all pages and folders' READMEs, leads to a file and, after #, to a heading there."""
    problems = []
    files = set(tree.files())
    folders = {str(folder) for name in files for folder in Path(name).parents}
    for name in (name for name in tree.files() if name.endswith(".md")):
        for number, target in Page(tree.text(name)).links():
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            there = os.path.normpath(Path(name).parent / path) if path else name
            if there not in files and there not in folders:
                problems.append(f"{name}:{number}: {target} leads nowhere")
            elif anchor and (not there.endswith(".md") or anchor not in Page(tree.text(there)).anchors()):
                problems.append(f"{name}:{number}: there is no heading for {target}")
    return problems


def columns(tree: Tree) -> list[str]:
    """Lines fit; tables, outputs, and what has no space to break at, aside."""
    problems = []
    for name, page in pages(tree).items():
        if page.is_generated():
            continue
        fenced = [
            (fence.line + offset, line)
            for fence in page.fences
            if fence.info != "text"
            for offset, line in enumerate(fence.lines, 1)
        ]
        for number, line in [*page.outside, *fenced]:
            is_table = line.lstrip().startswith("|")
            if len(line) > MOST_COLUMNS and not is_table and " " in line.strip():
                if "://" not in line:
                    problems.append(f"{name}:{number}: {len(line)} columns, {MOST_COLUMNS} allowed")
    return problems


def sentences(tree: Tree) -> list[str]:
    """In what users read, sentences are short."""
    problems = []
    for name, page in pages(tree).items():
        found = page.sentences()
        if not name.startswith(SHORT_SENTENCES) or page.is_generated() or not found:
            continue
        mean = sum(map(len, found)) / len(found)
        if mean > MOST_WORDS_OF_A_SENTENCE:
            longest = max(found, key=len)
            problems.append(
                f"{name}: {mean:.1f} words a sentence, {MOST_WORDS_OF_A_SENTENCE} allowed; "
                f"the longest has {len(longest)}: {' '.join(longest[:12])} ..."
            )
    return problems


def lengths(tree: Tree) -> list[str]:
    """The README fits on two screens, all documents into an afternoon."""
    shown = pages(tree)
    counts = {name: page.word_count() for name, page in shown.items() if not page.is_generated()}
    problems = []
    if "README.md" in shown and len(shown["README.md"].text.split()) > MOST_WORDS_OF_README:
        problems.append(f"README.md: more than {MOST_WORDS_OF_README} words by wc -w")
    if sum(counts.values()) > MOST_WORDS:
        listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda row: -row[1]))
        problems.append(f"{sum(counts.values())} words, {MOST_WORDS} allowed: {listed}")
    return problems


def help_texts(tree: Tree, launcher: Path) -> list[str]:
    """docs/use/commands.md shows what the launcher's --help prints."""
    if not launcher.exists():
        raise tool_checks.Unavailable(f"{launcher} is not built")
    import command_help

    page = tree.root / command_help.PAGE
    if page.read_text() == command_help.filled(page.read_text(), launcher):
        return []
    return [f"{command_help.PAGE} is not what --help prints: tests/house/command_help.py --launcher {launcher}"]
