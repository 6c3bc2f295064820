"""The report of a program that a signal ends, and that the program cannot tell: same wait status, same dispositions."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import programs
from lab.environment import clean_environment

# Regions with barriers; "before" and "after" act before and after the first of them. Then it prints "ready" and ends
# as `end` says: by itself, or by whoever sends a signal.
PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int caught;  // by any thread
static void note(int number) { __atomic_store_n(&caught, number, __ATOMIC_RELAXED); }
static void again(int number) { signal(number, SIG_DFL); raise(number); }
static void leave(int number) { exit(40 + number); }
static void act(const char *what, int number) {
  if (!strcmp(what, "note")) signal(number, note);
  if (!strcmp(what, "again")) signal(number, again);
  if (!strcmp(what, "leave")) signal(number, leave);
  if (!strcmp(what, "ignore")) signal(number, SIG_IGN);
  if (!strcmp(what, "default")) signal(number, SIG_DFL);
  if (!strcmp(what, "hold")) sigset(number, SIG_HOLD);
}
static void show(int number) {
  struct sigaction now, old;
  memset(&now, 0, sizeof now);
  sigaction(number, NULL, &now);
  printf("%d %s %x %d;", number, now.sa_handler == SIG_DFL ? "default" : now.sa_handler == SIG_IGN ? "ignored" : "own",
         (unsigned)now.sa_flags, sigismember(&now.sa_mask, SIGCHLD));
  sigaction(number, &now, &old);
  printf("%d %d;", old.sa_handler == now.sa_handler, old.sa_flags == now.sa_flags);
  printf("%d\n", signal(number, now.sa_handler) == now.sa_handler);
}
static void work(void) {
  for (int i = 0; i < 50; ++i) {
    #pragma omp parallel
    {
      #pragma omp barrier
    }
  }
}
int main(int count, char **arguments) {
  (void)count;
  int number = atoi(arguments[1]);
  const char *end = arguments[4];
  act(arguments[2], number);
  work();
  act(arguments[3], number);
  work();
  for (int i = 1; i < 32; ++i) {
    if (i != SIGKILL && i != SIGSTOP) show(i);
  }
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  printf("masked %d\n", sigismember(&mask, number));
  if (!strcmp(end, "fork")) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) pause();
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d; then %d\n", status, (int)waitpid(-1, NULL, 0));
    return 0;
  }
  if (!strcmp(end, "exec")) {
    fflush(stdout);
    execlp("sh", "sh", "-c", "kill -$0 $$; echo survived", arguments[1], NULL);
  }
  fflush(stdout);
  // Past the stream: a handler that calls exit() inside fflush() would write the buffer again.
  if (write(1, "ready\n", 6) != 6) return 1;
  if (!strcmp(end, "raise")) raise(number);
  if (!strcmp(end, "worker")) {
    #pragma omp parallel
    {
      #pragma omp barrier
      #pragma omp single
      raise(number);
    }
  }
  if (!strcmp(end, "abort")) abort();
  if (!strcmp(end, "pipe")) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    close(ends[0]);
    if (write(ends[1], "x", 1) != 1) puts("no reader");
  }
  if (!strcmp(end, "busy")) {
    for (;;) {
      #pragma omp parallel
      {
        #pragma omp barrier
      }
      free(malloc(100));
    }
  }
  if (!strcmp(end, "wait")) {
    int number_caught;
    while ((number_caught = __atomic_load_n(&caught, __ATOMIC_RELAXED)) == 0) usleep(1000);
    printf("caught %d\n", number_caught);
  }
  return 7;
}
"""

COMPILERS = ("clang", "gcc", "libgomp")
FATAL = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)


def build(compiler: str) -> pathlib.Path:
    return programs.build(PROGRAM, compiler, "signals")


def run(program: pathlib.Path, *arguments: str, send: int = 0, start: tuple[str, ...] = (), **variables: str):
    """Output and wait status; `send` is sent as soon as it is ready."""
    environment = clean_environment(keep=("LD_LIBRARY_PATH",)) | {"OMP_NUM_THREADS": "3"} | variables
    with subprocess.Popen(
        [*start, str(program), *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        lines = []
        assert process.stdout is not None
        try:
            if send != 0:
                for line in process.stdout:
                    lines.append(line)
                    if line == "ready\n":
                        break
                process.send_signal(send)
            rest, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    return "".join(lines) + rest, errors, process.returncode


class Signals(unittest.TestCase):
    def same(self, program: pathlib.Path, *arguments: str, reported: bool | None = True, **how) -> dict:
        """With Muster as without; the report, if it must be there."""
        stock = run(program, *arguments, **how)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            ours = run(program, *arguments, LD_PRELOAD=programs.LIBRARY, MUSTER_REPORT=str(path), **how)
            self.assertEqual(ours, stock, arguments)
            left = sorted(os.listdir(folder))
            if reported is None:
                return {}
            self.assertEqual(left, ["report.json"] if reported else [], arguments)
            return json.loads(path.read_text()) if reported else {}

    def test_a_signal_from_outside(self) -> None:
        for compiler in COMPILERS:
            program = build(compiler)
            for number in FATAL:
                report = self.same(program, str(int(number)), "", "", "busy", send=number)
                self.assertTrue(report["active"])
                self.assertGreaterEqual(report["regions"], 100)
                self.assertGreaterEqual(report["barriers"]["replaced"], 300)
                self.assertEqual(report["largest_team"], 3)

    def test_its_own_signals(self) -> None:
        for compiler in COMPILERS:
            program = build(compiler)
            term = str(int(signal.SIGTERM))
            for end in ("raise", "worker"):
                self.assertGreaterEqual(self.same(program, term, "", "", end)["regions"], 100)
            self.same(program, str(int(signal.SIGPIPE)), "default", "", "pipe")
            self.same(program, term, "", "", "abort", reported=False)
            self.same(program, term, "", "", "exit")
            self.same(program, term, "", "", "busy", send=signal.SIGKILL, reported=False)

    def test_handlers_of_the_program(self) -> None:
        program = build("clang")
        for number in (signal.SIGTERM, signal.SIGINT):
            text = str(int(number))
            for before, after in (("note", ""), ("", "note"), ("default", "note")):
                self.same(program, text, before, after, "wait", send=number)
            for before, after in (("again", ""), ("", "again"), ("note", "default"), ("ignore", "default")):
                self.same(program, text, before, after, "busy", send=number)
            # exit() waits for the runtime's locks, so the thread must not hold one when the signal interrupts it.
            for before, after in (("leave", ""), ("", "leave")):
                self.same(program, text, before, after, "wait", send=number)

    def test_ignored_and_held_signals_stay_so(self) -> None:
        program = build("clang")
        hangup = str(int(signal.SIGHUP))
        for before, after in (("ignore", ""), ("", "ignore"), ("hold", ""), ("", "hold")):
            self.same(program, hangup, before, after, "raise")
        self.same(program, hangup, "", "", "raise", start=("nohup",))

    def test_children(self) -> None:
        program = build("clang")
        term = str(int(signal.SIGTERM))
        # The child of a fork ran no region: no report of its own.
        report = self.same(program, term, "", "", "fork")
        self.assertEqual(report["regions"], 100)
        self.same(program, term, "", "", "exec", reported=False)

    def test_every_way_of_writing(self) -> None:
        program = build("clang")
        term = int(signal.SIGTERM)
        for name in ("r.txt", "r.csv", "r-%p-%r.json"):
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/{name}"
                _, errors, status = run(
                    program, str(term), "", "", "raise", LD_PRELOAD=programs.LIBRARY, MUSTER_REPORT=path
                )
                self.assertEqual((errors, status), ("", -term))
                (left,) = os.listdir(folder)
                text = (pathlib.Path(folder) / left).read_text()
                self.assertIn("regions", text)
                if "%p" in name:
                    self.assertEqual(left, f"r-{json.loads(text)['pid']}-0.json")
        _, errors, status = run(program, str(term), "", "", "raise", LD_PRELOAD=programs.LIBRARY, MUSTER_REPORT="stderr")
        self.assertEqual(status, -term)
        self.assertIn("arrivals replaced", errors)

    def test_without_a_report_nothing_is_handled(self) -> None:
        program = build("clang")
        for variables in ({}, {"MUSTER": "off", "MUSTER_REPORT": "/dev/null"}):
            process = subprocess.Popen(
                [program, str(int(signal.SIGTERM)), "note", "", "wait"],
                env=clean_environment() | {"LD_PRELOAD": programs.LIBRARY} | variables,
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert process.stdout is not None
            for line in process.stdout:
                if line == "ready\n":
                    break
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            caught = int(status.partition("SigCgt:")[2].split()[0], 16)
            self.assertEqual(caught & (1 << (signal.SIGUSR1 - 1)), 0)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


if __name__ == "__main__":
    unittest.main()
