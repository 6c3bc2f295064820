"""Loops, sections, single: pieces that all threads of a team meet."""

from __future__ import annotations

from reductions import Reduction, pick_reduction
from scope import Piece, Scope, block, index_loop, under

COUNTS = (1, 2, 3, 7, 16, 33, 64, 100)


def pick_count(scope: Scope) -> int:
    return scope.chance.choice(COUNTS)


def pick_schedule(scope: Scope) -> str:
    """A schedule clause, or none."""
    kind = scope.chance.choice(("", "static", "static", "dynamic", "guided", "runtime", "auto"))
    if not kind:
        return ""
    if kind in ("static", "dynamic", "guided") and scope.one_in(2):
        # Not for `static`: clang 19 tells the runtime, and libomp 14 and 16 do not know it there.
        modifier = scope.chance.choice(("", "" if kind == "static" else "monotonic: "))
        chunk = scope.chance.choice(("1", "2", "5", "3 + zero"))
        return f" schedule({modifier}{kind}, {chunk})"
    return f" schedule({kind})"


def is_static(schedule: str) -> bool:
    return "static" in schedule


def once_each(hits: str, count: int, times: str = "1") -> list[str]:
    return index_loop(count, [f"expect({hits}[i] == {times});"])


def loop(scope: Scope) -> Piece:
    """Each iteration once; a static schedule always gives the same to each thread."""
    hits, count, schedule = scope.name("hits"), pick_count(scope), pick_schedule(scope)
    nowait = scope.one_in(3)
    body = [f"++{hits}[i];"]
    if is_static(schedule) and scope.one_in(2):
        body.append(f"note({scope.tag()}, i * 64 + {scope.me});")
    if scope.one_in(6):
        body.insert(0, f"if ({scope.me} == 0 && i % 7 == 0 && round == 0) nap(5);")
    inside = [
        *scope.late(),
        f"#pragma omp for{schedule}{' nowait' if nowait else ''}",
        *index_loop(count, body),
    ]
    if not nowait:
        inside += once_each(hits, count)
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], once_each(hits, count), 4)


def loop_two_dimensions(scope: Scope) -> Piece:
    hits, rows, columns = scope.name("hits"), scope.chance.randint(1, 9), scope.chance.randint(1, 9)
    inside = [
        f"#pragma omp for collapse(2){pick_schedule(scope)}",
        f"for (int row = 0; row < {rows}; ++row)",
        f"  for (int column = 0; column < {columns}; ++column) ++{hits}[row * {columns} + column];",
        *once_each(hits, rows * columns),
    ]
    return Piece(inside, [f"long {hits}[{rows * columns}] = {{0}};"], cost=4)


def loop_last(scope: Scope) -> Piece:
    """firstprivate and lastprivate."""
    first, last, count = scope.name("first"), scope.name("last"), pick_count(scope)
    start = scope.tag()
    # Not dynamic: libiomp5 now and then loses the last value.
    schedule = scope.chance.choice(("", " schedule(static)", " schedule(static, 2)"))
    inside = [
        f"#pragma omp for firstprivate({first}) lastprivate({last}){schedule}",
        *index_loop(count, [f"expect({first} == {start} + round);", f"{last} = i + {first};"]),
        f"expect({last} == {count - 1} + {start} + round);",
    ]
    return Piece(inside, [f"long {first} = {start} + round, {last} = -1;"], cost=4)


def loop_reduction(scope: Scope) -> Piece:
    """A shared variable that a loop reduces into; its value is there after the loop's barrier."""
    count, reduction = pick_count(scope), pick_reduction(scope)
    nowait = scope.one_in(4)
    inside = [
        *scope.late(),
        f"#pragma omp for{pick_schedule(scope)}{reduction.clause}{' nowait' if nowait else ''}",
        *index_loop(count, reduction.body("i")),
    ]
    expected = expected_value(reduction, count)
    if not nowait:
        inside += block([*expected, *reduction.compare()])
    after = block([*expected, *reduction.compare()])
    return Piece(inside, reduction.declare(reduction.name), after, 6)


def expected_value(reduction: Reduction, count: int | str) -> list[str]:
    return [
        *reduction.declare(reduction.expected),
        *index_loop(count, reduction.body("i", reduction.expected)),
    ]


def loop_ordered(scope: Scope) -> Piece:
    following, count = scope.name("following"), pick_count(scope)
    body = [
        "#pragma omp ordered",
        *block([f"expect({following} == i);", f"++{following};"]),
    ]
    inside = [
        f"#pragma omp for ordered{pick_schedule(scope).replace('monotonic: ', '')}",
        *index_loop(count, body),
        f"expect({following} == {count});",
    ]
    return Piece(inside, [f"long {following} = 0;"], cost=4 + count * 0.5)


def loop_doacross(scope: Scope) -> Piece:
    cells, count = scope.name("cells"), scope.chance.choice((2, 5, 9))
    body = [
        "#pragma omp ordered depend(sink : i - 1)",
        f"{cells}[i] = (i > 0 ? {cells}[i - 1] : 0) + i;",
        "#pragma omp ordered depend(source)",
    ]
    schedule = scope.chance.choice(("", " schedule(static, 1)", " schedule(dynamic, 1)"))
    inside = [
        f"// muster-test: race {cells}: Archer does not know the order of doacross loops",
        f"#pragma omp for ordered(1){schedule}",
        *index_loop(count, body),
        f"expect({cells}[{count - 1}] == {count * (count - 1) // 2});",
    ]
    return Piece(inside, [f"long {cells}[{count}] = {{0}};"], cost=10 + count * 3)


def sections(scope: Scope) -> Piece:
    hits, count = scope.name("hits"), scope.chance.randint(1, 5)
    nowait = scope.one_in(3)
    body = []
    for number in range(count):
        late = ["if (round == 0) nap(40);"] if scope.naps and scope.one_in(8) else []
        body += under("section", [*late, f"{hits}[{number}] += {number} + 1;"])
    checks = index_loop(count, [f"expect({hits}[i] == i + 1);"])
    inside = under(f"sections{' nowait' if nowait else ''}", body)
    if not nowait:
        inside += checks
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], checks, 4)


def single(scope: Scope) -> Piece:
    """Once, by whomever; the others wait for it, or do not."""
    value, tag, nowait = scope.name("value"), scope.tag(), scope.one_in(3)
    late = ["if (round == 0) nap(60);"] if scope.naps and scope.one_in(4) else []
    inside = under(
        f"single{' nowait' if nowait else ''}", [*late, f"{value} += mark({tag}, round, 0);"]
    )
    if nowait:
        inside.append("#pragma omp barrier")
    inside.append(f"expect({value} == mark({tag}, round, 0));")
    return Piece(inside, [f"long {value} = 0;"])


def single_copy(scope: Scope) -> Piece:
    mine, tag = scope.name("mine"), scope.tag()
    inside = [
        f"long {mine} = {scope.me};",
        f"#pragma omp single copyprivate({mine})",
        f"{mine} = mark({tag}, round, 1);",
        f"expect({mine} == mark({tag}, round, 1));",
    ]
    return Piece(inside, cost=4)


ORPHANS = ("static", "dynamic", "ordered", "sections", "single", "tasks", "barriers")


def orphaned(scope: Scope) -> Piece:
    """A function with a construct that binds to whatever team calls it."""
    kinds = [kind for kind in ORPHANS if kind != "tasks" or scope.has_tasks]
    kind, hits = scope.chance.choice(kinds), scope.name("hits")
    count = scope.chance.choice((1, 3, 10, 33))
    declare = [f"long {hits}[{count}] = {{0}};"]
    check = once_each(hits, count)
    if kind == "single":
        tag = scope.tag()
        return Piece([f"expect(orphan_single({tag} + round) == {tag} + round + 1);"])
    if kind == "barriers":
        return Piece([f"orphan_barriers({count});"], cost=2.0 * count)
    if kind == "ordered":
        call = [f"orphan_ordered({hits}, {count});", f"expect(*{hits} == {count});"]
        return Piece(call, [f"long {hits}[1] = {{0}};"], cost=6 + count * 0.5)
    if kind == "sections":
        check = once_each(hits, 3)
        return Piece([f"orphan_sections({hits});", *check], [f"long {hits}[3] = {{0}};"], check)
    more = f", {scope.chance.randint(1, 4)}" if kind == "dynamic" else ""
    return Piece([f"orphan_{kind}({hits}, {count}{more});", *check], declare, check, 5)
