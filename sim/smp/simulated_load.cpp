#include "sim/smp/simulated_load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "sim/smp/world.h"

namespace muster::smp {

namespace fs = std::filesystem;

SimulatedLoad::SimulatedLoad() {
  root_ = (fs::temp_directory_path() / "muster-smp-XXXXXX").string();
  if (mkdtemp(root_.data()) == nullptr)
    throw std::runtime_error(fmt::format("cannot make a folder {}", root_));
  fs::create_directory(root_ + "/proc");
  file_ = open((root_ + "/proc/loadavg").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) throw std::runtime_error(fmt::format("cannot write in the folder {}", root_));
  sensor_ = std::make_unique<LoadSensor>(
      LoadSources{.root = root_.c_str(), .allowed_cpus = &allowed_cpus});
}

SimulatedLoad::~SimulatedLoad() {
  close(file_);
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

// What a look begins with.
unsigned SimulatedLoad::allowed_cpus() {
  t_world->pay(t_world->costs().look);
  t_world->load_seen()->write();
  return t_world->machine().processors();
}

void SimulatedLoad::write() const {
  unsigned runnable = 0;
  unsigned all = 0;
  for (const auto& task : t_world->machine().tasks()) {
    runnable += task->state == State::kReady || task->state == State::kRunning;
    all += task->state != State::kNew && task->state != State::kGone;
  }
  // As long each time, so that nothing of an earlier one is left.
  const std::string text =
      fmt::format("{:<63}\n", fmt::format("0.00 0.00 0.00 {}/{} 1", runnable, all));
  if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error(fmt::format("cannot write {}/proc/loadavg", root_));
}

}  // namespace muster::smp
