// The timeline as a file in Chrome's trace event format, which Perfetto and chrome://tracing open. Written in parts, so
// that its text need not be in memory as a whole; under another name until it is complete.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "options/settings.h"
#include "platform/optional_calls.h"
#include "platform/program_name.h"
#include "preload/message.h"
#include "preload/report/process_id.h"
#include "preload/report/report.h"
#include "runtime-hooks/teams/counted_region.h"
#include "runtime-hooks/teams/timeline.h"

namespace muster {
namespace {

constexpr std::size_t kPart = 256 * 1024;
constexpr std::size_t kPathSize = kind::Path::kMost + 64;

void complain(const char* path, int error) {
  message("MUSTER_TIMELINE: cannot write '%s': %s; no timeline", path, std::strerror(error));
}

class TimelineFile {
 public:
  explicit TimelineFile(int file) : file_(file) {}

  // Returns 0 or the error.
  int write() {
    find_begin();
    text_.add("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    add_name("process_name", process_, __progname);
    for (const ThreadTimeline* each = first_timeline(); each != nullptr; each = each->next) {
      add_thread(*each);
    }
    text_.add("\n], \"otherData\": {\"muster\": \"%s\", \"dropped_events\": \"%" PRIu64 "\"}}\n",
              MUSTER_VERSION, dropped_);
    flush();
    return text_.complete() ? error_ : ENOMEM;
  }

 private:
  // The format's unit. Printed as two whole numbers: no comma, whatever the program's locale.
  struct Microseconds {
    explicit Microseconds(std::uint64_t ns)
        : whole(ns / 1000), thousandths(static_cast<unsigned>(ns % 1000)) {}
    std::uint64_t whole;
    unsigned thousandths;
  };

  static std::uint64_t first_kept(const ThreadTimeline& thread) {
    const std::uint64_t written = thread.written();
    return written > ThreadTimeline::kEvents ? written - ThreadTimeline::kEvents : 0;
  }

  // Times are from the first event on: in microseconds since the machine started they would lose digits in a double.
  void find_begin() {
    for (const ThreadTimeline* each = first_timeline(); each != nullptr; each = each->next) {
      for (std::uint64_t i = first_kept(*each); i < each->written(); ++i) {
        const std::uint64_t begin_ns = each->event(i).begin_ns;
        if (begin_ns < begin_ns_) begin_ns_ = begin_ns;
      }
    }
  }

  void add_name(const char* what, pid_t thread, const char* name) {
    text_.add(
        "%s\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"%s\", \"args\": {\"name\": ",
        first_ ? "" : ",", process_, thread, what);
    text_.add_json_string(name);
    text_.add("}}");
    first_ = false;
  }

  void add_thread(const ThreadTimeline& thread) {
    char name[32];
    std::snprintf(name, sizeof(name), "thread %d", thread.thread());
    add_name("thread_name", thread.thread(), name);
    const std::uint64_t begin = first_kept(thread);
    const std::uint64_t end = thread.written();
    dropped_ += begin;
    if (begin != 0) add_dropped(thread, begin);
    for (std::uint64_t i = begin; i < end; ++i) {
      add_event(thread.thread(), thread.event(i));
      if (text_.size() >= kPart) flush();
    }
  }

  void add_dropped(const ThreadTimeline& thread, std::uint64_t count) {
    char name[64];
    std::snprintf(name, sizeof(name), "%" PRIu64 " earlier events dropped", count);
    add_instant(name, thread.thread(), thread.event(count).begin_ns);
  }

  void add_event(pid_t thread, const TimelineEvent& event) {
    if (event.begin_ns < begin_ns_ || event.end_ns < event.begin_ns)
      return;  // overwritten meanwhile
    if (event.kind == TimelineKind::kMoved)
      return add_instant(name_of(event.kind), thread, event.begin_ns);
    const Microseconds begin(event.begin_ns - begin_ns_);
    const Microseconds length(event.end_ns - event.begin_ns);
    text_.add(
        ",\n{\"name\": \"%s\", \"cat\": \"muster\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d, "
        "\"ts\": %" PRIu64 ".%03u, \"dur\": %" PRIu64 ".%03u}",
        name_of(event.kind), process_, thread, begin.whole, begin.thousandths, length.whole,
        length.thousandths);
  }

  void add_instant(const char* name, pid_t thread, std::uint64_t at_ns) {
    const Microseconds at(at_ns - begin_ns_);
    text_.add(
        ",\n{\"name\": \"%s\", \"cat\": \"muster\", \"ph\": \"i\", \"s\": \"t\", \"pid\": %d, "
        "\"tid\": %d, \"ts\": %" PRIu64 ".%03u}",
        name, process_, thread, at.whole, at.thousandths);
  }

  void flush() {
    if (error_ == 0) error_ = write_whole(file_, text_);
    text_.clear();
  }

  const int file_;
  const pid_t process_ = reported_process();
  int error_ = 0;
  TextBuffer text_;
  bool first_ = true;
  std::uint64_t begin_ns_ = ~std::uint64_t{0};
  std::uint64_t dropped_ = 0;
};

}  // namespace

void begin_timeline() {
  if (settings().timeline == nullptr) return;
  detail::g_timeline.store(true, std::memory_order_release);
  observe();
}

void write_timeline_now() {
  if (first_timeline() == nullptr || optional_calls_ended()) return;
  static char path[kPathSize];
  static char temporary[kPathSize + 32];
  if (!expand_report_path(settings().timeline, path, sizeof(path))) {
    return complain(settings().timeline, ENAMETOOLONG);
  }
  std::snprintf(temporary, sizeof(temporary), "%s.%d.tmp", path, reported_process());
  unlink(temporary);
  const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return complain(path, errno);
  int error = TimelineFile(file).write();
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary, path) != 0) error = errno;
  if (error == 0) return;
  unlink(temporary);
  complain(path, error);
}

}  // namespace muster
