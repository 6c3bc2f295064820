"""What Tab does in bash, zsh and fish: each is started on a terminal, and gets the keys that a user would press.

A shell that is not installed is left out, with a line. Environment: MUSTER_BUILD_DIR, the build folder.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

from test_launcher import muster

SECONDS = 60.0  # for one line; a busy machine takes two
READY = "ready-for-keys"

# What is typed, and what muster is then called with. A shell may complete `--flag value` or `--flag=value`.
LINES = {
    "muster cal\t": ["calibrate"],
    "muster run --tur\ta\t": ["run", "--turns", "auto"],
    "muster run --forkjoin of\t--liv\t": ["run", "--forkjoin", "off", "--live"],
    "muster compare --no-pa\t": ["compare", "--no-passive"],
    "muster report saved-re\t": ["report", "saved-report.json"],
    "muster run --papi saved-re\t": ["run", "--papi", "saved-report.json"],
    "muster completion z\t": ["completion", "zsh"],
    "muster run --live -- unlikely-pro\tsaved-re\t": ["run", "--live", "--", "unlikely-program", "saved-report.json"],
    "muster run --turns off unlikely-pro\t--liv\t": ["run", "--turns", "off", "unlikely-program", "--liv"],
    "muster doctor --js\tunlikely-pro\t": ["doctor", "--json", "unlikely-program"],
}

# How each is started, without the user's own files, and what makes it complete.
COMMAND = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
PACKAGE = Path("/usr/share/bash-completion/bash_completion")
RECORD = {
    "bash": "muster() { printf '%s\\n' \"$@\" >called.new; mv called.new called; }",
    "zsh": "muster() { printf '%s\\n' \"$@\" >called.new; mv called.new called }",
    "fish": "function muster; printf '%s\\n' $argv >called.new; mv called.new called; end",
}


class Terminal:
    """A shell on a pseudo-terminal."""

    def __init__(self, command: list[str], folder: Path, variables: dict[str, str]) -> None:
        self.shown = ""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, variables)

    def type(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def wait_for(self, condition, what: str) -> None:
        """Reads what is shown, so that the shell never blocks, until the condition holds."""
        deadline = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what} within {SECONDS:.0f} s; the terminal shows {self.shown[-1500:]!r}")
            if select.select([self.descriptor], [], [], 0.02)[0]:
                try:
                    self.shown += os.read(self.descriptor, 65536).decode(errors="replace")
                except OSError as closed:
                    raise AssertionError(f"the shell ended; the terminal shows {self.shown[-1500:]!r}") from closed

    def close(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


class Completion(unittest.TestCase):
    def make_folder(self, shell: str) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=f"muster-{shell}-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "saved-report.json").touch()
        for name in ("commands", "functions"):
            (folder / name).mkdir()
        program = folder / "commands" / "unlikely-program"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        script = muster("completion", shell).stdout
        (folder / f"{shell}-script").write_text(script)
        (folder / "functions" / "_muster").write_text(script)
        return folder

    def complete_in(self, shell: str, setup: str) -> None:
        if shutil.which(shell) is None:
            print(f"{shell} is not installed: left out", file=sys.stderr)
            self.skipTest(f"{shell} is not installed")
        folder = self.make_folder(shell)
        variables = {
            "HOME": str(folder),
            "PATH": f"{folder / 'commands'}:{os.environ['PATH']}",
            "TERM": "vt100",
            "LC_ALL": "C",
            "INPUTRC": "/dev/null",
        }
        terminal = Terminal(COMMAND[shell], folder, variables)
        try:
            # The echoed line has a quote in the word, the output has none.
            terminal.type(f"{setup}; {RECORD[shell]}; echo ready'-for-'keys\n")
            terminal.wait_for(lambda: READY in terminal.shown, "prompt")
            called = folder / "called"
            for keys, expected in LINES.items():
                with self.subTest(shell=shell, keys=keys):
                    called.unlink(missing_ok=True)
                    terminal.type(keys + "\n")
                    terminal.wait_for(called.exists, f"call after {keys!r}")
                    words = called.read_text().splitlines()
                    self.assertEqual([part for word in words for part in word.split("=")], expected)
        finally:
            terminal.close()

    def test_bash(self) -> None:
        self.complete_in("bash", "source ./bash-script")

    @unittest.skipUnless(PACKAGE.exists(), "bash-completion is not installed")
    def test_bash_with_the_completions_of_other_programs(self) -> None:
        self.complete_in("bash", f"source {PACKAGE}; source ./bash-script")

    def test_zsh_that_finds_the_script_by_its_name(self) -> None:
        self.complete_in("zsh", "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D")

    def test_zsh_that_reads_the_script(self) -> None:
        self.complete_in("zsh", "autoload -Uz compinit; compinit -u -D; source ./zsh-script")

    def test_fish(self) -> None:
        self.complete_in("fish", "source ./fish-script")

    def test_another_shell_is_refused(self) -> None:
        refused = muster("completion", "csh")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("csh", refused.stderr)


if __name__ == "__main__":
    unittest.main()
