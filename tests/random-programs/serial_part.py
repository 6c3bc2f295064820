"""What the serial part does between regions: it asks, sets, and holds things."""

from __future__ import annotations

from collections.abc import Callable

from regions import in_serial_part, recursion, region
from scope import Piece, Scope, block, index_loop
from synchronizing import GETTERS_INSIDE, set_levels, set_schedule

GETTERS_OUTSIDE = (
    *GETTERS_INSIDE,
    "omp_get_ancestor_thread_num(0)",
    "omp_get_ancestor_thread_num(-1)",
    "omp_get_team_size(0)",
    "omp_get_num_places()",
    "omp_get_partition_num_places()",
    "omp_get_num_devices()",
    "omp_get_initial_device()",
    "omp_get_default_device()",
    "omp_get_supported_active_levels()",
    "omp_get_wtime() > 0",
    "omp_get_wtick() > 0",
)
# Not kmp_get_blocktime, unless it was set: libomp changes it where CPUs are few.
GETTERS_OF_CLANG = ("(long)kmp_get_stacksize_s()",)


def asks(scope: Scope) -> Piece:
    known = GETTERS_OUTSIDE if scope.flavour.libgomp_abi else GETTERS_OUTSIDE + GETTERS_OF_CLANG
    chosen = scope.chance.sample(known, scope.chance.randint(1, 8))
    lines = [f"note({scope.tag()}, {getter});" for getter in chosen]
    if scope.one_in(2):
        lines.append(f"check_serial(&{scope.icvs});")
    return Piece(lines, cost=1)


def sets(scope: Scope) -> Piece:
    kind = scope.chance.choice(("threads", "threads", "schedule", "levels", "dynamic", "device"))
    if kind == "threads":
        count = scope.chance.randint(1, 5)
        lines = [f"omp_set_num_threads({count});", f"{scope.icvs}.threads = {count};"]
        scope.program.resized = True
    elif kind == "schedule":
        lines = set_schedule(scope)
    elif kind == "levels":
        lines = set_levels(scope)
    else:
        lines = {"dynamic": ["omp_set_dynamic(0);"], "device": ["omp_set_default_device(0);"]}[kind]
    return Piece([*lines, f"check_serial(&{scope.icvs});"], cost=1)


def sets_dynamic(scope: Scope) -> Piece:
    """The runtime may choose the size of the region's team: nothing is said of it."""
    hits, tag = scope.name("hits"), scope.tag()
    lines = [
        "omp_set_dynamic(1);",
        f"note({tag}, omp_get_dynamic());",
        f"long {hits}[40] = {{0}};",
        "#pragma omp parallel for",
        *index_loop(40, [f"++{hits}[i];"]),
        "omp_set_dynamic(0);",
        *index_loop(40, [f"expect({hits}[i] == 1);"]),
        *(["forget_kept();"] if scope.initial else []),
    ]
    return Piece(block(lines), cost=40)


def sets_of_clang(scope: Scope) -> Piece:
    kind = scope.chance.choice(("blocktime", "blocktime", "memory"))
    if kind == "blocktime":
        time = scope.chance.choice((0, 1, 200))
        return Piece([f"kmp_set_blocktime({time});", f"note({scope.tag()}, kmp_get_blocktime());"])
    return Piece(block(["void* memory = kmp_malloc(100);", "kmp_free(memory);"]), cost=1)


def lock_held(scope: Scope) -> Piece:
    """A lock that the serial part holds while regions try to get it."""
    name, kind = scope.name("held"), scope.chance.choice(("", "nest_"))
    number = scope.tag()
    test = [
        f"if (omp_get_thread_num() > 0) expect(omp_test_{kind}lock(&{name}) == 0);",
    ]
    inner = [
        f"#pragma omp parallel num_threads({scope.chance.randint(2, 4)})",
        *block(test),
        "forget_kept();" if scope.initial else "",
    ]
    more, _ = region(scope)
    lines = [
        f"omp_{kind}lock_t {name};",
        f"omp_init_{kind}lock(&{name});",
        f"omp_set_{kind}lock(&{name});",
        *inner,
        *(more if scope.one_in(2) else []),
        f"omp_unset_{kind}lock(&{name});",
        f"note({number}, omp_test_{kind}lock(&{name}));",
        f"omp_unset_{kind}lock(&{name});",
        f"omp_destroy_{kind}lock(&{name});",
    ]
    return Piece(block(lines), cost=60)


def rounds(scope: Scope) -> Piece:
    """A rounding mode that the next regions must find; what they leave behind is noted."""
    modes = ("FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO")
    lines = [f"note({scope.tag()}, fegetround());", f"note({scope.tag()}, third());"]
    if scope.one_in(2):
        lines.append(f"fesetround({scope.chance.choice(modes)});")
    tag = scope.tag()
    lines += [
        "#pragma omp parallel",
        *block([f"note({tag}, fegetround());", f"note({tag}, third());"]),
        "forget_kept();" if scope.initial else "",
    ]
    return Piece(lines, cost=20)


def masks(scope: Scope) -> Piece:
    """The signal mask of this thread, in the serial part and in a region's primary thread."""
    how = scope.chance.choice(("SIG_BLOCK", "SIG_UNBLOCK"))
    number = scope.chance.choice(("SIGUSR1", "SIGUSR2"))
    tag = scope.tag()
    change = [f"change_mask({how}, {number});"]
    look = [f"note({tag}, blocked_signals());"]
    inner = [*look, *change] if scope.one_in(2) else look
    lines = [
        *(change if inner == look else []),
        "#pragma omp parallel",
        *block(inner, "if (omp_get_thread_num() == 0)"),
        "forget_kept();" if scope.initial else "",
        *look,
    ]
    return Piece(lines, cost=20)


def allocates(scope: Scope) -> Piece:
    lines = [
        "long* memory = (long*)omp_alloc(80, omp_default_mem_alloc);",
        "#pragma omp parallel for",
        *index_loop(10, ["memory[i] = i;"]),
        "expect(memory[9] == 9);",
        "omp_free(memory, omp_default_mem_alloc);",
        "forget_kept();" if scope.initial else "",
    ]
    return Piece(block(lines), cost=20)


def affinity_format(scope: Scope) -> Piece:
    tag = scope.tag()
    lines = [
        'omp_set_affinity_format("%n of %N at %L");',
        "char text[80];",
        f"note({tag}, (long)omp_get_affinity_format(text, sizeof(text)));",
        "omp_capture_affinity(text, sizeof(text), NULL);",
        f"note({tag}, text[0] * 256 + text[5]);",
    ]
    return Piece(block(lines), cost=2)


Maker = Callable[[Scope], Piece]
STATEMENTS: tuple[tuple[Maker, int], ...] = (
    (asks, 12),
    (sets, 6),
    (in_serial_part, 12),
    (recursion, 1),
    (sets_dynamic, 1),
    (lock_held, 2),
    (rounds, 2),
    (masks, 2),
    (allocates, 1),
)
# With the header of gcc, libomp takes the calls of affinity_format for those of Fortran.
OF_CLANG: tuple[tuple[Maker, int], ...] = ((sets_of_clang, 2), (affinity_format, 1))


def statement(scope: Scope) -> Piece:
    table = STATEMENTS if scope.flavour.libgomp_abi else STATEMENTS + OF_CLANG
    (maker,) = scope.chance.choices([m for m, _ in table], [weight for _, weight in table])
    piece = maker(scope)
    piece.inside = [line for line in piece.inside if line]
    return piece
