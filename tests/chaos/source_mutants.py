"""Copies headers with faults in them, of which one at a time is in force: source_mutants.py --root FOLDER --out FOLDER.

What --mutants of muster_chaos changes are single operations. These are faults of reasoning: a number, a condition, an
order of two statements. Each replaces a piece of text that occurs once; muster_chaos_sources is built on the copies.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    name: str
    file: str
    right: str
    wrong: str  # MUTANT stands for "this fault is in force"


FAULTS = [
    Fault(
        "agreed bits change one instance later",
        "waiting/agreed_bits.h",
        "(episode + kDelay) <<",
        "(episode + (MUTANT ? 1 : kDelay)) <<",
    ),
    Fault(
        "agreed bits change two instances later",
        "waiting/agreed_bits.h",
        "change, (episode + ",
        "change, (episode - (MUTANT ? 1 : 0) + ",
    ),
    Fault(
        "released, though called off at the last moment",
        "waiting/waiter.h",
        "if (released && called_off()) released = false;",
        "if (!MUTANT && released && called_off()) released = false;",
    ),
    Fault(
        "a wait does not look for a call-off",
        "waiting/waiter.h",
        "return holds() || called_off(); };",
        "return holds() || (!MUTANT && called_off()); };",
    ),
    Fault(
        "says only once that it sleeps",
        "waiting/sleep_word.h",
        "      asleep_.store(1, std::memory_order_relaxed);",
        "      if (!MUTANT || !said) asleep_.store(1, std::memory_order_relaxed);\n      said = true;",
    ),
    Fault(
        "sleeps without a limit where there is no heavy fence",
        "waiting/sleep_word.h",
        "/*limited=*/!fenced",
        "/*limited=*/!MUTANT && !fenced",
    ),
    Fault(
        "a contended release is left by the announcement",
        "barriers/while_contended.h",
        "return !waiter.contended() &&",
        "return (MUTANT || !waiter.contended()) &&",
    ),
    Fault(
        "instances that were left out are not counted",
        "barriers/while_contended.h",
        "if (me == kPrimary) contended_.catch_up",
        "if (!MUTANT && me == kPrimary) contended_.catch_up",
    ),
    Fault(
        "a gather uses its usual algorithm although the team is contended",
        "barriers/while_contended.h",
        "return contended(me, episode).gather(",
        "return MUTANT && me != kPrimary ? usual_.gather(me, episode, waiter)\n"
        "                                : contended(me, episode).gather(",
    ),
    Fault(
        "the counter is set where others may be ahead",
        "barriers/fetch_add.h",
        "      counter_.fetch_add((episode - 1 - counted) * team_, std::memory_order_relaxed);",
        "      MUTANT ? counter_.store((episode - 1) * team_, std::memory_order_relaxed)\n"
        "             : (void)counter_.fetch_add((episode - 1 - counted) * team_, std::memory_order_relaxed);",
    ),
    Fault(
        "a leaf's parent is not woken",
        "barriers/tree.h",
        "      waiter.wake(sleep_[parent]);",
        "      if (!MUTANT) waiter.wake(sleep_[parent]);",
    ),
    Fault(
        "a child is woken before it is released",
        "barriers/tree.h",
        "        sensor_[child].store(episode, std::memory_order_release);",
        "        if (MUTANT) waiter.wake(sleep_[child]);\n"
        "        sensor_[child].store(episode, std::memory_order_release);\n        if (MUTANT) continue;",
    ),
    Fault(
        "a thread that left a gather unaware does not learn of its call-off",
        "runtime-hooks/teams/team_instances.h",
        "      gathered = me.episode;",
        "      gathered = MUTANT ? kNoEpisode : me.episode;",
    ),
    Fault(
        "a thread that knows of a call-off is sent back again",
        "runtime-hooks/teams/team_instances.h",
        "told ? kNoEpisode : me.episode - 1;",
        "told && !MUTANT ? kNoEpisode : me.episode - 1;",
    ),
    Fault(
        "the number of a called-off release is kept",
        "runtime-hooks/teams/team_instances.h",
        "    --me.episode;  //",
        "    if (!MUTANT) --me.episode;  //",
    ),
]
# What a fault needs beside its own piece of text.
BESIDE = {
    "waiting/sleep_word.h": (
        "    for (;;) {\n      const std::uint32_t seen",
        "    [[maybe_unused]] bool said = false;\n    for (;;) {\n      const std::uint32_t seen",
    ),
}


def replaced(text: str, right: str, wrong: str, file: str) -> str:
    if text.count(right) != 1:
        raise SystemExit(f"{file}: occurs {text.count(right)} times: {right!r}")
    return text.replace(right, wrong)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    texts = {fault.file: (arguments.root / fault.file).read_text() for fault in FAULTS}
    for number, fault in enumerate(FAULTS, 1):
        wrong = fault.wrong.replace("MUTANT", f"::muster::chaos::is_faulty({number})")
        texts[fault.file] = replaced(texts[fault.file], fault.right, wrong, fault.file)
    for file, (right, wrong) in BESIDE.items():
        texts[file] = replaced(texts[file], right, wrong, file)
    for file, text in texts.items():
        path = arguments.out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("#pragma once", '#pragma once\n#include "tests/chaos/source_mutant.h"', 1))
    names = "".join(f'    "{fault.name}",\n' for fault in FAULTS)
    (arguments.out / "source_mutants.h").write_text(
        f"#pragma once\n\ninline constexpr const char* kSourceMutants[] = {{\n{names}}};\n"
    )


if __name__ == "__main__":
    main()
