"""A page of Markdown, as the checks of the docs see it: prose, fenced blocks, links, anchors."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*(.*)$")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"!?\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
CODE = re.compile(r"(`+)(.+?)\1")
# A sentence ends here, but not after an abbreviation, and not inside of a number or a name.
SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bFig)[.!?][\"')*_]*(?=\s|$)")
WORD = re.compile(r"[^\W_][\w'.,/+-]*")
MADE_PART = re.compile(r"<!-- (\w+)[^>]*-->\n.*?<!-- /\1 -->", re.DOTALL)
GENERATED = re.compile(r"<!-- (?:generated|made) by ", re.IGNORECASE)


@dataclass
class Fence:
    """A fenced block: where it begins, what its info string says, what is in it."""

    line: int
    info: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Page:
    text: str
    fences: list[Fence] = field(default_factory=list)
    outside: list[tuple[int, str]] = field(default_factory=list)  # lines outside of fences, with their numbers

    def __post_init__(self) -> None:
        closing = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            match = FENCE.match(line)
            if closing:
                if match and match[2].startswith(closing) and not match[3]:
                    closing = ""
                else:
                    self.fences[-1].lines.append(line)
            elif match:
                closing = match[2]
                self.fences.append(Fence(number, match[3].strip()))
            else:
                self.outside.append((number, line))

    def is_generated(self) -> bool:
        """Whether `<!-- Made by COMMAND ... -->` stands in the first lines."""
        return any(GENERATED.match(line) for line in self.text.splitlines()[:5])

    def anchors(self) -> set[str]:
        """What `#...` may name: headings as GitHub makes anchors of them, and explicit ones."""
        found: set[str] = set()
        for _, line in self.outside:
            found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
            match = HEADING.match(line)
            if not match:
                continue
            plain = LINK.sub(lambda link: link["text"], match[2]).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            anchor, number = slug, 0
            while anchor in found:
                number += 1
                anchor = f"{slug}-{number}"
            found.add(anchor)
        return found

    def links(self) -> list[tuple[int, str]]:
        """Targets with their lines; code is not a link, and a link's text may have a line break in it."""
        numbers = [number for number, line in self.outside for _ in range(len(CODE.sub("", line)) + 1)]
        text = "\n".join(CODE.sub("", line) for _, line in self.outside)
        return [(numbers[match.start()], match["target"]) for match in LINK.finditer(text)]

    def paragraphs(self) -> list[str]:
        """Prose: without headings, tables, comments, indented code. A list item is a paragraph of its own."""
        kept: list[str] = []
        current: list[str] = []
        text = COMMENT.sub("", "\n".join(line for _, line in self.outside))
        for line in [*text.splitlines(), ""]:
            is_code = line.startswith("    ") and not current
            if not line.strip() or HEADING.match(line) or line.lstrip().startswith("|") or is_code:
                ends, line = True, ""
            else:
                ends = bool(ITEM.match(line))
            if ends and current:
                kept.append(" ".join(current))
                current = []
            if line:
                current.append(ITEM.sub("", line).strip())
        return kept

    def sentences(self) -> list[list[str]]:
        """The words of each sentence. Code in the text counts as one word, a link as its text."""
        found = []
        for paragraph in self.paragraphs():
            plain = LINK.sub(lambda link: link["text"], CODE.sub("code", paragraph))
            found += [words for part in SENTENCE_END.split(plain) if (words := WORD.findall(part))]
        return found

    def word_count(self) -> int:
        """As `wc -w`, of all that somebody wrote by hand: comments, outputs, and parts that a command makes aside."""
        page = Page(MADE_PART.sub("", self.text))
        outputs = sum(len(line.split()) for fence in page.fences if fence.info == "text" for line in fence.lines)
        return len(COMMENT.sub("", page.text).split()) - outputs
