"""The words that we do not use (words.toml), found in documents, comments, messages and names."""

from __future__ import annotations

import bisect
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tree import CPP_SUFFIXES, Tree

TABLE = "tests/house/words.toml"
SUFFIXES = {*CPP_SUFFIXES, ".md", ".py", ".cmake", ".sh", ".txt", ".toml", ".S", ".in", ".tla"}
WITHOUT_SUFFIX = {"bootstrap", "loadgrid", "loadgrid-plot"}
# They hold the words themselves, or what others wrote.
APART = (TABLE, "tests/house/words.py", "tests/house/test_docs_checks.py", "tests/suites/", "LICENSE")
COMMENT_MARK = re.compile(r"^\s*(?://+|#+|\*+|--)\s?")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


@dataclass
class Word:
    avoid: str
    say: str
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


def python_names(text: str) -> str:
    """Each line's names."""
    lines: list[list[str]] = [[] for _ in text.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            lines[token.start[0] - 1].append(token.string)
    return "\n".join(map(" ; ".join, lines))


NAMES = dict.fromkeys(CPP_SUFFIXES, code_only) | {".py": python_names}


def looked_at(tree: Tree) -> Iterator[str]:
    for name in tree.files():
        path = Path(name)
        if not name.startswith(APART) and (path.suffix in SUFFIXES or path.name in WITHOUT_SUFFIX):
            yield name


def found(tree: Tree, words: list[Word]) -> Iterator[Found]:
    for name in looked_at(tree):
        text = tree.text(name)
        names_of = NAMES.get(Path(name).suffix)
        for names in (False, True):
            if names and names_of is None:
                continue
            shown, starts = plain(names_of(text) if names and names_of else text)
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
    return [
        f"{hit.name}:{hit.line}: not '{hit.word.avoid}': {hit.word.say}: {hit.text}"
        for hit in found(tree, table(tree.root))
    ]
