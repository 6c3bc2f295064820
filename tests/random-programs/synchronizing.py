"""Barriers, critical sections, atomics, locks, masters: pieces that all threads of a team meet."""

from __future__ import annotations

from scope import Piece, Scope, block, index_loop, indented, under

MUTANT = "// MUTANT: remove"  # the check behind such a barrier fails without it


def barrier(scope: Scope) -> Piece:
    """What was written before a barrier is seen behind it."""
    cells, tag = scope.name("cells"), scope.tag()
    late, mutant = scope.late(), ""
    if scope.depth == 1 and scope.naps and scope.one_in(8):
        # Thread 0 is late for certain, so that without this barrier another one sees it.
        late, mutant = [f"if ({scope.me} == 0) nap(300);"], f"  {MUTANT}"
    inside = [
        *late,
        f"{cells}[{scope.me}] = mark({tag}, round, {scope.me});",
        f"#pragma omp barrier{mutant}",
        *index_loop(scope.size, [f"expect({cells}[i] == mark({tag}, round, i));"]),
    ]
    return Piece(inside, [f"long {cells}[kMost] = {{0}};"], cost=4)


def stencil(scope: Scope) -> Piece:
    """Many barriers: each thread reads its neighbour's value of the step before."""
    cells, steps = scope.name("cells"), scope.chance.choice((2, 3, 10, 30))
    me, size = scope.me, scope.size
    body = [
        f"long got = {cells}[step % 2][({me} + 1) % {size}];",
        f"{cells}[(step + 1) % 2][{me}] = got + 1;",
        "#pragma omp barrier",
    ]
    inside = [
        *index_loop(steps, body, "step"),
        f"expect({cells}[{steps} % 2][{me}] == {steps});",
    ]
    return Piece(inside, [f"long {cells}[2][kMost] = {{{{0}}}};"], cost=2.0 * steps)


def critical(scope: Scope) -> Piece:
    value, times = scope.name("value"), scope.chance.choice((1, 3, 10))
    name = scope.chance.choice(("", "(first)", "(second)"))
    inside = index_loop(times, under(f"critical{name}", [f"{value} += 2;"]))
    check = [f"expect({value} == 2L * {times} * {scope.size});"]
    if scope.one_in(2):
        inside += ["#pragma omp barrier", *check]
    return Piece(inside, [f"long {value} = 0;"], cost=3)


def atomic(scope: Scope) -> Piece:
    value, seen, tag = scope.name("value"), scope.name("seen"), scope.tag()
    update = [
        f"long {seen};",
        "#pragma omp atomic capture",
        f"{seen} = {value}++;",
        f"expect({seen} >= 0 && {seen} < {scope.size});",
        f"note({tag}, {seen});",  # each number once, by whomever
    ]
    if scope.one_in(3):
        update = ["#pragma omp atomic", f"{value} += 1;"]
    inside = [*update, "#pragma omp barrier", f"expect({value} == {scope.size});"]
    return Piece(inside, [f"long {value} = 0;"])


def master(scope: Scope) -> Piece:
    value, tag = scope.name("value"), scope.tag()
    construct = scope.chance.choice(("master", "masked", "masked filter(zero)"))
    barrier_behind = ["#pragma omp barrier", f"expect({value} == mark({tag}, round, 0));"]
    inside = [
        *under(construct, [f"expect({scope.me} == 0);", f"{value} = mark({tag}, round, 0);"]),
        *(barrier_behind if scope.one_in(2) else []),
    ]
    return Piece(inside, [f"long {value} = 0;"], [f"expect({value} == mark({tag}, round, 0));"])


def lock(scope: Scope) -> Piece:
    """A lock that lives as long as the region, used by all of its threads."""
    name, value = scope.name("lock"), scope.name("value")
    nest = scope.chance.choice(("", "nest_"))
    enter, leave = f"omp_set_{nest}lock(&{name});", f"omp_unset_{nest}lock(&{name});"
    twice = bool(nest) and scope.one_in(2)
    inside = [enter, *([enter] if twice else []), f"++{value};", *([leave] if twice else []), leave]
    inside += ["#pragma omp barrier", f"expect({value} == {scope.size});"]
    before = [f"omp_{nest}lock_t {name};", f"omp_init_{nest}lock(&{name});", f"long {value} = 0;"]
    return Piece(inside, before, [f"omp_destroy_{nest}lock(&{name});"], 3)


GETTERS_INSIDE = (
    "omp_get_num_threads()",
    "omp_get_thread_num()",
    "omp_in_parallel()",
    "omp_get_level()",
    "omp_get_active_level()",
    "omp_get_max_threads()",
    "omp_get_ancestor_thread_num(omp_get_level())",
    "omp_get_ancestor_thread_num(1)",
    "omp_get_team_size(omp_get_level())",
    "omp_get_team_size(1)",
    "omp_get_dynamic()",
    "omp_get_max_active_levels()",
    "omp_get_thread_limit()",
    "omp_get_cancellation()",
    "omp_get_proc_bind()",
    "omp_get_num_procs()",
    "omp_in_final()",
    "omp_get_team_num()",
    "omp_get_num_teams()",
    "omp_is_initial_device()",
    "omp_get_max_task_priority()",
)


def getters(scope: Scope) -> Piece:
    known = GETTERS_INSIDE
    if scope.depth > 1:  # the thread that opened the inner region
        known = tuple(getter for getter in known if getter != "omp_get_ancestor_thread_num(1)")
    chosen = scope.chance.sample(known, scope.chance.randint(1, 6))
    inside = [f"note({scope.tag()}, {getter});" for getter in chosen]
    return Piece(inside, cost=1)


def setters(scope: Scope) -> Piece:
    """Of this thread's implicit task only: they end with the region.

    All threads set the same, or set it back: what a `single` does must not depend on which thread runs it.
    """
    kind = scope.chance.choice(("threads", "schedule", "levels", "dynamic"))
    own = scope.icvs
    if kind == "threads":
        count = scope.chance.randint(1, 4)
        inside = [f"omp_set_num_threads({count});", f"{own}.threads = {count};"]
    elif kind == "schedule":
        inside = set_schedule(scope)
    elif kind == "levels":
        inside = set_levels(scope)
    else:
        inside = ["omp_set_dynamic(0);"]
    check = f"check_icvs(&{own}, {scope.me}, {scope.size});"
    if kind == "threads" and scope.one_in(3):
        back = ["omp_set_num_threads(asked);", f"{own}.threads = asked;"]
        inside = block(
            [f"const int asked = {own}.threads;", *inside, check, *back],
            f"if ({scope.me} == {scope.chance.randrange(3)})",
        )
    return Piece([*inside, check])


def set_schedule(scope: Scope) -> list[str]:
    kind = scope.chance.choice(("static", "dynamic", "guided"))
    chunk, own = scope.chance.randint(1, 6), scope.icvs
    return [
        f"omp_set_schedule(omp_sched_{kind}, {chunk});",
        f"{own}.kind = omp_sched_{kind};",
        f"{own}.chunk = {chunk};",
    ]


def set_levels(scope: Scope) -> list[str]:
    levels = scope.chance.randint(1, 3)
    return [f"omp_set_max_active_levels({levels});", f"{scope.icvs}.most_active = {levels};"]


def rounding(scope: Scope) -> Piece:
    """The rounding mode that the threads find, and sometimes another one from here on."""
    inside = [f"note({scope.tag()}, fegetround());", f"note({scope.tag()}, third());"]
    if scope.one_in(3):
        mode = scope.chance.choice(("FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"))
        inside.append(f"fesetround({mode});")
    return Piece(inside, cost=1)


def exception(scope: Scope) -> Piece:
    """C++: thrown and caught within the region."""
    caught, kind = scope.name("caught"), scope.chance.choice(("all", "loop", "single"))
    throw = ["try {", *indented(["throw std::runtime_error(std::to_string(round));"])]
    catch = [
        "} catch (const std::exception& error) {",
        *indented(
            [f"__atomic_fetch_add(&{caught}, 1 + std::stoi(error.what()), __ATOMIC_RELAXED);"]
        ),
        "}",
    ]
    body = [*throw, *catch]
    if kind == "loop":
        return Piece(
            ["#pragma omp for", *index_loop(6, body), f"expect({caught} == 6 * (round + 1));"],
            [f"long {caught} = 0;"],
            cost=15,
        )
    if kind == "single":
        return Piece(
            [*under("single", body), f"expect({caught} == round + 1);"],
            [f"long {caught} = 0;"],
            cost=8,
        )
    return Piece(
        [*body, "#pragma omp barrier", f"expect({caught} == {scope.size} * (round + 1));"],
        [f"long {caught} = 0;"],
        cost=8,
    )
