"""Bad values of Muster's own variables: one line on stderr each, and the program runs on."""

from __future__ import annotations

from harness import FaultTest, base_environment, preloaded_environment, program, run

# The variable, what is used instead, and bad values beside the ones that are bad for all.
VARIABLES = {
    "MUSTER": ("on", ["ON", "1", "onn", "on ", " off", "off\n"]),
    "MUSTER_BARRIER": ("auto", ["Tree", "tree,auto", "tree ", "fetch-ad", "fetch-add-", "<name>"]),
    "MUSTER_WAIT": (
        "auto",
        [
            "us",
            "50",
            "50 us",
            "50usx",
            "50us ",
            "+50us",
            "-50us",
            "5e1us",
            "0x10us",
            "<n>us",
            "60000001us",
            "18446744073709551617us",
            "99999999999999999999999999us",
            "cs++",
        ],
    ),
    "MUSTER_YIELD": ("auto", ["Skip", "skip ", "off", "Auto", "adaptive|skip", "0"]),
    # The default, from the option table, is used instead.
    "MUSTER_FORKJOIN": ("using", ["On", "on ", "1", "yes", "auto|on", "native"]),
    "MUSTER_LIVE": ("off", ["On", "1", "yes", "off|on"]),
    "MUSTER_VERBOSE": ("0", ["2", "00", "0 ", "1x", "yes"]),
}
BAD_FOR_ALL = ["", " ", "nonsense", "-1", "9" * 30, "x" * 10000, "a\nmuster: b", b"\xff\xfe\x01"]
BAD_REPORTS = ["", "x" * 10000 + ".json", "trailing%", "unknown-%q.json", "%%%"]
LONGEST_LINE = 500


class BadValues(FaultTest):
    def setUp(self) -> None:
        super().setUp()
        self.command = [program("team")]
        self.stock = run(self.command, base_environment())
        self.assertEqual(self.stock.status, 0)

    def check_line(self, line: str, variable: str, value: str | bytes, instead: str) -> None:
        self.assertTrue(line.startswith("muster: "), line)
        self.assertIn(variable, line)
        self.assertLess(len(line), LONGEST_LINE)
        if isinstance(value, str) and "\n" not in value:
            self.assertIn(value[:10], line)
        self.assertIn(instead, line.split(variable, 1)[1])

    def check_bad(self, variable: str, value: str | bytes, instead: str) -> None:
        with self.subTest(variable=variable, value=value[:40]):
            ours = run(self.command, preloaded_environment({variable: value}), self.folder)
            self.assertEqual((ours.status, ours.stdout), (0, self.stock.stdout))
            if self.preloaded:
                self.assertEqual(len(ours.stderr.splitlines()), 1, ours.stderr[:300])
                self.check_line(ours.stderr, variable, value, instead)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_each_bad_value_gives_one_line(self) -> None:
        for variable, (instead, values) in VARIABLES.items():
            for value in [*BAD_FOR_ALL, *values]:
                self.check_bad(variable, value, instead)

    def test_each_bad_report_gives_one_line(self) -> None:
        for value in BAD_REPORTS:
            self.check_bad("MUSTER_REPORT", value, "")
            self.check_bad("MUSTER_TIMELINE", value, "")

    def test_each_bad_variable_has_its_line(self) -> None:
        bad = {variable: "nonsense" for variable in VARIABLES}
        ours = run(self.command, preloaded_environment(bad), self.folder)
        self.assertEqual((ours.status, ours.stdout), (0, self.stock.stdout))
        if not self.preloaded:
            return
        lines = ours.stderr.splitlines()
        self.assertEqual(len(lines), len(bad), ours.stderr)
        for variable in bad:
            self.assertEqual(sum(line.startswith(f"muster: {variable}:") for line in lines), 1)

    def test_the_value_used_instead_is_in_force(self) -> None:
        if not self.preloaded:
            return
        extra = {"MUSTER_BARRIER": "nonsense", "MUSTER_WAIT": "-5us"}
        extra["MUSTER_REPORT"] = str(self.report_path)
        run(self.command, preloaded_environment(extra))
        settings = self.assert_replaced()["settings"]
        self.assertEqual((settings["MUSTER_BARRIER"], settings["MUSTER_WAIT"]), ("auto", "auto"))

    def test_each_unknown_variable_gives_one_line(self) -> None:
        unknown = {"MUSTER_BARIER": "tree", "MUSTER_": "", "MUSTER_" + "x" * 10000: "1", "MUSTER_A\nmuster: b": "1"}
        for variable, value in unknown.items():
            with self.subTest(variable=variable[:40]):
                ours = run(self.command, preloaded_environment({variable: value}), self.folder)
                self.assertEqual((ours.status, ours.stdout), (0, self.stock.stdout))
                if self.preloaded:
                    self.assertEqual(len(ours.stderr.splitlines()), 1, ours.stderr[:300])
                    self.assertRegex(ours.stderr, r"^muster: MUSTER_.*: not an option .* nearest name is MUSTER")
                    self.assertLess(len(ours.stderr), LONGEST_LINE)

    def test_the_good_values_give_no_line(self) -> None:
        good = {
            "MUSTER": ["on", "off"],
            "MUSTER_WAIT": ["0us", "60000000us", "2cs+"],
            "MUSTER_YIELD": ["auto", "native", "adaptive"],
            "MUSTER_FORKJOIN": ["auto", "on", "off"],
            "MUSTER_VERBOSE": ["0"],
        }
        for variable, values in good.items():
            for value in values:
                with self.subTest(variable=variable, value=value):
                    # Two threads: a minute of spinning is for teams that fit.
                    extra = {variable: value, "OMP_NUM_THREADS": "2"}
                    ours = run(self.command, preloaded_environment(extra))
                    self.assertEqual((ours.status, ours.stderr), (0, ""))
