"""Numbers from bin/coherence, and the CSV that lies beside each figure of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pandas

from drawing.catalogue import COLUMNS, COSTLY, FigureOf, Run
from lab import campaign
from lab.campaign import Campaign, CampaignError
from lab.whole_file import whole_file

# Of each line; then come the figure's own columns, as bin/coherence printed them.
KEYS = ("source", "machine", "title", "barrier", "threads", "episodes", "delay_us", "seed")
LAST_KEYS = ("commit", "command")
MACHINES = Path(__file__).resolve().parents[2] / "sim" / "coherence" / "machines"


class DataError(CampaignError):
    """A line for the user."""


def weight(run: Run) -> float:
    """About what a run costs, in any unit."""
    return (run.episodes + 10) * run.threads * (run.threads if run.barrier == COSTLY else 20)


class Simulator:
    """bin/coherence, each run once."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.program = campaign.program("coherence")
        self.rows: dict[Run, dict[str, str]] = {}
        self.titles: dict[str, str] = {}

    def title(self, machine: str) -> str:
        if machine not in self.titles:
            words = ("--machine", machine, "--threads", "1", "--episodes", "1")
            self.titles[machine] = self.campaign.run([campaign_run(words, machine)])[0].splitlines()[0]
        return self.titles[machine]

    def run_all(self, runs: Iterable[Run]) -> None:
        todo = list(set(runs) - set(self.rows))
        made = [campaign_run(words_of(run), run.machine, weight(run)) for run in todo]
        for run, table in zip(todo, self.campaign.rows(made), strict=True):
            if len(table) != 1:
                raise DataError(f"coherence {' '.join(words_of(run))}: printed {len(table)} lines of numbers, not 1")
            self.rows[run] = table[0]

    def frame(self, figure: FigureOf, runs: Iterable[Run], commit: str) -> pandas.DataFrame:
        table = []
        for run in runs:
            row = self.rows[run]
            missing = [name for name in (*figure.columns, "delay_us", "seed") if name not in row]
            if missing:
                raise DataError(f"coherence {' '.join(words_of(run))}: printed no {missing[0]}")
            shared = {
                "source": "modelled",
                "title": self.title(run.machine),
                "commit": commit,
                "command": "coherence " + " ".join(words_of(run)),
            }
            table.append([(row | shared)[key] for key in (*KEYS, *figure.columns, *LAST_KEYS)])
        return pandas.DataFrame(table, columns=[*KEYS, *figure.columns, *LAST_KEYS], dtype=str)


def campaign_run(words: Iterable[str], machine: str, costs: float = 1.0) -> campaign.Run:
    """Machines by rule have no file."""
    path = MACHINES / f"{machine}.toml"
    return campaign.Run("coherence", tuple(words), (path,) if path.is_file() else (), costs)


def words_of(run: Run) -> list[str]:
    words = ["--machine", run.machine, "--barrier", run.barrier, "--threads", str(run.threads)]
    return [*words, "--episodes", str(run.episodes), "--csv"]


def ranges(numbers: Iterable[int]) -> str:
    """As --threads takes it: 2..32 or 2,4,8."""
    values = sorted(set(numbers))
    if len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return ",".join(map(str, values))


def commands(frame: pandas.DataFrame) -> list[str]:
    """The fewest commands that print these numbers."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for barrier, rows in frame.groupby("barrier", sort=False):
        for episodes, some in rows.groupby("episodes", sort=False):
            key = (some["machine"].iloc[0], ranges(some["threads"].astype(int)), str(episodes))
            alike.setdefault(key, []).append(str(barrier))
    return [
        f"coherence --machine {machine} --barrier {','.join(barriers)} --threads {threads} --episodes {episodes}"
        for (machine, threads, episodes), barriers in alike.items()
    ]


def write_frame(frame: pandas.DataFrame, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as unfinished:
        frame.to_csv(unfinished, index=False, lineterminator="\n")


def read_frame(figure: FigureOf, path: Path) -> pandas.DataFrame:
    """What write_frame wrote; anything else is refused with its line and key."""
    wanted = [*KEYS, *figure.columns, *LAST_KEYS]
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [key for key in wanted if key not in (reader.fieldnames or [])]
            if missing:
                raise DataError(f"{path}:1: no column {missing[0]}; is it the CSV of {figure.name}?")
            rows = []
            for row in reader:
                check_row(figure, row, f"{path}:{reader.line_num}")
                rows.append([row[key] for key in wanted])
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: no CSV: {error}") from None
    if not rows:
        raise DataError(f"{path}: no numbers, its head only")
    return pandas.DataFrame(rows, columns=wanted, dtype=str)


def check_row(figure: FigureOf, row: dict[str, str], where: str) -> None:
    for key in (*KEYS, *figure.columns, *LAST_KEYS):
        if row[key] is None:
            raise DataError(f"{where}: {key}: missing, the line ends before it")
    for key in ("threads", "episodes"):
        if not row[key].isdecimal() or int(row[key]) < 1:
            raise DataError(f"{where}: {key}: {row[key]!r} is no number from 1")
    for key in figure.columns:
        try:
            value = float(row[key])
        except ValueError:
            value = float("nan")
        if not 0 <= value < float("inf"):
            raise DataError(f"{where}: {key}: {row[key]!r} is no {COLUMNS[key].split(',')[0]}")
