// What goes into a report, and in which format where.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "load/load_sensor.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/mpi_job.h"
#include "platform/optional_calls.h"
#include "platform/pages.h"
#include "platform/place_for.h"
#include "platform/program_name.h"
#include "preload/message.h"
#include "preload/report/kept_stderr.h"
#include "preload/report/process_id.h"
#include "preload/report/report.h"
#include "preload/runtime_origin.h"
#include "preload/settings.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/process_maps.h"
#include "runtime-hooks/teams/team.h"
#include "waiting/calibration.h"

namespace muster {
namespace {

// All of /proc/self/cmdline, whose size is not known before.
void read_arguments(ReportData& out) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::size_t capacity = 65'536;
  char* text = nullptr;
  std::size_t size = 0;
  for (ssize_t n = 1; n > 0; size += static_cast<std::size_t>(n)) {
    if (text == nullptr || size + 1 == capacity) {
      char* const larger = static_cast<char*>(map_pages(2 * capacity));
      if (larger == nullptr) break;
      if (text != nullptr) std::memcpy(larger, text, size);
      unmap_pages(text, capacity);
      text = larger;
      capacity *= 2;
    }
    n = read(file, text + size, capacity - size - 1);
    if (n <= 0) break;
  }
  close(file);
  out.arguments = text;
  if (size != 0 && text[size - 1] != '\0') ++size;  // a program may have overwritten its arguments
  out.arguments_size = size;
  out.arguments_capacity = capacity;
}

void describe_process(ReportData& out) {
  if (gethostname(out.host, sizeof(out.host) - 1) != 0) std::strcpy(out.host, "unknown");
  const ssize_t length = readlink("/proc/self/exe", out.program, sizeof(out.program) - 1);
  if (length < 0) {  // no /proc: as the program was called
    std::snprintf(out.program, sizeof(out.program), "%s", __progname_full);
  }
  out.pid = reported_process();
  out.rank = mpi_rank();
  read_arguments(out);
}

// One more look, due or not, so that throttling, pressure and stolen time are counted to the end.
void describe_load(ReportData& out) {
  process_load_sensor().look(monotonic_ns(), Files::kOpen, /*every_ns=*/0);
  out.load = process_load_sensor().last();
  out.missing = list_missing(out.load);
}

void add_threads(ReportData& out) {
  for (ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    out.regions += state->regions.read();
    const std::uint64_t size = state->largest_region.load(std::memory_order_relaxed);
    out.largest_team = std::max(out.largest_team, size);
    for (unsigned i = 0; i < kEntries; ++i) {
      out.replaced[i] += state->replaced[i].read();
      out.passed[i] += state->passed[i].read();
    }
    for (unsigned i = 0; i < kPassReasons; ++i) out.reasons[i] += state->reasons[i].read();
    state->yield_counts.add_to(out.yields);
    out.loops_computed += state->loops_computed.read();
    out.loops_passed += state->loops_passed.read();
  }
  for (unsigned i = 0; i < kEntries; ++i) {
    out.total_replaced += out.replaced[i];
    out.total_passed += out.passed[i];
  }
}

// A runtime that the program calls past Muster may be known nevertheless, from calls of its own.
void list_runtimes(ReportData& out) {
  out.unreached_count = find_unreached(out.unreached);
  Runtime* const* known = nullptr;
  const unsigned count = known_runtimes(&known);
  out.runtimes = static_cast<Runtime**>(map_pages((count + 1) * sizeof(Runtime*)));
  if (out.runtimes == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    bool reached = true;
    for (unsigned k = 0; k < out.unreached_count; ++k) {
      if (std::strcmp(out.unreached[k].path, known[i]->object.path) == 0) reached = false;
    }
    if (reached) out.runtimes[out.runtime_count++] = known[i];
  }
  for (unsigned i = 0; i < out.unreached_count; ++i) {
    take_out_dots(out.unreached[i].path);
    take_out_dots(out.unreached[i].object);
  }
}

// OpenBLAS without an OpenMP runtime is built for pthreads.
void find_openblas(ReportData& out) {
  char buffer[4096];
  ProcessMaps maps(buffer, sizeof(buffer));
  for (Mapping mapping; maps.next(mapping);) {
    const char* const slash = std::strrchr(mapping.path, '/');
    if (slash == nullptr) continue;
    for (const char* runtime : {"/libgomp", "/libomp", "/libiomp"}) {
      if (std::strncmp(slash, runtime, std::strlen(runtime)) != 0) continue;
      out.openblas[0] = '\0';
      return;
    }
    if (out.openblas[0] == '\0' && std::strstr(slash, "openblas") != nullptr)
      std::snprintf(out.openblas, sizeof(out.openblas), "%s", mapping.path);
  }
}

// Muster is active if at least one runtime's barriers are replaced; if not, the first runtime has the reason.
void judge(ReportData& out) {
  list_runtimes(out);
  for (unsigned i = 0; i < out.runtime_count; ++i) {
    if (out.runtimes[i]->replaced) out.active = true;
  }
  if (out.active) return;
  out.inactive_reason = out.runtime_count > 0 ? name_of(out.runtimes[0]->reason) : "no OpenMP call";
  if (out.runtime_count == 0) find_openblas(out);
}

void describe_runtimes(ReportData& out) {
  out.runtime_lines =
      static_cast<RuntimeLine*>(map_pages((out.runtime_count + 1) * sizeof(RuntimeLine)));
  if (out.runtime_lines == nullptr) out.runtime_count = 0;
  for (unsigned i = 0; i < out.runtime_count; ++i) {
    Runtime& runtime = *out.runtimes[i];
    RuntimeLine& line = out.runtime_lines[i];
    const std::uintptr_t place = runtime.is_still(0) ? 0 : runtime.object.begin;
    full_path_of(runtime.object.path, reinterpret_cast<const void*>(place), line.path,
                 sizeof(line.path));
    package_of(line.path, line.package, sizeof(line.package));
    line.replaced = arrivals_of(runtime);
  }
}

bool ends_with(const char* text, const char* ending) {
  const std::size_t length = std::strlen(text);
  const std::size_t tail = std::strlen(ending);
  return length >= tail && std::strcmp(text + length - tail, ending) == 0;
}

// `muster run -- mpirun ...`: the ranks write reports, mpirun does not. With %r in the file name, neither does a
// script that calls mpirun: its report would have the name of rank 0's.
bool starts_ranks(const ReportData& data) {
  constexpr const char* kStarters[] = {"orterun", "prterun",       "prun",       "mpirun",
                                       "mpiexec", "mpiexec.hydra", "mpirun_rsh", "srun"};
  const char* slash = std::strrchr(data.program, '/');
  const char* name = slash != nullptr ? slash + 1 : data.program;
  for (const char* starter : kStarters) {
    if (std::strcmp(name, starter) == 0) return true;
  }
  return !has_mpi_rank() && std::strstr(settings().report, "%r") != nullptr;
}

// A process has a report if it used an OpenMP runtime, if `muster run --report` started it, or if it has a runtime
// loaded whose calls do not reach Muster. Shells between these have none.
bool worth_reporting(const ReportData& data) {
  if (data.runtime_count > 0) {
    return data.regions + data.total_replaced + data.total_passed > 0 || !data.active;
  }
  if (another_muster_is_first()) return false;  // that one writes it
  const char* started = std::getenv(kRunPidVariable);
  if (started != nullptr && std::atol(started) == data.pid) return !starts_ranks(data);
  return data.unreached_count > 0;
}

}  // namespace

void gather(ReportData& out) {
  describe_process(out);
  out.calibration = calibration_if_done();
  judge(out);
  out.teams = teams_made();
  add_threads(out);
  out.folds = &fold_counts();
  const bool counts_itself = t_thread_state != nullptr && !is_written_for_another();
  collect(counts_itself ? t_thread_state->counters : nullptr, out.counters);
  describe_runtimes(out);
  out.totals = &collect_totals();
  out.largest_team = std::max<std::uint64_t>(out.largest_team, out.totals->threads);
  for (unsigned i = 0; i < out.totals->threads; ++i) out.totals->by_thread[i].add_to(out.waiting);
}

bool expand_report_path(const char* pattern, char* out, std::size_t size) {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) std::strcpy(host, "unknown");
  std::size_t length = 0;
  for (const char* at = pattern; *at != '\0'; ++at) {
    char piece[272];
    std::snprintf(piece, sizeof(piece), "%c", *at);
    if (*at == '%') {
      ++at;
      if (*at == 'h') std::snprintf(piece, sizeof(piece), "%s", host);
      if (*at == 'p')
        std::snprintf(piece, sizeof(piece), "%ld", static_cast<long>(reported_process()));
      if (*at == 'r') std::snprintf(piece, sizeof(piece), "%ld", mpi_rank());
    }
    const std::size_t more = std::strlen(piece);
    if (length + more >= size) return false;
    std::memcpy(out + length, piece, more + 1);
    length += more;
  }
  return true;
}

namespace {

// Too large for a stack, and what gathers it has static storage, too.
Lock g_lock;
PlaceFor<ReportData> g_place;

// Returns whether `if_worth` is false or the process has a report.
bool compose(Format format, bool if_worth, TextBuffer& text) {
  const Locked locked(g_lock);
  ReportData& data = g_place.make();
  gather(data);
  const bool composes = !if_worth || worth_reporting(data);
  if (composes) {
    data.times = process_times(reported_process());
    describe_load(data);
    write_report(data, format, text);
  }
  unmap_pages(data.runtimes, (data.runtime_count + 1) * sizeof(Runtime*));
  unmap_pages(data.arguments, data.arguments_capacity);
  unmap_pages(data.runtime_lines, (data.runtime_count + 1) * sizeof(RuntimeLine));
  return composes;
}

}  // namespace

void compose_report(Format format, TextBuffer& text) { compose(format, /*if_worth=*/false, text); }

void report_after_fork() { g_lock.unlock(); }

void write_report_now() {
  if (optional_calls_ended()) return;  // it was written before
  ensure_settings_at_end();
  const Settings& in_force = settings();
  if (!in_force.on || in_force.report == nullptr) return;
  const bool on_stderr = std::strcmp(in_force.report, "stderr") == 0;
  const Format format = ends_with(in_force.report, ".json")  ? Format::kJson
                        : ends_with(in_force.report, ".csv") ? Format::kCsv
                                                             : Format::kText;
  TextBuffer text;
  if (!compose(format, /*if_worth=*/true, text)) return;
  if (!text.complete()) {
    message("MUSTER_REPORT: no memory for the report");
  } else if (on_stderr) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = write(stderr_of_report(), text.begin() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
  } else {
    deliver(in_force.report, text);
  }
}

}  // namespace muster
