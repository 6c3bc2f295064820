// A copy of a tree of load_trees/, which tests may change, and a load sensor that reads it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "load/load_sensor.h"

namespace muster::test {

class RecordedTree {
 public:
  // What the sensor sees of the calling thread. The mask has the first `cpus` CPUs.
  static inline unsigned cpus = 2;
  static inline unsigned cpu = 0;

  explicit RecordedTree(const std::string& name, unsigned (*allowed_cpus)() = [] { return cpus; }) {
    namespace fs = std::filesystem;
    static int number = 0;
    root_ = (fs::path(::testing::TempDir()) /
             ("muster-load-" + std::to_string(getpid()) + "-" + std::to_string(number++)))
                .string();
    fs::copy(fs::path(MUSTER_LOAD_TREES) / name, root_, fs::copy_options::recursive);
    cpus = 2;
    cpu = 0;
    sensor = std::make_unique<LoadSensor>(LoadSources{.root = root_.c_str(),
                                                      .allowed_cpus = allowed_cpus,
                                                      .current_cpu = [] { return cpu; },
                                                      .read_affinity =
                                                          [](AffinityMask& mask) {
                                                            mask.clear_all();
                                                            for (unsigned i = 0; i < cpus; ++i)
                                                              mask.set(i);
                                                            return true;
                                                          }});
  }
  ~RecordedTree() { std::filesystem::remove_all(root_); }
  RecordedTree(const RecordedTree&) = delete;
  RecordedTree& operator=(const RecordedTree&) = delete;

  void write(const std::string& file, const std::string& text) {
    const auto path = std::filesystem::path(root_) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void remove(const std::string& file) {
    std::filesystem::remove_all(std::filesystem::path(root_) / file);
  }

  LoadSnapshot look(std::uint64_t now_ns) {
    EXPECT_TRUE(sensor->look(now_ns));
    return sensor->last();
  }

  std::unique_ptr<LoadSensor> sensor;

 private:
  std::string root_;
};

}  // namespace muster::test
