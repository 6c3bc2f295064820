"""Each house rule can fail: trees and libraries that break it, beside ones that do not."""

from __future__ import annotations

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

import check
import library_check
import source_checks
import tool_checks
from tree import Tree

HEADER = "#pragma once\n"


class HouseTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="muster-house-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def tree(self, **files: str) -> Tree:
        """A tree of the given files; a name's `__` is a slash, its last `_` a dot."""
        for name, text in files.items():
            stem, _, suffix = name.replace("__", "/").rpartition("_")
            self.write(f"{stem}.{suffix}", text)
        return Tree(self.root)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Files(HouseTest):
    def test_with_git_and_without(self) -> None:
        tree = self.tree(a__b_h=HEADER, build__c_h=HEADER)
        self.write("a/__pycache__/e.pyc", "")
        self.assertEqual(tree.files(), ["a/b.h"])
        self.write(".gitignore", "/build/\n*.pyc\n")
        self.write("a/d.pyc", "")
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.assertEqual(tree.files(), [".gitignore", "a/b.h"])


class Includes(HouseTest):
    def test_along_the_arrows(self) -> None:
        tree = self.tree(
            platform__a_h=HEADER,
            waiting__b_h='#include "platform/a.h"\n#include <vector>\n',
            preload__c_cpp='#include "waiting/b.h"\n#include "gelf.h"\n',
            epcc__d_cpp='#include "e.h"\n',
            epcc__e_h=HEADER,
            tests__unit__f_cpp='#include "preload/c.h"\n#include "../../epcc/e.h"\n',
        )
        self.assertEqual(source_checks.includes(tree), [])

    def test_between_sub_folders(self) -> None:
        self.write("platform/a.h", HEADER)
        self.write("runtime-hooks/objects/b.h", '#include "platform/a.h"\n')
        self.write("runtime-hooks/folding/c.h", '#include "runtime-hooks/objects/b.h"\n#include "../teams/d.h"\n')
        self.write("runtime-hooks/teams/d.h", HEADER)
        self.write("preload/options/e.cpp", '#include "runtime-hooks/folding/c.h"\n#include "preload/f.h"\n')
        self.assertEqual(source_checks.includes(Tree(self.root)), [])

    def test_against_them(self) -> None:
        for name, target in (
            ("platform/a.h", "waiting/b.h"),
            ("platform/a.h", "../waiting/b.h"),
            ("waiting/b.h", "barriers/names.h"),
            ("barriers/c.h", "runtime-hooks/frame.h"),
            ("runtime-hooks/d.h", "preload/launcher/e.h"),
            ("runtime-hooks/objects/d.h", "runtime-hooks/runtimes/e.h"),
            ("runtime-hooks/teams/d.h", "runtime-hooks/folding/e.h"),
            ("runtime-hooks/teams/d.h", "../folding/e.h"),
            ("runtime-hooks/folding/d.h", "runtime-hooks/e.h"),
            ("waiting/d.h", "runtime-hooks/objects/e.h"),
            ("epcc/f.cpp", "platform/a.h"),
            ("preload/g.cpp", "tests/h.h"),
        ):
            with self.subTest(name=name, target=target):
                self.write("waiting/b.h", HEADER)
                self.write("runtime-hooks/folding/e.h", HEADER)
                path = self.write(name, f'#  include "{target}"\n')
                self.assertEqual(len(source_checks.includes(Tree(self.root))), 1)
                path.unlink()

    def test_a_new_folder_needs_a_row(self) -> None:
        self.assertIn("no row", source_checks.includes(self.tree(novel__a_h=HEADER))[0])


class SystemCalls(HouseTest):
    def test_those_of_stock_and_asked_for(self) -> None:
        tree = self.tree(
            platform__a_h=HEADER + "syscall(SYS_futex, &word);\noptional_call(SYS_statx);\n",
            tests__b_cpp="syscall(SYS_statx);\n",
        )
        self.assertEqual(source_checks.system_calls(tree), [])

    def test_others(self) -> None:
        tree = self.tree(platform__a_h=HEADER + "syscall(SYS_statx, 0);\n")
        self.assertEqual(len(source_checks.system_calls(tree)), 1)


class Conditionals(HouseTest):
    def test_allowed(self) -> None:
        tree = self.tree(
            platform__a_h=HEADER + "#if defined(__x86_64__)\n#elif defined(__aarch64__)\n#endif\n",
            waiting__b_h=HEADER + "#ifdef MUSTER_SOMETHING\n#endif\n#if __has_feature(thread_sanitizer)\n#endif\n",
        )
        self.assertEqual(source_checks.conditionals(tree), [])

    def test_elsewhere(self) -> None:
        for line in (
            "#ifdef __linux__",
            "#ifndef _WIN32",
            "  #  if defined(__x86_64__)",
            "#elif __aarch64__",
            "#if __powerpc64__",
            "#if __GLIBC__ > 2",
            "#if _OPENMP >= 201811",
        ):
            with self.subTest(line=line):
                tree = self.tree(barriers__a_h=HEADER + line + "\n#endif\n")
                self.assertEqual(len(source_checks.conditionals(tree)), 1)

    def test_include_guards(self) -> None:
        tree = self.tree(barriers__a_h="#ifndef A_H\n#define A_H\n#endif\n")
        self.assertEqual(source_checks.conditionals(tree), ["barriers/a.h: no #pragma once"])


class Lengths(HouseTest):
    def test_limits(self) -> None:
        tree = self.tree(barriers__a_h="\n" * 150, preload__b_cpp="\n" * 400, docs__c_md="\n" * 1000)
        self.assertEqual(source_checks.lengths(tree), [])
        tree = self.tree(barriers__a_h="\n" * 151, waiting__d_h="\n" * 151, preload__b_cpp="\n" * 401)
        self.assertEqual(len(source_checks.lengths(tree)), 3)

    def test_a_reason_lets_pass_and_must_not_linger(self) -> None:
        source_checks.LONGER["preload/b.cpp"] = "a table"
        self.addCleanup(source_checks.LONGER.pop, "preload/b.cpp")
        self.assertEqual(source_checks.lengths(self.tree(preload__b_cpp="\n" * 401)), [])
        self.assertEqual(len(source_checks.lengths(self.tree(preload__b_cpp="\n"))), 1)


class Readmes(HouseTest):
    def test_missing(self) -> None:
        tree = self.tree(sim__a_h=HEADER, epcc__README_md="", docs__x_md="")
        self.assertEqual(source_checks.readmes(tree), ["sim/: no README.md"])


class Executables(HouseTest):
    def test_a_script_is_started_by_its_path(self) -> None:
        script = self.write("tests/run.py", "#!/usr/bin/env python3\n")
        self.assertEqual(len(source_checks.executables(Tree(self.root))), 1)
        script.chmod(0o755)
        self.assertEqual(source_checks.executables(Tree(self.root)), [])


class MachinePaths(HouseTest):
    def test_found(self) -> None:
        for text in ("/wo" "rk/main", "cd /ro" "ot/", "at https://py" "pi.org/simple", "'/ho" "me/me/x'"):
            with self.subTest(text=text):
                self.assertEqual(len(source_checks.machine_paths(self.tree(docs__a_md=f"so: {text}\n"))), 1)

    def test_others_are_fine(self) -> None:
        tree = self.tree(docs__a_md="team/wo" "rk/steal /usr/lib ${x}/wo" "rk/ roots root/tree\n")
        self.assertEqual(source_checks.machine_paths(tree), [])


class Tools(HouseTest):
    def test_formatting(self) -> None:
        self.write(".clang-format", "BasedOnStyle: Google\n")
        try:
            self.assertEqual(tool_checks.formatting(self.tree(a__b_cpp="int x = 1;\n")), [])
            self.assertNotEqual(tool_checks.formatting(self.tree(a__b_cpp="int   x=1 ;\n")), [])
        except tool_checks.Unavailable as missing:
            self.skipTest(str(missing))

    def test_shell_scripts(self) -> None:
        self.write("run", "#!/bin/bash\necho fine\n")
        try:
            self.assertEqual(tool_checks.shell_scripts(Tree(self.root)), [])
            self.write("run", "#!/bin/bash\ncd $1\n")
            self.assertNotEqual(tool_checks.shell_scripts(Tree(self.root)), [])
        except tool_checks.Unavailable as missing:
            self.skipTest(str(missing))

    def test_a_missing_tool_is_not_a_pass(self) -> None:
        with self.assertRaises(tool_checks.Unavailable):
            tool_checks.need("no-such-tool-anywhere")

    def test_options_page(self) -> None:
        launcher = self.write("muster", '#!/bin/sh\necho "# Options"\n')
        launcher.chmod(0o755)
        self.assertEqual(len(tool_checks.options_page(Tree(self.root), launcher)), 1, "no page")
        for text, problems in (("# Options\n", 0), ("# Options\nand more\n", 1), ("# Options", 1)):
            with self.subTest(text=text):
                self.write("docs/use/options.md", text)
                self.assertEqual(len(tool_checks.options_page(Tree(self.root), launcher)), problems)


class Library(HouseTest):
    def problems(self, source: str, *flags: str) -> str:
        file = self.write("library.c", source)
        built = self.root / "library.so"
        command = ["gcc", "-shared", "-fPIC", file, "-o", built, *flags]
        subprocess.run(command, check=True, capture_output=True)
        return "; ".join(library_check.library(built))

    def test_a_good_one(self) -> None:
        source = "#include <unistd.h>\nvoid __kmpc_barrier(void) { getpid(); } int sched_yield(void) { return 0; }"
        source += " int posix_spawn() { return 0; }"
        self.assertEqual(self.problems(source, "-Wl,-z,nodelete"), "")

    def test_bad_ones(self) -> None:
        entry = "void __kmpc_barrier(void) {}"
        nodelete = "-Wl,-z,nodelete"
        versioned = self.write("named.map", "VERSION { global: __kmpc_*; local: *; };")
        for expected, source, flags in (
            ("not linked -z nodelete", entry, []),
            ("brings libm.so", entry, [nodelete, "-Wl,--no-as-needed", "-lm"]),
            ("exceptions", "void __gxx_personality_v0(void) {}" + entry, [nodelete]),
            ("bytes when stripped", "__attribute__((used)) static char table[900000] = {1};" + entry, [nodelete]),
            ("shows helper", entry + " void helper(void) {}", [nodelete]),
            ("shows pthread_cancel", entry + " void pthread_cancel(void* value) { for (;;); }", [nodelete]),
            ("version name", entry, [nodelete, f"-Wl,--version-script={versioned}"]),
            (
                "it calls sched_yield",
                "int sched_yield(void) { return 0; } int __kmpc_barrier(void) { return sched_yield(); }",
                [nodelete],
            ),
            (
                "__tls_get_addr",
                "static __thread int t; int *__kmpc_barrier(void) { return &t; }",
                [nodelete, "-ftls-model=global-dynamic"],
            ),
        ):
            with self.subTest(expected=expected):
                self.assertIn(expected, self.problems(source, *flags))

    @unittest.skipUnless(platform.machine() == "x86_64", "disassembles x86")
    def test_floating_point(self) -> None:
        entry = "static struct { long words[8]; } whole, copy;\n"
        for computes, body in (
            ("divsd in __kmpc_barrier", "*(double *)p /= 3;"),
            ("cvttsd2si in __kmpc_barrier", "*(long *)p = *(double *)p;"),
            ("in __kmpc_barrier", "*(long *)p = *(float *)p < 2;"),
            ("fld", "*(long double *)p *= *(long double *)p;"),
            ("", "*(double *)p = ((double *)p)[1]; copy = whole;"),
            ("", '__asm__ volatile("fnstcw %0; fldcw %0; ldmxcsr %1" : : "m"(*(short *)p), "m"(*(int *)p));'),
        ):
            with self.subTest(body=body):
                found = self.problems(entry + f"void __kmpc_barrier(void *p) {{ {body} }}", "-O2", "-Wl,-z,nodelete")
                self.assertEqual("computes in floating point" in found, computes != "", found)
                self.assertIn(computes, found)

    def test_text_relocations(self) -> None:
        source = "int x; int *__kmpc_barrier(void) { return &x; }"
        file = self.write("relocated.s", ".text\n.globl __kmpc_x\n__kmpc_x: .quad __kmpc_x\n")
        found = self.problems(source, "-Wl,-z,nodelete", "-Wl,-z,notext", str(file))
        self.assertIn("text relocations", found)


class EntryPoints(HouseTest):
    def test_shown_and_listed(self) -> None:
        names = ["__kmpc_a", "__kmpc_b", *library_check.WITHOUT_LIST]
        file = self.write("library.c", "\n".join(f"void {name}() {{}}" for name in names))
        built = self.root / "library.so"
        subprocess.run(["gcc", "-shared", "-fPIC", file, "-o", built], check=True, capture_output=True)
        for listed, expected in (
            ("__kmpc_a\n__kmpc_b\n", []),
            ("__kmpc_a\n", ["it shows __kmpc_b, which is not in implemented.txt"]),
            ("__kmpc_a\n__kmpc_b\nomp_c\n", ["it does not show omp_c"]),
        ):
            with self.subTest(listed=listed):
                self.assertEqual(library_check.shown(built, self.write("exported.txt", listed)), expected)


if __name__ == "__main__":
    unittest.main()
