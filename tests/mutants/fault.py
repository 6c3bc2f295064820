"""A piece of source text, and what stands for it on purpose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    right: str  # once in the file
    wrong: str
    tests: tuple[str, ...] = ()  # regular expressions: of each, a test must fail; empty: any test of the folder's parts
