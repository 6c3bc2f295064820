"""Parallel regions: their clauses, what their threads do, and regions inside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import synchronizing as sync
import tasking
import worksharing as work
from reductions import pick_reduction
from scope import MOST_NESTED, Piece, Scope, block, index_loop, under

Maker = Callable[[Scope], Piece]

# How often each is taken, relative to the others.
PIECES: tuple[tuple[Maker, int], ...] = (
    (sync.barrier, 10),
    (sync.stencil, 3),
    (sync.critical, 4),
    (sync.atomic, 3),
    (sync.master, 4),
    (sync.lock, 2),
    (sync.getters, 5),
    (sync.setters, 2),
    (sync.rounding, 2),
    (work.loop, 8),
    (work.loop_two_dimensions, 1),
    (work.loop_last, 3),
    (work.loop_reduction, 4),
    (work.loop_ordered, 2),
    (work.sections, 3),
    (work.single, 4),
    (work.single_copy, 3),
    (work.orphaned, 4),
)
TASKS: tuple[tuple[Maker, int], ...] = (
    (tasking.single_tasks, 3),
    (tasking.everybody_tasks, 2),
    (tasking.pending_tasks, 3),
    (tasking.nested_tasks, 1),
    (tasking.dependent_tasks, 1),
    (tasking.task_group, 1),
    (tasking.task_loop, 1),
    (tasking.task_reduction, 1),
    (tasking.task_yields, 1),
    (tasking.asks_in_tasks, 1),
)
# The GOMP layer of libomp knows no detached tasks, and ends the program in doacross loops. libgomp
# crashes at times where a detached task is fulfilled.
CLANG_TASKS: tuple[tuple[Maker, int], ...] = ((tasking.detached_task, 1),)
NOT_GOMP_LAYER: tuple[tuple[Maker, int], ...] = ((work.loop_doacross, 1),)
CPP_ONLY: tuple[tuple[Maker, int], ...] = ((sync.exception, 6),)


# What they reduce or assign would have to be shared by the initial team, which locals are not.
IN_REGIONS_ONLY = (work.loop_last, work.loop_reduction, tasking.task_reduction)


def makers(scope: Scope) -> tuple[tuple[Maker, int], ...]:
    chosen, flavour = PIECES, scope.flavour
    if scope.has_tasks:
        chosen += TASKS if flavour.libgomp_abi else TASKS + CLANG_TASKS
    if flavour.on_libgomp or not flavour.libgomp_abi:
        chosen += NOT_GOMP_LAYER
    if flavour.cpp:
        chosen += CPP_ONLY
    return chosen


def pick_piece(scope: Scope) -> Piece:
    if 0 < scope.depth < MOST_NESTED and scope.one_in(9 * scope.depth):
        return nested(scope)
    table = makers(scope)
    if scope.depth == 0:
        table = tuple(row for row in table if row[0] not in IN_REGIONS_ONLY)
    (maker,) = scope.chance.choices([m for m, _ in table], [weight for _, weight in table])
    return maker(scope)


@dataclass
class Clauses:
    text: str
    wanted: str  # of num_threads, 0 without
    condition: str = "1"
    before: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def pick_clauses(outer: Scope) -> Clauses:
    """Of a region that is met in `outer`."""
    chance, scope = outer.chance, outer.deeper()
    wanted, text = "0", ""
    if outer.depth > 0 or outer.one_in(4):
        wanted = str(chance.randint(1, 3 if outer.depth > 0 else 5))
        text += f" num_threads({wanted}{chance.choice(('', ' + zero'))})"
    clauses = Clauses(text, wanted)
    if outer.one_in(12):
        # Not false beside num_threads: libomp 14 and 16 then keep the number for the next region.
        false = ("zero", "0") if wanted == "0" else ()
        clauses.condition = chance.choice(("zero == 0", "zero == 0", "1", *false))
        clauses.text += f" if({clauses.condition})"
    if outer.one_in(16):
        clauses.text += f" proc_bind({chance.choice(('close', 'spread', 'primary', 'master'))})"
    if outer.one_in(6):
        name, tag = outer.name("given"), outer.tag()
        clauses.text += f" firstprivate({name})"
        clauses.before.append(f"long {name} = {tag} + round;")
        clauses.inside += [f"expect({name} == {tag} + round);", f"{name} = {scope.me};"]
        clauses.after.append(f"expect({name} == {tag} + round);")
    if outer.depth == 0 and outer.one_in(10):
        tag = outer.tag()
        clauses.text += " copyin(passed)"
        clauses.before.append(f"passed = {tag} + round;")
        clauses.inside.append(f"expect(passed == {tag} + round);")
    if outer.one_in(8):
        reduction = pick_reduction(outer)
        clauses.text += reduction.clause
        clauses.before += reduction.declare(reduction.name)
        clauses.inside += block(reduction.body(scope.me))
        want = f"want{scope.depth}"
        clauses.after += block([*work.expected_value(reduction, want), *reduction.compare()])
    return clauses


def around(outer: Scope, clauses: Clauses, pieces: list[Piece], construct: list[str]) -> list[str]:
    """The block of a region: what is shared, the construct, the checks behind it."""
    scope = outer.deeper()
    lines = [
        f"const int want{scope.depth} = "
        f"team_size(&{outer.icvs}, {clauses.wanted}, {clauses.condition});",
        *clauses.before,
    ]
    if outer.depth == 0 and outer.initial:
        lines.append(f"const Kept kept_now = next_kept(want{scope.depth});")
    for piece in pieces:
        lines += piece.before
    lines += construct
    if outer.depth == 0 and outer.initial and has_nested(construct):
        # The inner one is then the active one, of another size.
        lines.append("if (want1 == 1) forget_kept();")
    for piece in pieces:
        lines += piece.after
    return block([*lines, *clauses.after])


def has_nested(lines: list[str]) -> bool:
    return any("want2" in line or "recurse(" in line for line in lines)


def head(outer: Scope) -> list[str]:
    """What each thread of a region first does."""
    scope = outer.deeper()
    me, size, icvs = scope.me, scope.size, scope.icvs
    lines = [
        f"Icvs {icvs} = inside(&{outer.icvs}, want{scope.depth});",
        f"const int {me} = omp_get_thread_num(), {size} = omp_get_num_threads();",
        f"expect({size} == want{scope.depth});",
        f"expect({me} >= 0 && {me} < {size});",
    ]
    if outer.one_in(2):
        lines.append(f"check_icvs(&{icvs}, {me}, {size});")
    if outer.depth == 0 and outer.initial:
        lines.append(f"visit_kept(&kept_now, {me});")
    return lines


def region(outer: Scope) -> tuple[list[str], float]:
    """A region, and what it costs."""
    outer.program.resized = False
    clauses = pick_clauses(outer)
    special = {"for": parallel_for, "sections": parallel_sections, "master": parallel_master}
    kinds = [*(["block"] * 9), "for", "for", "for", "sections", *(["master"] if outer.has_tasks else [])]
    kind = outer.chance.choice(kinds)
    if kind != "block":
        return special[kind](outer, clauses)
    scope = outer.deeper()
    count = outer.chance.choice((1, 1, 2, 3, 5) if outer.depth == 0 else (1, 1, 2))
    pieces = [pick_piece(scope) for _ in range(count)]
    body = [*head(outer), *clauses.inside]
    for piece in pieces:
        body += piece.inside
    cost = 15 + sum(piece.cost for piece in pieces)
    text = around(outer, clauses, pieces, under("parallel" + clauses.text, body))
    return text, cost * (3 if outer.depth > 0 else 1)


def without_inside(outer: Scope) -> Clauses:
    """For combined constructs: no clause that each thread should look at."""
    while True:
        clauses = pick_clauses(outer)
        if not clauses.inside and "reduction" not in clauses.text:
            return clauses


def combined(
    outer: Scope, clauses: Clauses, construct: list[str], before: list[str], after: list[str]
) -> list[str]:
    text = around(outer, clauses, [Piece([], before, after)], construct)
    # No thread comes here: the values that are kept are those of the region before.
    return [line.replace("const Kept kept_now = next_kept(", "pass_kept(") for line in text]


def parallel_for(outer: Scope, _: Clauses) -> tuple[list[str], float]:
    clauses, count = without_inside(outer), work.pick_count(outer)
    hits, reduction = outer.name("hits"), pick_reduction(outer)
    reducing = outer.one_in(2)
    schedule = work.pick_schedule(outer)
    body = [f"++{hits}[i];"]
    if "schedule(static" in schedule:
        body.append(f"note({outer.tag()}, i * 64 + omp_get_thread_num());")
    before, after = [f"long {hits}[{count}] = {{0}};"], work.once_each(hits, count)
    text = f"parallel for{clauses.text}{schedule}"
    if reducing:
        text += reduction.clause
        body += reduction.body("i")
        before += reduction.declare(reduction.name)
        after += block([*work.expected_value(reduction, count), *reduction.compare()])
    construct = [f"#pragma omp {text}", *index_loop(count, body)]
    return combined(outer, clauses, construct, before, after), 20


def parallel_sections(outer: Scope, _: Clauses) -> tuple[list[str], float]:
    clauses, hits = without_inside(outer), outer.name("hits")
    count = outer.chance.randint(1, 4)
    body = []
    for number in range(count):
        body += under("section", [f"{hits}[{number}] += {number} + 1;"])
    construct = under("parallel sections" + clauses.text, body)
    after = index_loop(count, [f"expect({hits}[i] == i + 1);"])
    before = [f"long {hits}[{count}] = {{0}};"]
    return combined(outer, clauses, construct, before, after), 20


def parallel_master(outer: Scope, _: Clauses) -> tuple[list[str], float]:
    """The others go to the region's end at once and run the tasks there."""
    clauses, hits = without_inside(outer), outer.name("hits")
    count = outer.chance.choice((1, 4, 20))
    body = index_loop(count, [f"#pragma omp task{tasking.task_clauses(outer)}", f"++{hits}[i];"])
    construct = under("parallel master" + clauses.text, body)
    if outer.one_in(3):
        # Not as one directive: that gives each task of clang 19 an array of its own.
        tasks = ["#pragma omp taskloop", *index_loop(count, [f"++{hits}[i];"])]
        construct = under("parallel master" + clauses.text, tasks)
    before = [f"long {hits}[{count}] = {{0}};"]
    return combined(outer, clauses, construct, before, work.once_each(hits, count)), 25


def nested(scope: Scope) -> Piece:
    """A region inside a region: opened by all threads, by one, by a task, by iterations."""
    text, cost = region(scope)
    kinds = ["all", "all", "single", "master", "loop", "recursion"]
    if scope.has_tasks and not scope.flavour.old:  # libomp 14 and 16 hang
        kinds.append("task")
    kind = scope.chance.choice(kinds)
    if kind == "recursion":
        return recursion(scope)
    if kind == "all":
        return Piece(text, cost=cost * 3)
    if kind in ("single", "master"):
        return Piece(under(kind, text), cost=cost)
    if kind == "task":
        return Piece(under("master", under("task", text)), cost=cost)
    loop = ["#pragma omp for schedule(dynamic)", *index_loop(3, text, "turn")]
    return Piece(loop, cost=cost * 3)


def recursion(scope: Scope) -> Piece:
    count = scope.name("count")
    wanted, depth = scope.chance.randint(1, 2), scope.chance.randint(1, 3)
    call = [
        f"long {count} = 0;",
        f"recurse(&{scope.icvs}, {wanted}, {depth}, &{count});",
        f"expect({count} == recursions(&{scope.icvs}, {wanted}, {depth}));",
    ]
    if scope.depth == 0:
        call.append("forget_kept();")
    return Piece(block(call), cost=100.0 * depth)


def in_serial_part(scope: Scope) -> Piece:
    """A piece without a region around it: it binds to the initial team of one."""
    piece = pick_piece(scope)
    # A task may be deferred even here.
    lines = [*piece.before, *piece.inside, "#pragma omp taskwait", *piece.after]
    if scope.program.resized:
        # A smaller size changes in libomp what the initial thread takes for its team's size, until the
        # next region: loops are shared with threads that there are not, barriers wait for them.
        empty = [*under("parallel", []), *(["forget_kept();"] if scope.initial else [])]
        return Piece([*empty, *block(lines)], cost=piece.cost + 15)
    return Piece(block(lines), cost=piece.cost)
