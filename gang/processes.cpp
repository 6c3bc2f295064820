// See processes.h.
#include "gang/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace gang {
namespace {

// Empty where the file does not exist, or no longer.
std::string contents(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(file, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  close(file);
  return text;
}

// The numbers among a folder's names: processes of /proc, threads of /proc/PID/task.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> found;
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (number > 0) found.push_back(number);
  }
  closedir(folder);
  return found;
}

struct Stat {
  char state = '?';
  pid_t parent = 0;
};

std::optional<Stat> stat_of(pid_t process) {
  const std::string text = contents(fmt::format("/proc/{}/stat", process));
  const std::size_t name_ends = text.rfind(')');  // the name may hold any character
  if (name_ends == std::string::npos || name_ends + 4 >= text.size()) return {};
  return Stat{text[name_ends + 2], std::atoi(text.c_str() + name_ends + 4)};
}

void append_numbers(const std::string& text, std::vector<pid_t>& numbers) {
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const long number = std::strtol(at, &end, 10);
    if (end == at) return;
    numbers.push_back(static_cast<pid_t>(number));
  }
}

template <typename ChildrenOf>
std::vector<Process> walk(pid_t root, ChildrenOf children_of) {
  std::vector<Process> found;
  std::vector<pid_t> to_visit;
  children_of(root, {root}, to_visit);
  for (std::size_t i = 0; i < to_visit.size(); ++i) {
    const pid_t process = to_visit[i];
    const auto stat = stat_of(process);
    if (!stat) continue;
    Process one{process, stat->state, numbers_in(fmt::format("/proc/{}/task", process))};
    children_of(process, one.threads, to_visit);
    // A process whose first thread has ended is shown as dead while other threads run on.
    const bool dead = (one.state == 'Z' || one.state == 'X') && one.threads.size() <= 1;
    if (!dead) found.push_back(std::move(one));
  }
  return found;
}

bool kernel_lists_children() {
  static const bool lists = access("/proc/thread-self/children", R_OK) == 0;
  return lists;
}

}  // namespace

std::vector<Process> descendants_by_children(pid_t root) {
  return walk(root, [](pid_t process, const std::vector<pid_t>& threads,
                       std::vector<pid_t>& children) {
    for (const pid_t thread : threads) {
      append_numbers(contents(fmt::format("/proc/{}/task/{}/children", process, thread)), children);
    }
  });
}

std::vector<Process> descendants_by_scan(pid_t root) {
  std::multimap<pid_t, pid_t> by_parent;
  for (const pid_t process : numbers_in("/proc")) {
    if (const auto stat = stat_of(process)) by_parent.emplace(stat->parent, process);
  }
  return walk(root, [&](pid_t process, const std::vector<pid_t>&, std::vector<pid_t>& children) {
    const auto [first, last] = by_parent.equal_range(process);
    for (auto one = first; one != last; ++one) children.push_back(one->second);
  });
}

std::vector<Process> descendants(pid_t root) {
  return kernel_lists_children() ? descendants_by_children(root) : descendants_by_scan(root);
}

}  // namespace gang
