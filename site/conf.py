"""Sphinx's configuration: sphinx -c site docs build/site."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parents[1] / "docs"

project = "Muster"
html_title = "Muster"
extensions = ["myst_parser"]
root_doc = "README"
exclude_patterns = ["results/data/**"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "toc.not_included", "misc.highlighting_failure"]
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
# A summary below each hit would be fetched, which browsers refuse for files.
html_show_search_summary = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


def without_links_out(text: str, folder: Path) -> str:
    """Links to folders and to files that are not documentation become their text."""

    def shown(link: re.Match[str]) -> str:
        target = link[2].partition("#")[0]
        if "://" in target or not target:
            return link[0]
        there = Path(os.path.normpath(folder / target))
        return link[0] if DOCS in there.parents and there.is_file() else link[1]

    return LINK.sub(shown, text)


def table_of_contents(caption: str, pages: list[str]) -> str:
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def pages_linked(text: str) -> list[str]:
    """In the order of the text, once each, without .md."""
    targets = [link[2].partition("#")[0] for link in LINK.finditer(text)]
    return list(dict.fromkeys(target.removesuffix(".md") for target in targets if target.endswith(".md")))


def adapt(app: Sphinx, name: str, source: list[str]) -> None:
    text = without_links_out(source[0], (DOCS / name).parent)
    if name == root_doc:  # a chapter of the navigation for each section of the index
        parts = HEADING.split(text)
        for caption, below in zip(parts[1::2], parts[2::2], strict=True):
            text += table_of_contents(caption, pages_linked(below))
    source[0] = text


def add_index(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        shutil.copy(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def setup(app: Sphinx) -> None:
    app.connect("source-read", adapt)
    app.connect("build-finished", add_index)
