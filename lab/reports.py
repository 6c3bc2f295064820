"""Reads Muster's JSON reports, and holds them to the schema of `muster fields --schema`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

Report = dict[str, Any]
Value = TypeVar("Value")


SCHEMA = Path(__file__).resolve().parents[1] / "build" / "release" / "report.schema.json"


class ReportError(Exception):
    """One line: why there is no report, or what is wrong with it."""


class NoReportError(ReportError):
    """Nothing was written."""


@cache
def _validator(merged: bool) -> Any:
    """None without the package jsonschema or the build, which the tests have.

    One of the two kinds: half the time of both.
    """
    try:
        import jsonschema

        schema = json.loads(SCHEMA.read_text())
    except (ImportError, OSError):
        return None
    return jsonschema.Draft7Validator(schema["definitions"]["merged" if merged else "process"])


def problem_of(report: Any) -> str:
    """Where the report differs from the schema; empty where it does not."""
    validator = _validator(isinstance(report, dict) and "merged" in report)
    error = None if validator is None else next(validator.iter_errors(report), None)
    return "" if error is None else f"{error.json_path}: {error.message}"


def parsed(text: str) -> Report:
    """The report, which must be as the schema has it."""
    report = json.loads(text)
    if problem := problem_of(report):
        raise ReportError(f"the report is not as its schema: {problem}")
    return report


def load(path: Path) -> Report:
    """The report in the file, which must be as the schema has it."""
    return parsed(path.read_text())


def read(path: Path, take: Callable[[Report], Value]) -> Value:
    """What `take` finds in the report. A missing key is an error of the report, not of the caller."""
    try:
        return take(load(path))
    except FileNotFoundError:
        raise NoReportError("no report was written") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportError(f"the report is not as documented: {error!r}") from None


def read_all(folder: Path, checked: bool = True) -> list[Report]:
    """The reports in a folder, by name. A file that is not whole is left out: its process was killed.

    Each must be as the schema has it if `checked`; otherwise it may be another version's.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            report = json.loads(path.read_text(errors="replace"))
        except (OSError, ValueError):
            continue
        if isinstance(report, dict):
            if checked and (problem := problem_of(report)):
                raise ReportError(f"{path.name} is not as the schema of reports: {problem}")
            found.append(report)
    return found


def replaced(report: Report) -> int:
    """Arrivals at barriers that Muster replaced."""
    return int(report["barriers"]["replaced"])


def folded(report: Report) -> int:
    """Parallel regions that Muster folded into a running team."""
    return int(report["fork_join"]["folded"])


def inactive(report: Report) -> str:
    """A line where Muster was not active, empty where it was."""
    return "" if report["active"] else f"Muster was inactive: {report['inactive_reason']}"


def why_passed_through(reports: list[Report]) -> str:
    """Why barriers went to the runtime, in all of these reports together."""
    reasons = {report["inactive_reason"] for report in reports if report.get("inactive_reason")}
    for report in reports:
        reasons |= {entry["reason"] for entry in report["barriers"].get("by_reason", [])}
    return ", ".join(sorted(reasons))
