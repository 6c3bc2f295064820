"""What `muster options` lists is what the flags, the page, the report and the library itself have.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import json
import re
import unittest

from test_launcher import LauncherTest, muster

from lab.reports import load


class Options(LauncherTest):
    def variables(self) -> dict[str, str]:
        """Each option that `muster options` lists, with its default."""
        blocks = [block.splitlines() for block in re.split(r"\n(?=MUSTER)", muster("options").stdout)]
        self.assertGreater(len(blocks), 10)
        defaults = {}
        for block in blocks:
            lines = [line.split(None, 1) for line in block[1:]]
            defaults[block[0]] = dict(line for line in lines if len(line) == 2)["default"]
        return defaults

    def test_every_option_has_its_section_and_its_flag(self) -> None:
        page, flags = muster("options", "--markdown").stdout, muster("run", "--help").stdout
        for variable, default in self.variables().items():
            section = re.search(rf"^## `{variable}`\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
            assert section is not None, variable
            self.assertIn(f"- Default: {default}\n", section[1].replace("`", ""))
            if variable != "MUSTER":
                flag = "--" + variable.removeprefix("MUSTER_").lower().replace("_", "-")
                self.assertIn(f"- Flag: `muster run {flag}", section[1])
                self.assertIn(flag, flags)

    def test_json_has_the_same(self) -> None:
        listed = {row["variable"]: row["default"] for row in json.loads(muster("options", "--json").stdout)}
        expected = {name: None if default == "not set" else default for name, default in self.variables().items()}
        self.assertEqual(listed, expected)

    def test_the_defaults_are_what_is_in_force(self) -> None:
        report = self.scratch / "defaults.json"
        muster("run", "--report", report, "--", self.libomp_program())
        settings = load(report)["settings"]
        variables = self.variables()
        self.assertEqual(list(settings), list(variables))
        for variable, default in variables.items():
            if variable != "MUSTER_REPORT":
                self.assertEqual(settings[variable], None if default == "not set" else default, variable)

    def test_an_unknown_variable_is_named_once(self) -> None:
        done = muster("run", "--", self.libomp_program(), MUSTER_BARIER="tree")
        self.assertEqual((done.returncode, done.stdout), (0, "arrived 1\n"))
        self.assertEqual(
            done.stderr, "muster: MUSTER_BARIER: not an option of Muster; the nearest name is MUSTER_BARRIER\n"
        )


if __name__ == "__main__":
    unittest.main()
