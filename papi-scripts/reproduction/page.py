"""The page of a document (record.py), for readers who have not read the papers. It needs jinja2 to be made."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

from reproduction.record import Json

TEMPLATE = Path(__file__).with_name("page.html.j2")
MARKS = "+: it would be accepted; -: it would not; !: its verdict changes."
PAPERS = {
    "zhang": "Zhang, Martinez, Tal, Blainey: Busy-wait barrier synchronization using distributed counters (2003)",
    "tsafrir": "Tsafrir, Feitelson: Barrier synchronization on a loaded SMP using two-phase waiting (2002)",
    "arpaci": "Arpaci-Dusseau, Culler: A cooperative approach to two-phase waiting",
    "peter": "Peter, Baumann, Anderson, Roscoe: Gang scheduling isn't worth it... yet (2011)",
    "mosberger": "Mosberger: Affinity über alles (2003)",
}


def counts(claims: list[Json]) -> str:
    found = Counter(result["verdict"] for claim in claims for result in claim["results"])
    return ", ".join(f"{number} {verdict}" for verdict, number in found.most_common()).capitalize()


def facts(found: Json) -> list[tuple[str, str]]:
    machine = found["environment"]
    processors = f"{machine['processors']} processors, {machine['cpu']}; load before {machine['load_before']}"
    return [
        ("command", found["command"]),
        ("commit", found["commit"]),
        ("date", found["date"]),
        ("machine", processors),
        ("system", f"{machine['kernel']}; Python {machine['python']}"),
    ]


def origins(claim: Json) -> str:
    """Of the rows: they were not computed in this run."""
    rows = [row for one in claim["sensitivity"] for row in one["rows"]]
    tables = dict.fromkeys(f"{row['table']} of commit {row['commit']}" for row in rows)
    return f"{MARKS} From docs/results/data: {', '.join(tables)}." if tables else ""


def page(found: Json) -> str:
    """Raises ImportError without jinja2."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    by_paper = groupby(found["claims"], key=lambda claim: claim["paper"])
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        claims=found["claims"],
        counts=counts(found["claims"]),
        facts=facts(found),
        papers=[(PAPERS[name], list(claims)) for name, claims in by_paper],
        origins=origins,
    )
