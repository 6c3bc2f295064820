"""GraphicsMagick: a picture through filters. The picture is waves and noise of a seed."""

from __future__ import annotations

import random
import re
from math import sin
from pathlib import Path

from recipe import BadResult, Place, Recipe, Result, digest_of, text_of

WIDTH, HEIGHT = 720, 480
FILTERS = "-gaussian 0x3 -unsharp 0x1.5+1+0.05 -rotate 7 -resize 150% -modulate 110,90 -median 2".split()


def prepare(inputs: Path) -> None:
    chance = random.Random(6)
    pixels = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            waves = (sin(x / 17 + y / 41), sin(x / 29 - y / 13), sin((x * x + y * y) / 9000))
            pixels.extend(int(118 + 100 * wave + chance.randrange(30)) for wave in waves)
    (inputs / "picture.ppm").write_bytes(f"P6 {WIDTH} {HEIGHT} 255\n".encode() + pixels)


def command(place: Place) -> list[str]:
    return ["gm", "convert", str(place.inputs / "picture.ppm"), *FILTERS, "-depth", "16", "filtered.ppm"]


def result(place: Place, _output: str) -> Result:
    header = re.match(r"P6\s+(\d+) (\d+)\s+65535\s", text_of(place.work / "filtered.ppm")[:40])
    if header is None:
        raise BadResult("filtered.ppm is no picture")
    size = {"width": float(header[1]), "height": float(header[2])}
    return Result(digest_of(place.work / "filtered.ppm"), size)


RECIPE = Recipe(
    "graphicsmagick",
    "GraphicsMagick: gm convert of a picture of 720 x 480, blurred, sharpened, turned, enlarged, median of neighbours",
    command,
    result,
    debian=("graphicsmagick",),
    programs=("gm",),
    files=("recipes/graphicsmagick.py",),
    prepare=prepare,
    expected={"width": (1165.0, 12.0), "height": (846.0, 12.0)},
    tolerances={"width": 0.0, "height": 0.0},
)
