"""The settings that are compared: stock runtimes, and a library that is preloaded, by its waiting policies."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lab.environment import preload
from lab.options import NoOptionsError, values_of

AUTO = "auto"
STOCK = "stock"
FIXED = "fixed"
PART_OF_AUTO = "part"  # auto with a part of it switched off: measured on request, compared with nothing
NO_TRIALS = "auto-place-off"  # the waiting of auto, without ever trying another placement
DEFAULT_STOCK = ("libomp", "libgomp")  # the first that was measured
DEFAULT_LIBOMP = "libomp19"
LIBGOMP = "libgomp"  # in place of a libomp: Muster is preloaded into the programs that are linked with it
FIXED_TIME = "50us"  # Peter et al.; stands for <n>us
QUICK_SETTINGS = ("libomp", "libomp-passive", "libgomp", "libgomp-passive", "auto", "spin", "block", "yield", "2cs+")


@dataclass(frozen=True)
class Setting:
    name: str
    kind: str  # STOCK, FIXED, AUTO or PART_OF_AUTO
    suffix: str = ""  # of the program: "-gomp" is the one linked with libgomp
    environment: dict[str, str] = field(default_factory=dict, hash=False)
    runtime: str = ""  # what the runtime's path must contain, so that no other one is measured instead

    @property
    def preloaded(self) -> bool:
        return self.kind != STOCK


class Unavailable(Exception):
    """One line: what cannot be measured here, and why."""


def policies(launcher: Path) -> list[str]:
    """The values of MUSTER_WAIT that this build knows, `auto` first."""
    try:
        names = values_of(launcher).get("MUSTER_WAIT")
    except NoOptionsError as error:
        raise Unavailable(str(error)) from None
    if names is None:
        raise Unavailable(f"`{launcher} options` does not name MUSTER_WAIT")
    return [AUTO, *(FIXED_TIME if name == "<n>us" else name for name in names if name != AUTO)]


def where(runtimes: Path, name: str) -> dict[str, str]:
    """The environment that makes programs use that runtime; empty for the system's."""
    if name == LIBGOMP:
        return {}
    if (runtimes / name).is_dir():
        return {"LD_LIBRARY_PATH": str(runtimes / name)}
    if name not in (DEFAULT_LIBOMP, "libiomp5"):
        raise Unavailable(f"there is no {runtimes / name}")
    return {}


def stock(runtimes: Path, libomp_name: str) -> tuple[list[Setting], list[str]]:
    """The stock settings, and a line for each that does not exist here. A runtime in the folder has precedence over the
    system's.

    Compared with Muster on libgomp are libgomp's settings only: a program that is linked with it has no others.
    """
    passive = {"OMP_WAIT_POLICY": "passive"}
    of_libgomp = [
        Setting("libgomp", STOCK, "-gomp", {}, "libgomp"),
        Setting("libgomp-passive", STOCK, "-gomp", passive, "libgomp"),
    ]
    if libomp_name == LIBGOMP:
        return of_libgomp, []
    libomp = where(runtimes, libomp_name)
    found = [
        Setting("libomp", STOCK, "", libomp, "libomp"),
        Setting("libomp-passive", STOCK, "", libomp | passive, "libomp"),
        *of_libgomp,
    ]
    if libiomp5 := where(runtimes, "libiomp5"):
        return [*found, Setting("libiomp5", STOCK, "", libiomp5, "libiomp5")], []
    return found, [f"libiomp5 is left out: there is no {runtimes / 'libiomp5'} (tests/runtimes/fetch.py fetches it)"]


def preloaded(
    runtimes: Path, libomp_name: str, library: Path, launcher: Path, variants: dict[str, Path] | None = None
) -> list[Setting]:
    """Muster's settings, on the same libomp as the stock ones, or on libgomp. `variants`: other builds of the library,
    each measured as auto-NAME.
    """
    if not library.is_file():
        raise Unavailable(f"{library} is missing")
    base = preload(library) | where(runtimes, libomp_name)
    suffix, runtime = ("-gomp", "libgomp") if libomp_name == LIBGOMP else ("", "libomp")
    found = [
        Setting(name, AUTO if name == AUTO else FIXED, suffix, base | {"MUSTER_WAIT": name}, runtime)
        for name in policies(launcher)
    ]
    for name, other in (variants or {}).items():
        if not other.is_file():
            raise Unavailable(f"{other} is missing")
        environment = base | preload(other) | {"MUSTER_WAIT": AUTO}
        found.append(Setting(f"auto-{name}", PART_OF_AUTO, suffix, environment, runtime))
    for name, switch in (("auto-slice-off", "MUSTER_SLICE"), (NO_TRIALS, "MUSTER_PLACE")):
        found.append(Setting(name, PART_OF_AUTO, suffix, base | {"MUSTER_WAIT": AUTO, switch: "off"}, runtime))
    return found
