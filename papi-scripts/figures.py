#!/usr/bin/env python3
"""Draws the papers' figures with our numbers, ours on the same axes, and machines of up to 1,024 cores.

Each figure NAME becomes NAME.png and NAME.svg, readable in black and white, with NAME.csv, its data; scale-* also
NAME.growth.csv, the fits. zhang-*, ours-* and scale-* are modelled by bin/coherence, the others as their captions say.
docs/results shows them.

    papi-scripts/figures.py                        run the simulators and draw all into figures/
    papi-scripts/figures.py --only zhang-9         only that one (again for more)
    papi-scripts/figures.py --data figures         draw again from the CSV of figures/, running nothing
    papi-scripts/figures.py --collected app.csv    what collect.py collected, instead
    papi-scripts/figures.py --list                 the names

It needs pandas and matplotlib (Debian: python3-pandas, python3-matplotlib, for /usr/bin/python3).
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from collection.record import RecordError  # noqa: E402
from drawing import series  # noqa: E402
from drawing.catalogue import CATALOGUE, FigureOf, runs_of  # noqa: E402
from drawing.series import PaperFigure  # noqa: E402

from lab.campaign import Campaign, CampaignError, add_options, positive  # noqa: E402
from lab.commit import commit  # noqa: E402
from lab.progress import Progress  # noqa: E402


def at_least_two(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 2")
    return int(text)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=Path("figures"), metavar="DIR", help="(figures)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this figure; may be repeated")
    parser.add_argument("--data", type=Path, metavar="DIR", help="draw DIR/NAME.csv and run nothing")
    parser.add_argument("--collected", type=Path, metavar="FILE", help="draw collect.py's CSV instead")
    parser.add_argument("--episodes", type=positive, metavar="N", help="of each run (200; 20 for scale-*)")
    parser.add_argument("--most-threads", type=at_least_two, metavar="N", help="leave out runs of more threads")
    add_options(parser)
    parser.add_argument("--full", action="store_true", help="also the runs that take minutes each")
    parser.add_argument("--list", action="store_true", help="list the figures and end")
    arguments = parser.parse_args()
    names = [figure.name for figure in (*CATALOGUE, *series.catalogue())]
    if arguments.collected is not None and (arguments.only or arguments.data is not None):
        parser.error("--collected draws all of its file: it goes with neither --only nor --data")
    unknown = [name for name in arguments.only if name not in names]
    if unknown:
        parser.error(f"no figure {unknown[0]!r}; there are {', '.join(names)}")
    return arguments


def say(text: str) -> None:
    print(f"figures: {text}", file=sys.stderr)


def new_campaign(arguments: argparse.Namespace, progress: Progress) -> Campaign:
    return Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)


def draw_modelled(chosen: list[FigureOf], arguments: argparse.Namespace) -> None:
    """Those of bin/coherence."""
    from drawing import modelled, modelled_pictures, plots

    frames = {}
    if arguments.data is not None:
        for figure in chosen:
            frames[figure] = modelled.read_frame(figure, arguments.data / f"{figure.name}.csv")
    else:
        progress = Progress()
        simulator = modelled.Simulator(new_campaign(arguments, progress))
        limits = (arguments.episodes, arguments.full, arguments.most_threads)
        runs = {figure: runs_of(figure, *limits) for figure in chosen}
        try:
            simulator.run_all([run for some in runs.values() for run in some])
        finally:
            progress.clear()
        version = commit()
        for figure in chosen:
            frames[figure] = simulator.frame(figure, runs[figure], version)
    for figure, frame in frames.items():
        modelled.write_frame(frame, arguments.output / f"{figure.name}.csv")
        plots.save(modelled_pictures.picture_of(figure, frame), arguments.output, figure.name)
        print(arguments.output / f"{figure.name}.png")
        if figure.kind == "scale":
            fits = modelled_pictures.growth_frame(modelled_pictures.numbers(figure, frame))
            modelled.write_frame(fits, arguments.output / f"{figure.name}.growth.csv")
            print(fits.to_string(index=False) if len(fits) else f"{figure.name}: too few threads for its growth")
        sys.stdout.flush()


def draw_papers(chosen: list[PaperFigure], arguments: argparse.Namespace) -> None:
    """Those of the papers' other systems."""
    from drawing import plots, series_pictures

    progress = Progress()
    campaign = new_campaign(arguments, progress)
    for figure in chosen:
        name = f"{figure.name}.csv"
        if arguments.data is not None:
            table = series.read(figure, arguments.data / name)
        else:
            try:
                table = series.make(figure, campaign, commit())
            finally:
                progress.clear()
        series.write(table, arguments.output / name)
        plots.save(series_pictures.picture_of(figure, table), arguments.output, figure.name)
        print(arguments.output / f"{figure.name}.png", flush=True)


def draw_collected(arguments: argparse.Namespace) -> None:
    from collection import record
    from drawing import collected_pictures, modelled, plots

    for one in collected_pictures.collected_pictures(record.read(arguments.collected)):
        modelled.write_frame(one.frame, arguments.output / f"{one.name}.csv")
        plots.save(one.picture, arguments.output, one.name)
        print(arguments.output / f"{one.name}.png")


def main() -> int:
    arguments = read_arguments()
    chosen = [figure for figure in CATALOGUE if not arguments.only or figure.name in arguments.only]
    papers = [figure for figure in series.catalogue() if not arguments.only or figure.name in arguments.only]
    if arguments.list:
        for figure in (*chosen, *papers):
            print(f"{figure.name:16} {figure.title} ({figure.machine})")
        return 0
    try:
        import drawing.modelled  # noqa: F401  # needs pandas
    except ImportError as error:
        hint = "install it (Debian: python3-pandas, python3-matplotlib, for /usr/bin/python3)"
        say(f"{sys.executable}: {error}; {hint}")
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the runs end with us
    try:
        if arguments.collected is not None:
            draw_collected(arguments)
        else:
            if chosen:
                draw_modelled(chosen, arguments)
            if papers:
                draw_papers(papers, arguments)
    except ImportError as error:
        say(f"{sys.executable}: {error}; install it (Debian: python3-matplotlib, for /usr/bin/python3)")
        return 1
    except (CampaignError, RecordError) as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"{error.filename or arguments.output}: {error.strerror}")
        return 1
    except KeyboardInterrupt as error:
        say(str(error) or "interrupted; nothing more is drawn")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
