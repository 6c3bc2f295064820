"""`muster run --report` of programs into which nothing can be preloaded: one line explains why there is no report.

Environment: MUSTER_BUILD_DIR, the build folder.
"""

import os
import shutil
import unittest

from test_launcher import LauncherTest, muster


class Unreported(LauncherTest):
    def test_no_report_of_a_static_program_is_said(self) -> None:
        program = self.compile("static", "gcc", "-fopenmp", "-static")
        self.assertEqual(muster("run", "--", program).stderr, "", "no report was requested")
        report = self.scratch / "static.json"
        for done in (
            muster("run", "--report", report, "--", program),
            muster("run", "--", program, MUSTER_REPORT=str(report)),
        ):
            self.assertEqual((done.returncode, done.stdout, report.exists()), (0, "arrived 1\n", False))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(f"{program}: it is linked statically, so nothing is preloaded", done.stderr)

    def test_no_report_of_a_setuid_program_is_said(self) -> None:
        if os.getuid() != 0:
            self.skipTest("only root can give a file away")
        program = self.scratch / "setuid-run"
        shutil.copy(self.libomp_program(), program)
        os.chown(program, 65534, -1)
        program.chmod(0o4755)
        self.scratch.chmod(0o755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("the scratch folder is mounted nosuid")
        done = muster("run", "--report", self.scratch / "setuid.json", "--", program)
        self.assertEqual((done.returncode, done.stdout), (0, "arrived 1\n"), done.stderr)
        self.assertIn("setuid to another user, so nothing is preloaded", done.stderr)


if __name__ == "__main__":
    unittest.main()
