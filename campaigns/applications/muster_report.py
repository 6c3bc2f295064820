"""Sums over Muster's reports of all processes of a run that had an OpenMP runtime."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any


def reasons(rows: list[dict[str, Any]], keys: tuple[str, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found[": ".join(str(row[key]) for key in keys)] += row["count"]
    return found


def summary(folder: Path) -> dict[str, Any] | None:
    """None where no process wrote a report."""
    reports = []
    for file in sorted(folder.glob("*.json")):
        try:
            reports.append(json.loads(file.read_text()))
        except (OSError, ValueError):
            return None
    if not reports:
        return None
    kept: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    folding: Counter[str] = Counter()
    inactive: Counter[str] = Counter()
    runtimes: dict[str, dict[str, str | None]] = {}
    waited = 0.0
    for report in reports:
        if not report["runtimes"]:
            continue  # a helper of the application, without OpenMP
        barriers, regions, waiting = report["barriers"], report["fork_join"], report["waiting"]
        kept["processes"] += 1
        for name in ("replaced", "passed_through", "instances_replaced"):
            kept[name] += barriers[name]
        for name in ("folded", "unfolded", "opened"):
            kept[name] += regions[name]
        for name in ("waits", "blocks", "gatherings", "moves"):
            kept[name] += waiting[name]
        kept["largest_team"] = max(kept["largest_team"], report["largest_team"])
        waited += sum(thread["waited_ns"] for thread in report["threads"]) / 1e9
        passed += reasons(barriers["by_reason"], ("reason",))
        folding += reasons(regions["by_reason"], ("what", "reason"))
        if report["inactive_reason"]:
            inactive[report["inactive_reason"]] += 1
        for runtime in report["runtimes"]:
            runtimes[runtime["path"]] = {key: runtime[key] for key in ("package", "reason")}
    return dict(kept) | {
        "waited_s": waited,
        "by_reason": dict(passed),
        "folding": dict(folding),
        "inactive": dict(inactive),
        "runtimes": runtimes,
    }
