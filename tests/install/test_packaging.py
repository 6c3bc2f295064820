"""What is packaged agrees: one version and one home page, debian/ and what `cmake --install` places, the SBOM's components.

The long tests, in clean roots, are the scripts beside this one.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

SOURCE = Path(os.environ["MUSTER_SOURCE_DIR"])
BUILD = Path(os.environ["MUSTER_BUILD_DIR"])
SBOM = SOURCE / "packaging" / "sbom.py"
RECIPES = ("packaging/spack/package.py", "packaging/conda-forge/recipe.yaml", "packaging/easybuild/muster-{}-GCCcore-13.3.0.eb")
# Of the packages that bootstrap calls essential: for tests, or part of build-essential.
NO_BUILD_DEPENDENCIES = {"libgtest-dev", "binutils", "g++"}

FINDS_IT = """
cmake_minimum_required(VERSION 3.25)
project(finds_it LANGUAGES NONE)
find_package(muster {version} REQUIRED)
get_target_property(library muster::muster IMPORTED_LOCATION)
get_target_property(command muster::command IMPORTED_LOCATION)
message(STATUS "found ${{library}} ${{command}}")
enable_testing()
add_test(NAME one COMMAND true)
muster_preload(one)
"""


def text(name: str) -> str:
    return (SOURCE / name).read_text()


def found(pattern: str, name: str) -> str:
    match = re.search(pattern, text(name), re.MULTILINE)
    if match is None:
        raise AssertionError(f"{name}: nothing like {pattern}")
    return match[1]


def output_of(*command: str | Path, **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


VERSION = found(r"project\(muster VERSION ([0-9.]+)", "CMakeLists.txt")


class Agreement(unittest.TestCase):
    def test_one_version(self) -> None:
        self.assertRegex(VERSION, r"^\d+\.\d+\.\d+$", "semantic versioning")
        versions = {
            "debian/changelog": found(r"\Amuster \((.*)-\d+\)", "debian/changelog"),
            "CITATION.cff": found(r"^version: (\S+)$", "CITATION.cff"),
            "spack": found(r'^    version\("([^"]*)"', RECIPES[0]),
            "conda-forge": found(r'^  version: "([^"]*)"', RECIPES[1]),
            "easybuild": found(r"^version = '([^']*)'", RECIPES[2].format(VERSION)),
        }
        self.assertEqual(versions, dict.fromkeys(versions, VERSION))

    def test_one_home_page(self) -> None:
        url = found(r"project\(muster .*HOMEPAGE_URL (\S+)", "CMakeLists.txt")
        project = tomllib.loads(text("pyproject.toml"))["project"]
        for name, link in project["urls"].items():
            self.assertTrue(link.startswith(url), f"pyproject.toml: {name}")
        recipes = [recipe.format(VERSION) for recipe in RECIPES]
        for name in ("debian/control", "debian/copyright", "CITATION.cff", "packaging/sbom.py", *recipes):
            self.assertIn(url, text(name), name)

    def test_debian_files(self) -> None:
        source, *binaries = [
            dict(re.findall(r"^([A-Za-z-]+):[ \n]*((?:.*\n(?: .*\n)*))", block + "\n", re.MULTILINE))
            for block in text("debian/control").strip().split("\n\n")
        ]
        for field in ("Source", "Maintainer", "Build-Depends", "Standards-Version"):
            self.assertIn(field, source)
        names = {block["Package"].strip() for block in binaries}
        self.assertEqual(names, {"libmuster0", "muster", "muster-tools", "muster-doc"})
        for path in (SOURCE / "debian").iterdir():
            if path.suffix in (".install", ".docs", ".triggers"):
                self.assertIn(path.stem, names, path)
        self.assertTrue(os.access(SOURCE / "debian/rules", os.X_OK))
        needed = re.search(r"essential_packages=\(([^)]*)\)", text("bootstrap"))
        assert needed is not None
        depends = {re.sub(r"[ (:].*", "", name.strip()) for name in source["Build-Depends"].split(",")}
        self.assertLessEqual(set(needed[1].split()) - NO_BUILD_DEPENDENCIES, depends, "debian/control: Build-Depends")

    @unittest.skipUnless(shutil.which("dpkg-parsechangelog"), "dpkg-dev is not installed")
    def test_debian_changelog(self) -> None:
        shown = subprocess.run(
            ["dpkg-parsechangelog", "-l", SOURCE / "debian/changelog"], capture_output=True, text=True, check=True
        )
        self.assertEqual(shown.stderr, "")

    def test_documents(self) -> None:
        for name in ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"):
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text(name)):
                self.assertTrue((SOURCE / target).exists(), f"{name}: {target}")


class Installation(unittest.TestCase):
    """What `cmake --install` places, in a folder of the test's."""

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="muster-install-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.place = Path(holder.name)
        for component in ("Unspecified", "tools"):
            prefix = cls.place / component
            output_of("cmake", "--install", BUILD, "--component", component, "--strip", "--prefix", prefix)
        cls.user = cls.place / "Unspecified"

    def names(self, component: str) -> set[str]:
        folder = self.place / component
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}

    def test_what_a_user_gets(self) -> None:
        names = self.names("Unspecified")
        for pattern in (
            "bin/muster",
            "lib*/libmuster.so",
            "lib*/pkgconfig/muster.pc",
            "lib*/cmake/muster/muster-config.cmake",
            "share/doc/muster/LICENSE",
            "share/doc/muster/THIRD-PARTY-NOTICES",
            "share/doc/muster/docs/use/getting-started.md",
        ):
            self.assertTrue(fnmatch.filter(names, pattern), pattern)
        others = {name for name in names if not name.startswith(("bin/muster", "lib", "share/"))}
        self.assertEqual(others, set())
        shown = output_of(self.user / "bin/muster", "run", "--dry-run", "--", "true")
        self.assertRegex(shown, rf"^LD_PRELOAD={re.escape(str(self.user))}/lib\S*/libmuster\.so true\n$")

    def test_tools_have_a_prefix(self) -> None:
        names = self.names("tools")
        for name in names:
            self.assertRegex(name, r"^(bin/muster-|share/muster/|share/man/man1/muster-)")
        self.assertLessEqual({"bin/muster-gang", "bin/muster-syncbench-gomp", "bin/muster-trace"}, names)
        for tool in ("gang", "trace"):
            self.assertIn("usage", output_of(self.place / "tools/bin" / f"muster-{tool}", "--help").lower())

    def test_cmake_finds_it(self) -> None:
        project = self.place / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(FINDS_IT.format(version=VERSION))
        made = project / "build"
        shown = output_of("cmake", "-S", project, "-B", made, f"-DCMAKE_PREFIX_PATH={self.user}")
        self.assertRegex(shown, r"found \S+/libmuster\.so \S+/bin/muster\n")
        self.assertIn("LD_PRELOAD=", (made / "CTestTestfile.cmake").read_text())

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_pkg_config_finds_it(self) -> None:
        (folder,) = self.user.glob("lib*/**/pkgconfig")
        environment = os.environ | {"PKG_CONFIG_PATH": str(folder)}
        shown = output_of("pkg-config", "--variable=library", "muster", env=environment).strip()
        self.assertTrue(Path(shown).is_file(), shown)
        self.assertEqual(output_of("pkg-config", "--modversion", "muster", env=environment).strip(), VERSION)


@unittest.skipUnless(shutil.which("dpkg-query"), "this is no Debian system")
class Sbom(unittest.TestCase):
    def test_every_component_is_listed(self) -> None:
        output_of(sys.executable, SBOM, "--build", BUILD, "--check")

    def test_bad_input_is_one_line(self) -> None:
        for options in (["--build", "/nonexistent"], ["--build", str(SOURCE / "docs"), "--check"]):
            done = subprocess.run([sys.executable, SBOM, *options], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
