"""Muster reads files while the program runs: the program's descriptors must be as without it."""

from __future__ import annotations

from harness import FaultTest, base_environment, on_libgomp, preloaded_environment, program, run, shared_object


class Descriptors(FaultTest):
    def test_the_lowest_free_one_is_the_programs(self) -> None:
        for of_gcc in (False, True):
            with self.subTest(of_gcc=of_gcc):
                self.compare([program("descriptors", of_gcc)], {"OMP_NUM_THREADS": "2", **(on_libgomp() if of_gcc else {})})
                self.assert_replaced(100)

    def test_a_limit_that_cannot_be_raised(self) -> None:
        command = ["sh", "-c", 'ulimit -n 100; exec "$0" 100', str(program("team"))]
        self.compare(command)
        self.assert_replaced(100)

    def test_a_process_without_openmp_has_none(self) -> None:
        command = ["ls", "/proc/self/fd"]
        stock = run(command, base_environment())
        self.assert_same(stock, run(command, preloaded_environment()))

    def test_what_many_threads_make_slow_is_done_before_main(self) -> None:
        command = [str(program("prepared"))]
        self.assertEqual(run(command, base_environment()).stdout.split(), ["unregistered", "short", "short"])
        self.assertEqual(run(command, preloaded_environment()).stdout.split(), ["registered", "long", "long"])
        inactive = preloaded_environment({"MUSTER": "off"})
        self.assertEqual(run(command, inactive).stdout.split(), ["unregistered", "short", "short"])

    def test_nothing_slow_is_done_where_a_constructor_has_started_threads(self) -> None:
        environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        environment["LD_PRELOAD"] += f":{shared_object('early_thread')}"  # constructed before Muster
        begin_and_end = run([str(program("prepared"))], environment).stdout.split()
        self.assertEqual(begin_and_end, ["unregistered", "short", "short"])
        self.assert_replaced(2)  # not because Muster was absent
