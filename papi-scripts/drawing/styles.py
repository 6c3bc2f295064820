"""The marker and dashes of each algorithm in all figures; greys only help."""

from __future__ import annotations

from dataclasses import dataclass

PAPERS_NAMES = {
    "fetch-add": "FetchAndAdd",
    "dist-counter": "DistCounter",
    "dist-counter-padded": "DistCounterPad",
    "local-sensor": "LocalSensor",
    "dist-sensor": "Combined",
}
PAPERS_FIVE = tuple(PAPERS_NAMES)
PAPERS_OWN = tuple(PAPERS_NAMES.values())  # with their resets, sim/published
OURS = ("dissemination", "tree", "auto")


@dataclass(frozen=True)
class Style:
    marker: str
    dashes: str | tuple[int, tuple[float, ...]] = "-"
    grey: float = 0.0
    filled: bool = False
    width: float = 1.1
    size: float = 5.0
    hatch: str = ""  # of an area

    def keywords(self) -> dict[str, object]:
        """Of matplotlib's plot()."""
        colour = str(self.grey)
        return {
            "marker": self.marker,
            "linestyle": self.dashes,
            "color": colour,
            "linewidth": self.width,
            "markersize": self.size,
            "markerfacecolor": colour if self.filled else "white",
            "markeredgecolor": colour,
            "markeredgewidth": 1.0,
        }


STYLES = {
    "fetch-add": Style("o"),
    "fetch-add-xadd": Style("p", (0, (6, 1, 1, 1)), 0.3),
    "dist-counter": Style("s", (0, (5, 2))),
    "dist-counter-padded": Style("^", (0, (5, 1.5, 1, 1.5)), 0.25),
    "local-sensor": Style("v", (0, (1, 1.2)), 0.0, width=1.4),
    "dist-sensor": Style("D", "-", 0.45, filled=True, size=4.5),
    "dissemination": Style("X", (0, (8, 2)), 0.0, filled=True, size=5.5),
    "tree": Style("*", (0, (2, 1)), 0.0, filled=True, size=7.5),
    "auto": Style("h", "-", 0.68, filled=True, width=3.2, size=4.5),
    "native": Style("P", (0, (3, 2, 1, 2, 1, 2)), 0.3),
    "stock": Style("d", (0, (3, 1)), 0.0, size=6.0),
}
# For what has no look of its own (other policies of an algorithm).
OTHERS = (
    Style("<", (0, (4, 1))),
    Style(">", (0, (1, 2)), 0.3, filled=True),
    Style("8", (0, (2, 2)), 0.6, filled=True),
    Style("H", "-", 0.3),
    Style("1", (0, (3, 3)), 0.2, size=8),
    Style("2", (0, (7, 1)), 0.4, size=8),
)


def style_of(name: str, number: int = 0) -> Style:
    """The paper's own barriers look as what Muster has for them."""
    name = {own: ours for ours, own in PAPERS_NAMES.items()}.get(name, name)
    return STYLES.get(name) or OTHERS[number % len(OTHERS)]


def behind(style: Style) -> Style:
    """The same, where it is only there to compare with."""
    return Style(style.marker, style.dashes, 0.62, False, 0.8, 3.5)


def label_of(barrier: str) -> str:
    """The paper's name first, where it has one."""
    return f"{PAPERS_NAMES[barrier]} ({barrier})" if barrier in PAPERS_NAMES else barrier
