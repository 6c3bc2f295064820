"""The columns of a collection's CSV: a line is a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from collection.plan import Setting
from collection.running import Measured

FORMAT = "muster-collection 1"
# The same on all lines of a file: a collection under others is not continued.
COMMON = (
    "format", "plan", "program", "program_digest", "compiler", "machine", "cpus", "kernel",
    "library_digest", "commit", "events", "value_pattern",
)  # fmt: skip
RUN = ("date", "repetition", "barrier", "wait", "threads", "status", "exit_status", "elapsed_s", "cpu_s", "value")
RUNTIME = ("muster", "runtime", "runtime_path", "runtime_version")
# Muster's own counts, all `software`: column, and where the report has it.
SOFTWARE: dict[str, tuple[str, str]] = {
    "replaced": ("barriers", "replaced"),
    "passed_through": ("barriers", "passed_through"),
    "episodes": ("barriers", "instances_replaced"),
    "waits": ("waiting", "waits"),
    "spins": ("waiting", "spins_begun"),
    "successful_spins": ("waiting", "spins_succeeded"),
    "blocks": ("waiting", "blocks"),
    "wakeups": ("waiting", "wakeups"),
    "wake_calls": ("waiting", "wake_calls"),
    "retries": ("waiting", "failed_updates"),
    "yields": ("waiting", "yields"),
    "waited_ns": ("waiting", "waited_ns"),
}
COUNTERS = ("counters_library",)
OF_EVENT = ("source", "reason", "multiplexed", "waiting", "rest")
SOURCES = ("hardware", "software", "unavailable")
UNAVAILABLE = "unavailable"
NUMBERS = ("elapsed_s", "cpu_s", *SOFTWARE)


def event_columns(event: str) -> list[str]:
    return [f"{event}.{part}" for part in OF_EVENT]


def columns(events: Sequence[str]) -> list[str]:
    return [*COMMON, *RUN, *RUNTIME, *SOFTWARE, *COUNTERS, *(name for e in events for name in event_columns(e))]


def one_line(text: str) -> str:
    """A line of the file is a run, so that an incomplete one is recognised."""
    return " ".join(text.split())


def software_values(setting: Setting, reports: list[dict]) -> dict[str, str]:
    if not setting.preloaded or not reports:
        return {}
    found = {}
    for column, (part, key) in SOFTWARE.items():
        values = [report.get(part, {}).get(key) for report in reports]
        if all(isinstance(value, int) for value in values):
            found[column] = str(sum(values))
    return found


def event_values(setting: Setting, events: Sequence[str], reports: list[dict]) -> dict[str, str]:
    """What can't be had is unavailable, with its reason, and has no number."""
    found: dict[str, str] = {}
    for event in events:
        source, reason, multiplexed, waiting, rest = of_event(setting, event, reports)
        values = (source, reason, "yes" if multiplexed else "no", waiting, rest)
        if source == UNAVAILABLE:
            values = (source, reason, "", None, None)
        texts = ["" if value is None else one_line(str(value)) for value in values]
        found |= dict(zip(event_columns(event), texts, strict=True))
    return found


def of_event(setting: Setting, event: str, reports: list[dict]) -> tuple[str, str, bool, int | None, int | None]:
    def missing(reason: str) -> tuple[str, str, bool, None, None]:
        return UNAVAILABLE, reason, False, None, None

    if not setting.preloaded:
        return missing("stock: nothing was preloaded that could count")
    if not reports:
        return missing("no report")
    entries = []
    for report in reports:
        counters = report.get("counters")
        if not isinstance(counters, dict):
            return missing("this build of Muster has no counters")
        named = [entry for entry in counters.get("events", []) if entry.get("name") == event]
        if not named or (counters.get("unavailable") and not named[0].get("reason")):
            return missing(str(counters.get("unavailable") or "not in the report"))
        entries.append(named[0])
    for entry in entries:
        numbers = [entry.get("waiting"), entry.get("rest")]
        if entry.get("source") not in SOURCES[:2] or not all(isinstance(number, int) for number in numbers):
            return missing(str(entry.get("reason") or "no number in the report"))
    sums = [sum(entry[part] for entry in entries) for part in ("waiting", "rest")]
    reasons = {str(entry["reason"]) for entry in entries if entry.get("reason")}
    return (
        str(entries[0]["source"]),
        "; ".join(sorted(reasons)),
        any(entry.get("multiplexed") for entry in entries),
        sums[0],
        sums[1],
    )


def run_values(
    date: str,
    repetition: int,
    setting: Setting,
    events: Sequence[str],
    outcome: Measured,
    runtime_of: Callable[[list[dict]], dict[str, str]],
) -> dict[str, str]:
    """All but the common columns."""
    libraries = [report["counters"].get("library") for report in outcome.reports if report.get("counters")]
    return {
        "date": date,
        "repetition": str(repetition),
        "barrier": setting.barrier,
        "wait": setting.wait,
        "threads": str(setting.threads),
        "status": one_line(outcome.status),
        "exit_status": "" if outcome.exit_status is None else str(outcome.exit_status),
        "elapsed_s": f"{outcome.elapsed_s:.6f}",
        "cpu_s": f"{outcome.cpu_s:.6f}",
        "value": outcome.value,
        "muster": str(outcome.reports[0].get("muster", "")) if outcome.reports else "",
        "counters_library": str(libraries[0] or "") if libraries else "",
        **runtime_of(outcome.reports),
        **software_values(setting, outcome.reports),
        **event_values(setting, events, outcome.reports),
    }
