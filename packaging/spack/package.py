# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Muster(CMakePackage):
    """Preloaded shared object that replaces the barriers, forks and joins of
    unmodified OpenMP programs (libgomp, libomp, libiomp5)."""

    homepage = "https://muster.example.org"
    url = "https://muster.example.org/archive/v0.1.0.tar.gz"

    license("Apache-2.0", checked_by="muster")

    # sha256 of the release's archive: a release fills it in.
    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("cli11", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("hwloc@2:")
    depends_on("elfutils")

    conflicts("platform=darwin")
    conflicts("platform=windows")

    def cmake_args(self):
        return [self.define("MUSTER_BUILD_PROGRAMS", False)]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_command(self):
        Executable(self.prefix.bin.muster)("--version")
