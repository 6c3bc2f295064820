"""Runtimes that leave the process, and others that come to their place; and more of them than one thinks."""

from __future__ import annotations

import shutil

import objects
from loading_test import FORK_JOIN, LoadingTest, opened
from objects import Runtime, libgomp, llvm, llvms
from test_together import MARK, OTHER_MARK

PLACE = 0x7E0000000000


def closed(name: str, runtime: Runtime, *threads: int) -> list[str]:
    """Closes it; libgomp's idle threads go first, since they are in its code: stock crashes else.

    Not libomp's: after a pause, stock crashes more often.
    """
    pauses = [f"{prefix}call:{name}:paused:0" for prefix in ["", *(f"{thread}/" for thread in threads)]]
    return [*(pauses if runtime.is_libgomp else []), f"close:{name}"]


def unloadable() -> list[Runtime]:
    return [libgomp(MARK), *llvms("libomp21", "libiomp5")]


class Unloading(LoadingTest):
    def test_the_same_again(self) -> None:
        """A new life each time, with the settings of a beginning."""
        for runtime in [*unloadable(), llvm("libomp19")]:
            for fork_join in FORK_JOIN:
                with self.subTest(runtime=runtime.name, fork_join=fork_join):
                    life = [opened("a", runtime), "call:a:asked:0", "call:a:regions:30", "call:a:constructs:5"]
                    life += ["call:a:set_threads:3", "call:a:regions:30", *closed("a", runtime)]
                    self.host(*life * 4, MUSTER_FORKJOIN=fork_join)
                    self.assert_runtimes(runtime)

    def test_another_at_the_same_place(self) -> None:
        """Whose object lies just where that of the runtime before lay, and whose functions do."""
        for first in unloadable():
            for second in [libgomp(OTHER_MARK), llvm("libomp19"), *unloadable()]:
                if first == second:
                    continue
                for fork_join in FORK_JOIN:
                    with self.subTest(first=first.name, second=second.name, fork_join=fork_join):
                        old, new = objects.plugin(first, place=PLACE), objects.plugin(second, place=PLACE)
                        result = self.host(
                            *(f"open:a:{old}", "call:a:regions:30", "call:a:set_threads:3", "call:a:regions:30"),
                            *(*closed("a", first), f"open:b:{new}", "same:a:b", "call:b:asked:0"),
                            *("call:b:regions:30", "call:b:constructs:5", "1/call:b:regions:30"),
                            *closed("b", second, 1),
                            *(f"open:c:{old}", "same:a:c", "call:c:regions:30"),
                            MUSTER_FORKJOIN=fork_join,
                        )
                        self.assertEqual(result.stdout.count("the same place: 1"), 2, result.stdout)
                        self.assert_runtimes(first, second)

    def test_beside_another_threads_fold(self) -> None:
        """It cannot be closed for that thread."""
        for runtime in (libgomp(MARK), *llvms("libomp21")):  # stock libiomp5 crashes now and then
            for fork_join in FORK_JOIN:
                with self.subTest(runtime=runtime.name, fork_join=fork_join):
                    self.host(
                        *(opened("a", runtime), "1/call:a:regions:30", "call:a:regions:30"),
                        *("nap:100", "close:a", opened("b", llvm("libomp19")), "1/call:b:regions:30", "nap:200"),
                        *(opened("a", runtime), "1/call:a:regions:30", "call:a:regions:30"),
                        *("nap:100", "close:a", "1/call:b:regions:10", "call:b:regions:10", "nap:200"),
                        MUSTER_FORKJOIN=fork_join,
                    )

    def test_unseen(self) -> None:
        """By a dlclose that Muster does not see, being bound to the C library's own: from an object of its own scope."""
        closer = objects.folder() / "closer.so"
        source = objects.PROGRAMS / "closer.c"
        objects.do(objects.GCC, "-O2", "-shared", "-fPIC", source, "-o", closer)
        for runtime in unloadable():
            for fork_join in FORK_JOIN:
                with self.subTest(runtime=runtime.name, fork_join=fork_join):
                    self.host(
                        f"open:closer:{closer}:deepbind",
                        *(opened("a", runtime), "call:a:regions:30"),
                        *(*closed("a", runtime)[:-1], "closeby:closer:a"),
                        *(opened("b", llvm("libomp19")), "call:b:regions:30", "call:b:constructs:5"),
                        *("1/call:b:regions:30", "call:b:regions:10"),
                        MUSTER_FORKJOIN=fork_join,
                    )

    def test_unseen_beside_another_threads_fold(self) -> None:
        """What is open cannot be closed any more: that thread folds anew, on another runtime."""
        closer = objects.folder() / "closer.so"
        source = objects.PROGRAMS / "closer.c"
        objects.do(objects.GCC, "-O2", "-shared", "-fPIC", source, "-o", closer)
        for fork_join in FORK_JOIN:
            with self.subTest(fork_join=fork_join):
                self.host(
                    f"open:closer:{closer}:deepbind",
                    *(opened("a", libgomp(MARK)), "1/call:a:regions:30", "nap:100", "closeby:closer:a"),
                    *(opened("b", llvm("libomp19")), "1/call:b:regions:30", "nap:200", "call:b:regions:10"),
                    MUSTER_FORKJOIN=fork_join,
                )

    def test_needed_by_nobody(self) -> None:
        """Only the loader's note that the object was bound to it keeps the runtime."""
        for runtime in unloadable():
            with self.subTest(runtime=runtime.name):
                file = objects.linked(f"needless-{runtime.name}", [objects.compiled(runtime.compiler)], [])
                queries = objects.linked(f"asking-{runtime.name}", [objects.compiled(runtime.compiler)], [])
                self.host(
                    f"open:r:{runtime.file}:global",
                    *(f"open:a:{file}", "call:a:regions:30", "close:r", "call:a:regions:30"),
                    *("call:a:constructs:5", "1/call:a:regions:10", *closed("a", runtime, 1)),
                    f"open:r:{runtime.file}:global",
                    *(f"open:b:{queries}", "call:b:asked:0", "close:r", "call:b:asked:0", "call:b:regions:30"),
                )
                self.assert_runtimes(runtime)


class Many(LoadingTest):
    def test_forty_in_turn(self) -> None:
        """Each a copy of its own, in a file of its own, as wheels that come and go."""
        for runtime in (libgomp(MARK), *(llvm(each.name, MARK) for each in llvms("libiomp5"))):
            with self.subTest(runtime=runtime.name):
                commands: list[str] = []
                for number in range(40):
                    mark = f"{number:08x}"
                    objects.remarked(runtime.file, MARK, mark)
                    file = objects.remarked(objects.plugin(runtime), MARK, mark)
                    commands += [f"open:a:{file}", "call:a:regions:12", *closed("a", runtime)]
                self.host(*commands)
                if self.preloaded:
                    self.assertEqual(len(self.reported()["runtimes"]), 40)

    def test_twenty_four_at_once(self) -> None:
        """More than there once was room for."""
        runtime = llvm(llvms("libiomp5", "libomp19")[0].name, MARK)
        commands: list[str] = []
        for number in range(24):
            mark = f"{number:08x}"
            objects.remarked(runtime.file, MARK, mark)
            file = objects.remarked(objects.plugin(runtime), MARK, mark)
            commands += [f"open:n{number}:{file}", f"call:n{number}:regions:3"]
        commands += [f"call:n{number}:constructs:2" for number in range(24)]
        self.host(*commands, OMP_NUM_THREADS="2")
        if self.preloaded:
            runtimes = self.reported()["runtimes"]
            self.assertEqual(len(runtimes), 24)
            self.assertTrue(all(entry["replaced"] for entry in runtimes))

    def test_three_hundred_objects_of_one_runtime(self) -> None:
        for runtime in (libgomp(MARK), llvm("libomp19")):
            with self.subTest(runtime=runtime.name):
                original = objects.plugin(runtime)
                folder = objects.folder() / "hundreds"
                folder.mkdir(exist_ok=True)
                files = [folder / f"{runtime.name}-{number}.so" for number in range(300)]
                for file in files:
                    shutil.copyfile(original, file)
                commands = [f"open:n{number}:{file}" for number, file in enumerate(files)]
                commands += [f"call:n{number}:regions:2" for number in range(300)]
                commands += [f"call:n{number}:asked:0" for number in range(0, 300, 7)]
                commands += [f"close:n{number}" for number in range(0, 300, 2)]
                commands += [f"call:n{number}:regions:2" for number in range(1, 300, 2)]
                self.host(*commands, OMP_NUM_THREADS="2")
                self.assert_runtimes(runtime)
