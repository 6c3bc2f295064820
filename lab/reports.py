"""Reads Muster's JSON reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Report = dict[str, Any]
Value = TypeVar("Value")


class ReportError(Exception):
    """One line: why there is no report, or what is wrong with it."""


class NoReportError(ReportError):
    """Nothing was written."""


def read(path: Path, take: Callable[[Report], Value]) -> Value:
    """What `take` finds in the report. A missing key is an error of the report, not of the caller."""
    try:
        return take(json.loads(path.read_text()))
    except FileNotFoundError:
        raise NoReportError("no report was written") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportError(f"the report is not as documented: {error!r}") from None


def read_all(folder: Path) -> list[Report]:
    """The reports in a folder, by name. A file that is not whole is left out: its process was killed."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            report = json.loads(path.read_text(errors="replace"))
        except (OSError, ValueError):
            continue
        if isinstance(report, dict):
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
