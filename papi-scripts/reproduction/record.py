"""All claims with verdicts, what they depend on, and where they were computed, as one JSON document (schema.json).

Verdicts are of the run; the tables of assumptions are those of docs/results/data, with their own commits, as they take
hours.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import tomllib
from claims.claim import CLAIMS, Claim

from lab import method
from lab.commit import ROOT
from lab.method import Method, Parameter
from lab.results import Result as TableResult
from lab.results import command_line, this_machine, today

FORMAT = 1
SCHEMA = Path(__file__).with_name("schema.json")
EXPLAINED = CLAIMS.parent / "claims" / "explained.toml"
NOT_RUN = "not run"
Json = dict[str, Any]


class Row(Protocol):
    """A verdict of reproduce.py's."""

    claim: Claim
    verdict: str
    text: str
    beside: str


def explanations() -> dict[str, str]:
    return {name: " ".join(text.split()) for name, text in tomllib.loads(EXPLAINED.read_text()).items()}


def parameter(of: Method, one: Parameter, claim: str, tables: dict[str, TableResult]) -> Json:
    rows = [
        {"changed": found.row, "becomes": str(found.cell), "table": found.table, "commit": found.commit}
        for found in method.variations(of, one, claim, tables)
    ]
    shared: Json = {"name": one.id, "what": one.what, "here": one.here, "range": one.range, "rows": rows}
    return shared if rows else shared | {"not_varied": one.reason(claim)}


def sensitivity() -> dict[str, list[Json]]:
    """By claim: what its paper leaves open, and what the claim becomes with other choices."""
    found: dict[str, list[Json]] = {}
    for one in method.read_methods(ROOT):
        tables = method.tables_of(ROOT, one)
        for open_one in one.parameters:
            for claim in open_one.claims:
                found.setdefault(claim, []).append(parameter(one, open_one, claim, tables))
    return found


def verdict_of(row: Row) -> Json:
    shared = {"verdict": row.verdict.lower(), "ours": row.text}
    return shared | ({"beside": row.beside} if row.beside else {})


def claim_of(claim: Claim, rows: Sequence[Row], explained: str, parameters: list[Json]) -> Json:
    return {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "claim": claim.claim,
        "explanation": explained,
        "quantity": claim.quantity,
        "published": claim.published,
        "accepted": claim.accept,
        "how": claim.how,
        "results": [verdict_of(row) for row in rows] or [{"verdict": NOT_RUN, "ours": ""}],
        "sensitivity": parameters,
    }


def environment() -> Json:
    machine = this_machine()
    return {
        "processors": machine.processors,
        "cpu": machine.cpu,
        "kernel": machine.kernel,
        "load_before": machine.load,
        "python": platform.python_version(),
    }


def document(claims: Sequence[Claim], rows: Sequence[Row], commit: str) -> Json:
    """Of all claims, also those that were not asked for."""
    told, open_ones = explanations(), sensitivity()
    return {
        "format": FORMAT,
        "command": command_line(),
        "commit": commit,
        "date": today(),
        "environment": environment(),
        "claims": [
            claim_of(
                claim, [row for row in rows if row.claim.id == claim.id], told[claim.id], open_ones.get(claim.id, [])
            )
            for claim in claims
        ],
    }


def as_text(found: Json) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"
