// Which Python package brought a file, derived from its path.
#include "preload/runtime_origin.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

std::string package(const std::string& path, std::size_t size = 64) {
  char name[64];
  package_of(path.c_str(), name, size);
  return name;
}

TEST(PackageOf, IsTheFolderBelowSitePackages) {
  const std::string packages = "/v/lib/python3.11/site-packages/";
  EXPECT_EQ(package(packages + "torch/lib/libgomp-24e2ab19.so.1"), "torch");
  EXPECT_EQ(package(packages + "sklearn/.libs/libgomp.so.1"), "sklearn");
  EXPECT_EQ(package("/usr/lib/python3/dist-packages/numpy/core/x.so"), "numpy");
}

TEST(PackageOf, LeavesOutWhatWheelsAppendToTheFolderOfTheirLibraries) {
  const std::string packages = "/v/lib/python3.11/site-packages/";
  EXPECT_EQ(package(packages + "scikit_learn.libs/libgomp-a34b3233.so.1.0.0"), "scikit_learn");
  EXPECT_EQ(package(packages + ".libs/x.so"), ".libs");
  EXPECT_EQ(package(packages + "libs/x.so"), "libs");
}

TEST(PackageOf, IsAFilesOwnNameWithoutAFolder) {
  EXPECT_EQ(package("/v/site-packages/_fast.cpython-311-x86_64-linux-gnu.so"), "_fast");
}

TEST(PackageOf, TakesTheInnermostFolder) {
  EXPECT_EQ(package("/a/site-packages/b/dist-packages/c/d.so"), "c");
  EXPECT_EQ(package("/a/site-packages/site-packages/c/d.so"), "c");
}

TEST(PackageOf, IsOfTheFileThatDotsLeadTo) {
  const std::string packages = "/v/lib/python3.11/site-packages/";
  EXPECT_EQ(package(packages + "sklearn/utils/../../scikit_learn.libs/libgomp.so"), "scikit_learn");
  EXPECT_EQ(package(packages + "a/../../../elsewhere/x.so"), "");
}

std::string without_dots(std::string path) {
  take_out_dots(path.data());
  return path.c_str();
}

TEST(TakeOutDots, GoesUpAndStays) {
  EXPECT_EQ(without_dots("/a/b/../c"), "/a/c");
  EXPECT_EQ(without_dots("/a/b/c/../../d/./e"), "/a/d/e");
  EXPECT_EQ(without_dots("/../a"), "/a");
  EXPECT_EQ(without_dots("/a/.."), "");
  EXPECT_EQ(without_dots("/a/..b/...c/.d"), "/a/..b/...c/.d");
  EXPECT_EQ(without_dots("/a//b"), "/a//b");
  EXPECT_EQ(without_dots("../a/b"), "../a/b") << "of a relative path nothing is known";
  EXPECT_EQ(without_dots(""), "");
}

TEST(PackageOf, IsNothingElsewhere) {
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libgomp.so.1"), "");
  EXPECT_EQ(package("/opt/my-site-packages/libgomp.so.1"), "");
  EXPECT_EQ(package("/v/lib/site-packages"), "");
  EXPECT_EQ(package("/v/lib/site-packages/"), "");
  EXPECT_EQ(package(""), "");
}

TEST(PackageOf, IsCutAtTheEndOfTheBuffer) {
  EXPECT_EQ(package("/v/site-packages/torch/x.so", 4), "tor");
}

TEST(FullPathOf, IsTheMappedFileOfARelativeOne) {
  char path[256];
  full_path_of("/a/b.so", nullptr, path, sizeof(path));
  EXPECT_EQ(std::string(path), "/a/b.so");
  full_path_of("./x", reinterpret_cast<const void*>(&package_of), path, sizeof(path));
  EXPECT_EQ(path[0], '/');
  EXPECT_NE(std::string(path).find("muster_launcher_tests"), std::string::npos) << path;
  full_path_of("./x", nullptr, path, sizeof(path));
  EXPECT_EQ(std::string(path), "./x") << "nothing is mapped there";
}

}  // namespace
}  // namespace muster
