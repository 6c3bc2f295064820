"""The papers' claims, a module a paper; `reproduce.py` runs them."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

PAPERS = ("zhang", "tsafrir", "arpaci", "peter", "mosberger")


def module_of(paper: str) -> ModuleType | None:
    """None where nothing of the paper is rebuilt yet."""
    if importlib.util.find_spec(f"claims.{paper}") is None:
        return None
    return importlib.import_module(f"claims.{paper}")
