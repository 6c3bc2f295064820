"""The words that we do not use (words.toml), found in documents, comments, messages and names.

    words.py                     lists what is left where it may be, each with file and line
    words.py --update            takes folders off the lists that have none left
"""

from __future__ import annotations

import argparse
import bisect
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tree import CPP_SUFFIXES, Tree

TABLE = "tests/house/words.toml"
SUFFIXES = {*CPP_SUFFIXES, ".md", ".py", ".cmake", ".sh", ".txt", ".toml", ".S", ".in", ".tla"}
WITHOUT_SUFFIX = {"bootstrap", "loadgrid", "loadgrid-plot"}
# They hold the words themselves, or what others wrote.
APART = ("tests/house/", "tests/suites/", "LICENSE")
COMMENT_MARK = re.compile(r"^\s*(?://+|#+|\*+|--)\s?")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


@dataclass
class Word:
    avoid: str
    say: str
    still_in: list[str]
    names: bool = False
    but: str = ""

    def __post_init__(self) -> None:
        self.pattern = re.compile(rf"\b(?:{self.avoid})\b".replace(" ", r"\s+"))


@dataclass
class Found:
    word: Word
    name: str
    line: int
    text: str


def table(root: Path) -> list[Word]:
    path = root / TABLE
    return [Word(**row) for row in tomllib.loads(path.read_text())["word"]] if path.exists() else []


def folder_of(name: str) -> str:
    """What a row's `still_in` names: a top folder, but a second level of docs/ and tests/."""
    parts = Path(name).parts
    depth = 2 if parts[0] in ("docs", "tests") and len(parts) > 2 else 1
    return "/".join(parts[:depth]) if len(parts) > 1 else name


def plain(text: str) -> tuple[str, list[int]]:
    """The text in small letters, names cut into their parts, comments joined; and where each line begins."""
    starts, out, length = [], [], 0
    for line in text.splitlines():
        line = CAMEL.sub(" ", COMMENT_MARK.sub("", line)).replace("_", " ").lower() + " "
        starts.append(length)
        out.append(line)
        length += len(line)
    return "".join(out), starts


def code_only(text: str) -> str:
    return COMMENTS_AND_STRINGS.sub(lambda match: "\n" * match[0].count("\n"), text)


def looked_at(tree: Tree) -> Iterator[str]:
    for name in tree.files():
        path = Path(name)
        if not name.startswith(APART) and (path.suffix in SUFFIXES or path.name in WITHOUT_SUFFIX):
            yield name


def found(tree: Tree, words: list[Word]) -> Iterator[Found]:
    for name in looked_at(tree):
        text = tree.text(name)
        is_code = Path(name).suffix in CPP_SUFFIXES
        for names in (False, True):
            if names and not is_code:
                continue
            shown, starts = plain(code_only(text) if names else text)
            lines = text.splitlines()
            for word in (word for word in words if word.names == names):
                for match in word.pattern.finditer(shown):
                    line = bisect.bisect_right(starts, match.start())
                    if word.but and re.search(word.but, lines[line - 1]):
                        continue
                    yield Found(word, name, line, lines[line - 1].strip()[:90])
        stem = "" if Path(name).stem == "burner" else plain(Path(name).stem)[0]
        for word in words:
            if word.pattern.search(stem):
                yield Found(word, name, 0, "the file's name")


def banned_words(tree: Tree) -> list[str]:
    """None of the words stands outside of the folders that are still allowed to have it."""
    return [
        f"{hit.name}:{hit.line}: not '{hit.word.avoid}': {hit.word.say}: {hit.text}"
        for hit in found(tree, table(tree.root))
        if folder_of(hit.name) not in hit.word.still_in
    ]


def update(root: Path, first: bool) -> None:
    """Lists shrink to what is left; `first` also lets them grow, for a word that is new in the table."""
    words = table(root)
    left: dict[str, set[str]] = {word.avoid: set() for word in words}
    for hit in found(Tree(root), words):
        if first or folder_of(hit.name) in hit.word.still_in:
            left[hit.word.avoid].add(folder_of(hit.name))
    text = (root / TABLE).read_text()
    for word in words:
        listed = ", ".join(f'"{folder}"' for folder in sorted(left[word.avoid]))
        at = text.index(f"avoid = '{word.avoid}'")
        head, tail = text[:at], text[at:]
        text = head + re.sub(r"still_in = \[[^\]]*\]", f"still_in = [{listed}]", tail, count=1)
    (root / TABLE).write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--new", action="store_true", help="as --update, and lists of new words are filled")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    if arguments.update or arguments.new:
        update(root, arguments.new)
        return 0
    for hit in found(Tree(root), table(root)):
        print(f"{hit.name}:{hit.line}: {hit.word.avoid} -> {hit.word.say}: {hit.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
