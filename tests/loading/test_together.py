"""Several runtimes in one process: opened late, locally, by threads and constructors, at work at the same time."""

from __future__ import annotations

from itertools import combinations

import objects
from loading_test import ENVIRONMENT, FORK_JOIN, LoadingTest, opened
from objects import Runtime, libgomp, llvm, llvms

MARK = "a34b3233"  # as wheels have it
OTHER_MARK = "d22c30c5"
LLVM_RUNTIMES = ("libomp19", "libomp21", "libiomp5")


def pairs() -> list[tuple[Runtime, Runtime]]:
    gnu, other_gnu = libgomp(MARK), libgomp(OTHER_MARK)
    return [
        (gnu, other_gnu),
        (libgomp(), gnu),
        *combinations([gnu, *llvms("libomp19", "libiomp5")], 2),
        *combinations(llvms("libomp21", "libiomp5"), 2),
    ]


class Together(LoadingTest):
    def test_late_and_lazily(self) -> None:
        """Everything that an object may call, after another runtime has been at work; in both orders."""
        for first, second in [*pairs(), *((second, first) for first, second in pairs())]:
            with self.subTest(first=first.name, second=second.name):
                self.host(
                    opened("a", first),
                    *("call:a:regions:40", "call:a:set_threads:3"),
                    opened("b", second, "lazy"),
                    *("call:b:constructs:10", "call:b:quiet:20", "call:b:regions:40", "call:b:asked:0"),
                    *("call:a:regions:20", "call:a:constructs:10", "call:a:asked:0"),
                    *("1/call:b:regions:20", "2/call:a:regions:20"),
                )
                self.assert_runtimes(first, second)

    def test_at_once(self) -> None:
        """Two threads, each with regions of its own runtime; and regions within regions of the other one.

        Two copies of libomp begin one after the other. Each writes its address into shared memory of one name: at once,
        one reads what the other has opened but not yet sized, and SIGBUS ends the process, in stock, too.
        """
        for first, second in pairs():
            two_copies = not first.is_libgomp and not second.is_libgomp
            begin = ["call:a:asked:0", "call:b:asked:0"] if two_copies else []
            for fork_join in FORK_JOIN:
                with self.subTest(first=first.name, second=second.name, fork_join=fork_join):
                    self.host(
                        *(opened("a", first), opened("b", second), *begin),
                        "both:a:regions:150:b:regions:150",
                        *("call:a:regions:20", "call:b:regions:20"),
                        *("give:a:between:b:regions:10", "give:b:between:a:constructs:5"),
                        *("give:a:within:b:regions:10", "give:b:within:a:regions:10"),
                        *("give:a:by_each:b:regions:3", "give:b:by_each:a:constructs:3"),
                        "both:b:constructs:20:a:constructs:20",
                        *("call:a:regions:20", "call:b:regions:20"),
                        MUSTER_FORKJOIN=fork_join,
                    )
                    self.assert_runtimes(first, second)

    def test_all(self) -> None:
        runtimes = [libgomp(), libgomp(MARK), libgomp(OTHER_MARK), *llvms(*LLVM_RUNTIMES)]
        commands: list[str] = []
        for number, runtime in enumerate(runtimes):
            commands += [opened(f"n{number}", runtime), f"call:n{number}:regions:10"]
        for _ in range(3):
            commands += [f"call:n{number}:constructs:5" for number in range(len(runtimes))]
        self.host(*commands, *(f"{number + 1}/call:n{number}:regions:20" for number in range(len(runtimes))))
        self.assert_runtimes(*runtimes)

    def test_opened_by_a_thread(self) -> None:
        for runtime in (libgomp(MARK), llvms("libiomp5", "libomp19")[0]):
            with self.subTest(runtime=runtime.name):
                open_it = opened("a", runtime)
                self.host(
                    f"1/{open_it}",
                    *("1/call:a:regions:40", "call:a:regions:40", "1/call:a:regions:40"),
                    *("1/end", "call:a:regions:40", "2/call:a:constructs:10", "2/end"),
                )
                self.assert_runtimes(runtime)

    def test_regions_of_constructors(self) -> None:
        """And of destructors: both run with the loader's lock held."""
        for runtime in (libgomp(MARK), *llvms(*LLVM_RUNTIMES)):
            for fork_join in FORK_JOIN:
                with self.subTest(runtime=runtime.name, fork_join=fork_join):
                    file = objects.plugin(runtime, "-DAT_LOAD")
                    result = self.host(
                        f"open:a:{file}",
                        *("call:a:regions:30", "close:a"),
                        *(f"1/open:b:{file}", "1/call:b:constructs:5", "1/close:b"),
                        MUSTER_FORKJOIN=fork_join,
                    )
                    self.assertEqual(result.stdout.count("at load"), 2)
                    self.assertEqual(result.stdout.count("at unload"), 2)
                    self.assert_runtimes(runtime)

    def test_constructors_run_once(self) -> None:
        """To look at an object at the end of the process must not begin its life again."""
        for runtime in (libgomp(MARK), llvm("libomp19")):
            with self.subTest(runtime=runtime.name):
                result = self.host(f"open:a:{objects.plugin(runtime, '-DAT_LOAD')}", "call:a:regions:5")
                self.assertEqual((result.stdout.count("at load"), result.stdout.count("at unload")), (1, 1))

    def test_forks(self) -> None:
        """A child of a process with folds of two runtimes; libgomp's children may use teams of one only, in stock, too."""
        gnu, other = libgomp(MARK), llvm("libomp19")
        for fork_join in FORK_JOIN:
            with self.subTest(fork_join=fork_join):
                self.host(
                    *(opened("a", gnu), opened("b", other), "call:b:regions:30", "1/call:b:regions:30"),
                    *("fork:call:b:regions:20", "call:b:regions:10", "1/fork:call:b:regions:20"),
                    *("call:a:set_threads:1", "call:a:regions:30", "fork:call:a:constructs:5"),
                    *("fork:call:b:constructs:5", "call:a:regions:10", "call:b:regions:10", "1/call:b:regions:10"),
                    processes=5,
                    MUSTER_FORKJOIN=fork_join,
                )

    def test_calls_of_two_runtimes(self) -> None:
        """An object that has omp_* of libgomp and __kmpc_* of libomp, and GOMP_* of libgomp beside them."""
        renamed = [f"-D{name}=gnu_{name}" for name in objects.NAMES]
        clang, gcc = objects.compiled("clang-19"), objects.compiled("gcc", *renamed)
        for runtimes in ([libgomp(MARK), llvm("libomp19")], [llvm("libomp19"), libgomp(MARK)]):
            with self.subTest(first=runtimes[0].name):
                file = objects.linked(f"mixed-{runtimes[0].name}", [clang, gcc], runtimes)
                self.host(
                    f"open:a:{file}",
                    *("call:a:quiet:50", "call:a:gnu_regions:50", "call:a:regions:20", "call:a:gnu_constructs:20"),
                    *("call:a:asked:0", "call:a:gnu_set_threads:3", "call:a:gnu_quiet:20", "call:a:gnu_asked:0"),
                    *("give:a:within:a:gnu_quiet:5", "give:a:gnu_within:a:quiet:5", "call:a:gnu_regions:10"),
                )
                if runtimes[0].is_libgomp:
                    self.assert_runtimes(*runtimes)


class Forks(LoadingTest):
    def test_the_list_of_objects_is_not_locked_in_the_child(self) -> None:
        """By a thread that was reading it."""
        for settings in ({}, {"MUSTER": "off"}):
            with self.subTest(settings=settings):
                ours = self.compare([objects.fork_beside_look_ups(), "1000"], settings)
                self.assertEqual(ours.stdout, "wrong 0\n")


class OutOfReach(LoadingTest):
    """Runtimes that no preloaded library can stand in for."""

    def test_deepbind_and_another_namespace(self) -> None:
        for how in ("deepbind", "space"):
            # Two libomps of two namespaces mistake each other's thread-specific values when a thread ends: stock crashes.
            for runtime in (libgomp(MARK), *(llvms("libomp21", "libiomp5") if how == "deepbind" else [])):
                with self.subTest(runtime=runtime.name, how=how):
                    self.host(
                        opened("a", runtime, how),
                        *("call:a:regions:40", "call:a:constructs:10", "call:a:asked:0", "1/call:a:regions:40"),
                        opened("b", llvm("libomp19")),
                        *("call:b:regions:40", "both:a:regions:20:b:regions:20", "give:b:between:a:regions:20"),
                    )
                    self.assert_runtimes(llvm("libomp19"))

    def test_keys_of_another_namespace(self) -> None:
        """Its runtime writes where this one's thread-specific values are: what works in stock."""
        other = [("libomp19", "libomp21")] if llvms("libomp21") else []
        for first, second in (*other, (MARK, "libomp19"), ("libomp19", MARK)):
            here, there = (libgomp(name) if name == MARK else llvm(name) for name in (first, second))
            with self.subTest(here=here.name, there=there.name):
                self.host(
                    *(opened("a", there, "space"), "call:a:regions:20", opened("b", here), "call:b:regions:20"),
                    *(("1/call:b:regions:20", "1/call:a:regions:20") if there.is_libgomp else ()),
                    *("call:a:regions:20", "call:b:regions:20"),
                )
                self.assert_runtimes(here)

    def test_static(self) -> None:
        """libgomp inside the program itself."""
        result = self.compare(
            [
                objects.static_host(),
                *("open:a:self", "call:a:regions:40", "call:a:constructs:10", "call:a:asked:0"),
                opened("b", llvm("libomp19")),
                *("both:a:regions:20:b:regions:20", "give:b:between:a:regions:20", "give:a:between:b:regions:20"),
            ],
            ENVIRONMENT,
        )
        self.assertIn("a regions: 4040", result.stdout)
        self.assert_runtimes(llvm("libomp19"))


class Odd(LoadingTest):
    """Runtimes that are not as Muster expects them."""

    def test_few_symbols(self) -> None:
        """One that has just what its user calls, and little of what Muster asks; and one with names of its own."""
        for prefix in ("", "private_"):
            runtime, plugin = objects.small(prefix)
            for fork_join in FORK_JOIN:
                with self.subTest(prefix=prefix, fork_join=fork_join):
                    result = self.host(
                        *(f"open:a:{plugin}", "call:a:regions:20", "1/call:a:regions:20"),
                        *(opened("b", llvm("libomp19")), "call:b:regions:20", "give:b:between:a:regions:20"),
                        *(opened("c", libgomp(MARK)), "call:c:regions:20", "give:c:between:a:regions:20"),
                        MUSTER_FORKJOIN=fork_join,
                    )
                    self.assertIn("a regions: 3020", result.stdout)
                    self.assert_runtimes(llvm("libomp19"), *([] if prefix else [runtime]))

    def test_replaced_file(self) -> None:
        """As by an upgrade of a wheel: what is loaded stays, what is loaded anew is the new one."""
        for runtime in (libgomp(MARK), *(llvm(each.name, MARK) for each in llvms("libiomp5"))):
            with self.subTest(runtime=runtime.name):
                mark = "cafe0000"
                file = objects.remarked(runtime.file, MARK, mark)
                plugin = objects.remarked(objects.plugin(runtime), MARK, mark)
                upgraded = file.with_suffix(".new")
                upgraded.write_bytes(file.read_bytes())
                moved = f"{upgraded}:{file}"  # the same plugin twice: its first close leaves it open
                self.host(
                    *(f"open:a:{plugin}", "call:a:regions:20", f"copy:{moved}"),
                    *("call:a:regions:20", f"open:b:{plugin}", "call:b:constructs:5", "1/call:a:regions:20"),
                    *("close:a", "call:b:regions:10"),
                )
                self.assert_runtimes(Runtime("copy", file, runtime.compiler))
