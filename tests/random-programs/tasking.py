"""Tasks: pieces that all threads of a team meet, and the same in the serial part."""

from __future__ import annotations

from scope import Piece, Scope, block, index_loop, under
from worksharing import once_each

CLAUSES = ("", "", "", " untied", " mergeable", " if(zero)", " if(0)", " final(1)", " priority(3)")


def task_clauses(scope: Scope) -> str:
    return scope.chance.choice(CLAUSES)


def task(scope: Scope, shared: str, more: str = "") -> str:
    """The directive. In the serial part, what tasks share must be declared: they are orphaned."""
    return f"#pragma omp task shared({shared}){more}{task_clauses(scope)}"


def single_tasks(scope: Scope) -> Piece:
    """One thread creates them, the team runs them before it leaves the barrier."""
    hits, count = scope.name("hits"), scope.chance.choice((1, 2, 5, 20))
    late = ["if (round == 0) nap(30);"] if scope.naps and scope.one_in(6) else []
    body = [task(scope, hits), *block([*late, f"++{hits}[i];"])]
    inside = under("single", index_loop(count, body))
    inside += once_each(hits, count)
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], cost=5 + count)


def everybody_tasks(scope: Scope) -> Piece:
    """Every thread creates some and waits for its own."""
    hits, count = scope.name("hits"), scope.chance.choice((1, 3, 8))
    inside = index_loop(count, [task(scope, hits), f"add_one(&{hits});"])
    if scope.one_in(2):
        inside.append("#pragma omp taskwait")
    inside += ["#pragma omp barrier", f"expect({hits} == {count} * {scope.size});"]
    return Piece(inside, [f"long {hits} = 0;"], cost=5 + 3 * count)


def pending_tasks(scope: Scope) -> Piece:
    """Not waited for in the region: its end does that."""
    hits, count = scope.name("hits"), scope.chance.choice((1, 3, 10))
    create = index_loop(count, [task(scope, hits), f"++{hits}[i];"])
    inside = under(scope.chance.choice(("single nowait", "master")), create)
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], once_each(hits, count), 5 + count)


def nested_tasks(scope: Scope) -> Piece:
    value = scope.name("value")
    leaf = [task(scope, value), f"add_one(&{value});"]
    body = [*index_loop(3, leaf), "#pragma omp taskwait", f"add_one(&{value});"]
    inside = under("single", index_loop(2, [task(scope, value), *block(body)]))
    inside.append(f"expect({value} == 8);")
    return Piece(inside, [f"long {value} = 0;"], cost=12)


def dependent_tasks(scope: Scope) -> Piece:
    """A chain: each must see what the one before it wrote."""
    value, steps = scope.name("value"), scope.chance.choice((2, 4, 10))
    body = [
        f"#pragma omp task depend(inout : {value}) shared({value})",
        *block([f"expect({value} == i);", f"{value} = i + 1;"]),
    ]
    inside = [*under("single", index_loop(steps, body)), f"expect({value} == {steps});"]
    return Piece(inside, [f"long {value} = 0;"], cost=5 + 2 * steps)


def task_group(scope: Scope) -> Piece:
    hits, count = scope.name("hits"), scope.chance.choice((1, 4))
    create = index_loop(count, [task(scope, hits), f"++{hits}[i];"])
    inside = under("single", [*under("taskgroup", create), *once_each(hits, count)])
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], cost=6 + count)


def task_loop(scope: Scope) -> Piece:
    hits, count = scope.name("hits"), scope.chance.choice((1, 6, 30))
    clause = scope.chance.choice(
        ("", " grainsize(2)", " num_tasks(3)", " nogroup", " untied", " if(zero)")
    )
    inside = [
        "#pragma omp single",
        f"#pragma omp taskloop shared({hits}){clause}",
        *index_loop(count, [f"++{hits}[i];"]),
        *once_each(hits, count),
    ]
    return Piece(inside, [f"long {hits}[{count}] = {{0}};"], cost=12)


def task_reduction(scope: Scope) -> Piece:
    value, count = scope.name("value"), scope.chance.choice((2, 7))
    create = [f"#pragma omp task in_reduction(+ : {value})", f"{value} += i + 1;"]
    group = under(f"taskgroup task_reduction(+ : {value})", index_loop(count, create))
    inside = [*under("single", group), f"expect({value} == {count * (count + 1) // 2});"]
    return Piece(inside, [f"long {value} = 0;"], cost=10 + count)


def task_yields(scope: Scope) -> Piece:
    value = scope.name("value")
    body = index_loop(3, [task(scope, value), f"add_one(&{value});", "#pragma omp taskyield"])
    inside = [*under("single", body), f"expect({value} == 3);"]
    return Piece(inside, [f"long {value} = 0;"], cost=8)


def detached_task(scope: Scope) -> Piece:
    """Its body runs, but it ends when its event is fulfilled, by the creator or another task."""
    body, after, event = scope.name("body"), scope.name("after"), scope.name("event")
    fulfil = [f"{after} = round + 2;", f"omp_fulfill_event({event});"]
    if scope.one_in(2):
        fulfil = under(f"task shared({after})", fulfil)
    create = [
        f"omp_event_handle_t {event};",
        f"#pragma omp task detach({event}) shared({body})",
        f"{body} = round + 1;",
        *fulfil,
    ]
    check = f"expect({body} == round + 1 && {after} == round + 2);"
    # Not in a team of one, where libomp's own assertions fail.
    inside = block([*under("single", create), check], f"if ({scope.size} > 1)")
    return Piece(inside, [f"long {body} = 0, {after} = 0;"], cost=12)


def asks_in_tasks(scope: Scope) -> Piece:
    """What a task can ask does not depend on the thread that runs it."""
    tags = [scope.tag() for _ in range(3)]
    body = [
        f"note({tags[0]}, omp_get_num_threads());",
        f"note({tags[1]}, omp_get_level() * 8 + omp_get_active_level());",
        f"note({tags[2]}, omp_get_max_threads());",
    ]
    return Piece(under("master", index_loop(2, under("task", body))), cost=6)
