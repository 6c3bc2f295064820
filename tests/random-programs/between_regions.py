"""What few programs do between regions, and what a fold must survive: processes, threads, jumps,
other kinds of regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scope import Piece, Scope, block, index_loop

Statements = Callable[[Scope, float], list[str]]  # text of about that cost


def opening(icvs: str) -> list[str]:
    """What every function of serial parts begins with."""
    return [
        f"Icvs icvs0 = {icvs};",
        "const int me0 = 0, n0 = 1;",
        "(void)me0, (void)n0, (void)round;",
    ]


def without_statements(_: Scope, __: float) -> list[str]:
    return []


def forks(scope: Scope, statements: Statements) -> Piece:
    """The child runs regions of its own and ends, through the runtime's handlers or not."""
    ends = scope.chance.choice(("exit(3)", "_exit(4)"))
    if scope.flavour.on_libgomp:  # which has no regions in the child of a process that had some
        statements = without_statements
    child = [
        "forget_kept();",
        "icvs0 = first_icvs();  // libomp begins anew",
        *(statements(scope, 300) if scope.one_in(3) else []),
        *statements(scope, 300),
        'printf("child %016llx\\n", checksum);',
        "fflush(stdout);",
        f"{ends};",
    ]
    lines = [
        "fflush(stdout);",
        "const pid_t child = fork();",
        "expect(child >= 0);",
        *block(child, "if (child == 0)"),
        "int status;",
        "expect(waitpid(child, &status, 0) == child);",
        f"note({scope.tag()}, status);",
    ]
    return Piece(block(lines))


def second_thread(scope: Scope, statements: Statements) -> Piece:
    """A thread that is no worker of any team runs regions while the initial thread does."""
    function = scope.program.function("thread")
    own = replace(scope, initial=False)
    body = [
        "const int round = 0;",
        *opening("first_icvs()"),
        *statements(own, 200),
        "return unused;",
    ]
    text = block(body, f"static void* {function}(void* unused)")
    scope.program.functions += [*text, ""]
    beside = statements(scope, 200) if scope.one_in(2) else []
    lines = [
        "pthread_t other;",
        f"expect(pthread_create(&other, NULL, {function}, NULL) == 0);",
        *beside,
        "expect(pthread_join(other, NULL) == 0);",
    ]
    return Piece(block(lines))


def jumps(scope: Scope, statements: Statements) -> Piece:
    """The serial part goes back some times by longjmp; the regions are in a function that it
    calls, since a function that calls setjmp must not rely on its variables."""
    function, times = scope.program.function("jumped"), scope.chance.randint(2, 4)
    body = [*opening("*model"), *statements(scope, 200), "*model = icvs0;"]
    text = block(body, f"static __attribute__((noinline)) void {function}(Icvs* model, int round)")
    outer = [
        "static jmp_buf place;",
        "volatile int turn = 0;",
        "setjmp(place);",
        f"{function}(model, turn);",
        "turn = turn + 1;",
        f"if (turn < {times}) jump_back(&place);",
    ]
    jumper = block(outer, f"static __attribute__((noinline)) void jump_{function}(Icvs* model)")
    scope.program.functions += [*text, "", *jumper, ""]
    return Piece([f"jump_{function}(&icvs0);"])


def teams(scope: Scope, _: Statements) -> Piece:
    """A league on the host."""
    hits, tag = scope.name("hits"), scope.tag()
    # libomp keeps the limit for the regions after it where gcc compiled the construct.
    limit = "" if scope.flavour.libgomp_abi else " thread_limit(2)"
    construct = scope.chance.choice(("distribute parallel for", "distribute"))
    declared = f"// muster-test: race {hits}: Archer does not see a league begin or end"
    if scope.one_in(3):
        inner = [
            f"note({tag}, omp_get_num_teams() * 64 + omp_get_team_num());",
            "#pragma omp parallel num_threads(2)",
            *block([f"add_one({hits});", f"note({tag}, omp_get_level());"]),
        ]
        lines = [
            declared,
            f"long {hits}[1] = {{0}};",
            f"#pragma omp teams num_teams(2){limit}",
            *block(inner),
            f"note({tag}, {hits}[0]);",
        ]
    else:
        lines = [
            declared,
            f"long {hits}[50] = {{0}};",
            f"#pragma omp teams {construct} num_teams(2){limit}",
            *index_loop(50, [f"++{hits}[i];"]),
            *index_loop(50, [f"expect({hits}[i] == 1);"]),
        ]
    return Piece(block([*lines, "forget_kept();"]))


def target(scope: Scope, _: Statements) -> Piece:
    """Without a device, on the host."""
    hits = scope.name("hits")
    # Without nowait, whose tasks now and then fail assertions of libomp.
    constructs = ["target", "target", "target parallel for"]
    if not scope.flavour.old:
        constructs.append("target teams distribute parallel for")
    lines = [
        f"#pragma omp {scope.chance.choice(constructs)} map(tofrom : {hits})",
        *index_loop(20, [f"++{hits}[i];"]),
    ]
    check = index_loop(20, [f"expect({hits}[i] == 1);"])
    return Piece(block([f"long {hits}[20] = {{0}};", *lines, *check, "forget_kept();"]))


def pauses(scope: Scope, _: Statements) -> Piece:
    call = scope.chance.choice(
        (
            "omp_pause_resource_all(omp_pause_soft)",
            "omp_pause_resource(omp_pause_soft, omp_get_initial_device())",
        )
    )
    return Piece([f"note({scope.tag()}, {call});", "forget_kept();"])


Maker = Callable[[Scope, Statements], Piece]
UPHEAVALS: tuple[Maker, ...] = (forks, second_thread, jumps)
OF_CLANG: tuple[Maker, ...] = (target,)  # the GOMP layer of libomp has no GOMP_target_ext

# Libomp 14 and 16 keep the limits of a league for the regions after it, and hang after a pause.
NOT_OLD: tuple[Maker, ...] = (teams, pauses)


def between_regions(scope: Scope, statements: Statements) -> list[str]:
    has_targets = scope.flavour.on_libgomp or not scope.flavour.libgomp_abi
    table = UPHEAVALS + OF_CLANG if has_targets else UPHEAVALS
    if not scope.flavour.old:
        table += NOT_OLD
    return scope.chance.choice(table)(scope, statements).inside
