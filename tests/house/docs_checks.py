"""Rules of the documents: links that lead somewhere, whole tables, short sentences and lines, not too many words."""

from __future__ import annotations

import os
import re
from pathlib import Path

import tool_checks
from markdown import CODE, Page
from tree import Tree

MOST_WORDS_OF_README = 700
MOST_WORDS = 31_800  # of all documents, README included, generated pages aside
MOST_WORDS_OF_A_SENTENCE = 20  # on average over a page of these:
SHORT_SENTENCES = ("README.md", "docs/README.md", "docs/use/")
MOST_COLUMNS = 120
MOST_BYTES_OF_A_PICTURE = 60_000
INDEX = "docs/README.md"
PATH = re.compile(r"[\w.-]+(?:/[\w.+-]+)+")
PLACEHOLDER = re.compile(r"[A-Z]{4,}|your_")
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


def pictures(tree: Tree) -> list[str]:
    """Pictures are small, and a page shows each."""
    shown = {
        os.path.normpath(Path(name).parent / target.partition("#")[0])
        for name, page in pages(tree).items()
        for _, target in page.links()
    }
    problems = []
    for name in (name for name in tree.files() if name.startswith("docs/") and name.endswith((".svg", ".png"))):
        size = (tree.root / name).stat().st_size
        if size > MOST_BYTES_OF_A_PICTURE:
            problems.append(f"{name}: {size} bytes, {MOST_BYTES_OF_A_PICTURE} allowed")
        if name not in shown:
            problems.append(f"{name}: no page shows it")
    return problems


def named_paths(tree: Tree) -> list[str]:
    """A file that a page names as `folder/file` exists. Pages of results name those of their commits."""
    problems = []
    files = set(tree.files())
    known = files | {str(folder) for name in files for folder in Path(name).parents}
    tops = {Path(name).parts[0] for name in files if "/" in name}
    for name in (name for name in files if name.endswith(".md")):
        page = Page(tree.text(name))
        if page.is_generated():
            continue
        for number, line in page.outside:
            for path in (match[2].rstrip("/") for match in CODE.finditer(line)):
                is_path = PATH.fullmatch(path) and path.partition("/")[0] in tops and not PLACEHOLDER.search(path)
                if is_path and not {path, os.path.normpath(Path(name).parent / path)} & known:
                    problems.append(f"{name}:{number}: there is no {path}")
    return sorted(problems)


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


RULER = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
CELL_END = re.compile(r"(?<!\\)\|")


def tables(tree: Tree) -> list[str]:
    """A table is lines of their own, as many cells in each as in its head: else it is shown as text."""
    problems = []
    for name in (name for name in tree.files() if name.endswith(".md")):
        outside = Page(tree.text(name)).outside
        cells = 0  # of the table that the line may belong to
        for (_, before), (number, line) in zip([(0, ""), *outside], outside, strict=False):
            found = len(CELL_END.findall(line))
            if ruler := RULER.search(line):
                cells = found
                if ruler[0] != line.strip() or len(CELL_END.findall(before)) != cells:
                    problems.append(f"{name}:{number}: a table's ruler that is no line of its own below as many heads")
            elif cells and not line.lstrip().startswith("|"):
                cells = 0
            elif cells and found != cells:
                problems.append(f"{name}:{number}: {found - 1} cells in a table of {cells - 1}")
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
