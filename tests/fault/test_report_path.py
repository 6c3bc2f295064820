"""Report paths that cannot be written: one line, the exit status unchanged, never a torn file."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

from harness import (
    FaultTest,
    base_environment,
    preloaded_environment,
    program,
    run,
)

from lab.runs import Outcome


class ReportPath(FaultTest):
    def setUp(self) -> None:
        super().setUp()
        self.command: list[str | Path] = [program("team")]
        self.stock = run(self.command, base_environment())

    def run_with_report(self, path: Path | str) -> Outcome:
        ours = run(self.command, preloaded_environment({"MUSTER_REPORT": str(path)}), self.folder)
        self.assertEqual((ours.status, ours.stdout), (self.stock.status, self.stock.stdout))
        return ours

    def assert_refused(self, path: Path | str) -> None:
        ours = self.run_with_report(path)
        if self.preloaded:
            self.assertEqual(len(ours.stderr.splitlines()), 1, ours.stderr)
            self.assertEqual(len(ours.own_lines), 1, ours.stderr)
            self.assertIn(Path(path).name, ours.stderr)

    def mount(self, where: Path, options: str) -> None:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(where)]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            self.skipTest("no mount command")
        if done.returncode != 0:
            self.skipTest("mounting is not permitted")
        self.addCleanup(subprocess.run, ["umount", "-l", str(where)], check=True)

    def test_directory(self) -> None:
        self.report_path.mkdir()
        self.assert_refused(self.report_path)
        self.assertEqual(list(self.folder.iterdir()), [self.report_path])
        self.assertEqual(list(self.report_path.iterdir()), [])

    def test_fifo_without_a_reader(self) -> None:
        os.mkfifo(self.report_path)
        self.assert_refused(self.report_path)
        self.assertTrue(stat.S_ISFIFO(self.report_path.stat().st_mode))
        self.assertEqual(list(self.folder.iterdir()), [self.report_path])

    def test_missing_directory(self) -> None:
        self.assert_refused(self.folder / "missing" / "report.json")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_file_as_a_directory(self) -> None:
        (self.folder / "file").write_text("")
        self.assert_refused(self.folder / "file" / "report.json")

    def test_name_too_long_for_the_file_system(self) -> None:
        self.assert_refused(self.folder / ("n" * 300 + ".json"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_unwritable_directory(self) -> None:
        folder = self.folder / "closed"
        folder.mkdir()
        if os.geteuid() == 0:  # root may write into any directory, but not to a read-only file system
            self.mount(folder, "size=64k,ro")
        else:
            folder.chmod(0o555)
        self.assert_refused(folder / "report.json")

    def test_device(self) -> None:
        # Not /dev/full itself: a library that renames onto it would break the machine.
        device = self.folder / "full.json"
        try:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        except PermissionError:
            self.skipTest("making devices is not permitted")
        self.assert_refused(device)
        self.assertTrue(stat.S_ISCHR(device.stat().st_mode))

    def test_full_disk(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        self.mount(disk, "size=8k")
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass
        self.assert_refused(disk / "report.json")
        self.assertEqual(list(disk.iterdir()), [filler])

    def test_old_report_survives_a_full_disk(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        self.mount(disk, "size=8k")
        old = disk / "report.json"
        old.write_text("{}")
        with (disk / "filler").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass
        self.assert_refused(old)
        self.assertEqual(old.read_text(), "{}")

    def test_stderr_full_or_closed(self) -> None:
        for redirection in ("2>/dev/full", "2>&-"):
            with self.subTest(redirection=redirection):
                command = ["sh", "-c", f'exec "$0" {redirection}', str(self.command[0])]
                stock = run(command, base_environment())
                ours = run(command, preloaded_environment({"MUSTER_REPORT": "stderr"}))
                self.assertEqual((ours.status, ours.stdout), (stock.status, stock.stdout))

    def test_existing_report_is_replaced(self) -> None:
        self.report_path.write_text("old")
        self.run_with_report(self.report_path)
        self.assert_replaced()
        self.assertEqual(list(self.folder.iterdir()), [self.report_path])

    def test_two_processes_share_a_path(self) -> None:
        environment = preloaded_environment({"MUSTER_REPORT": str(self.report_path)})
        for _ in range(10):
            both = [
                subprocess.Popen(
                    [str(word) for word in self.command],
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for _ in range(2)
            ]
            lines = []
            for process in both:
                stdout, stderr = process.communicate(timeout=60)
                self.assertEqual((process.returncode, stdout), (0, self.stock.stdout))
                lines += stderr.splitlines()
            self.assert_shared_reports(lines, processes=2)
            self.assert_replaced()

    def test_fork_child_shares_the_path(self) -> None:
        for when in ("first", "later"):
            with self.subTest(when=when):
                self.compare([program("forking"), when], processes=2)
                self.assert_replaced()
