"""Pictures of matplotlib in small files: PNG with few colours, SVG as scour leaves it (Debian: python3-scour)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

try:
    from scour import scour
except ImportError:
    scour = None

COLOURS = 64
WORDS = ["--no-line-breaks", "--indent=none", "--enable-id-stripping", "--shorten-ids", "--set-precision=4", "--quiet"]


def svg_of(figure: Figure, description: str = "") -> str:
    """Without a date: the same picture is the same text, if svg.hashsalt is set."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None} | ({"Description": description} if description else {}))
    text = file.getvalue()
    return scour.scourString(text, scour.sanitizeOptions(scour.parse_args(WORDS))) if scour else text


def save_png(figure: Figure, path: Path, dpi: int, margins: str | None = None) -> None:
    """`margins`: savefig's bbox_inches."""
    from PIL import Image

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi, bbox_inches=margins)
    with Image.open(file) as image:
        image.convert("RGB").quantize(COLOURS).save(path, format="PNG", optimize=True)
