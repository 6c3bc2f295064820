"""What the tests of epcc's programs share. EPCC_BIN names the folder that the programs are in."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment  # noqa: E402

BIN = Path(os.environ["EPCC_BIN"])
RUNTIMES = {"": "libomp", "-gomp": "libgomp"}  # suffix of the program, runtime it must have

# These tests need teams of two that do not spin for long, whatever the caller's settings.
ENVIRONMENT = clean_environment(keep=("LD_LIBRARY_PATH",))
ENVIRONMENT |= {"OMP_NUM_THREADS": "2", "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / program, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )


class TestCase(unittest.TestCase):
    def output(self, program: str, *arguments: str) -> str:
        done = run(program, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_refused(self, mentions: str, program: str, *arguments: str) -> None:
        done = run(program, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\A{program.removesuffix('-gomp')}: [^\n]+\n\Z")
        self.assertIn(mentions, done.stderr)

    def report(self, program: str, *arguments: str) -> dict:
        return json.loads(self.output(program, "--format", "json", *arguments))
