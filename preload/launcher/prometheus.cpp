#include "preload/launcher/prometheus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace muster::launcher {
namespace {

// Backslashes and line breaks, and for labels quotes, as the format's specification has it.
std::string escaped(std::string_view text, bool is_label) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (is_label && c == '"')) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string label(std::string_view name, const json& value) {
  const std::string text = value.is_string() ? value.get<std::string>()
                           : value.is_null() ? ""
                                             : value.dump();
  return fmt::format("{}=\"{}\"", name, escaped(text, true));
}

bool is_time(Unit unit) { return unit == Unit::kNs || unit == Unit::kUs || unit == Unit::kMs; }

double scale_of(Unit unit) {
  return unit == Unit::kNs ? 1e-9 : unit == Unit::kUs ? 1e-6 : unit == Unit::kMs ? 1e-3 : 1;
}

// Of a process, not of several: what is summed over processes grows, and so do the threads' own counts.
bool is_counter(unsigned field) {
  const Row& row = row_of(field);
  const bool counts = row.unit == Unit::kCount || is_time(row.unit);
  const bool of_thread = row.group == GroupId("thread").index &&
                         field != FieldId("thread.thread").index &&
                         field != FieldId("thread.longest_wait_ns").index;
  return counts && (row.merge == Merge::kSum || of_thread);
}

std::string metric_name(unsigned field) {
  const Row& row = row_of(field);
  std::string key = row.key;
  if (is_time(row.unit)) {
    key.resize(key.rfind('_'));  // "_ns"
    key += "_seconds";
  }
  return fmt::format("muster_{}_{}{}", group_row(row.group).name, key,
                     is_counter(field) ? "_total" : "");
}

bool is_label(unsigned field) {
  return row_of(field).merge == Merge::kKey || field == FieldId("thread.thread").index;
}

bool is_number(unsigned field) {
  const Row& row = row_of(field);
  return row.unit != Unit::kText && row.unit != Unit::kFlag && (row.without & kJson) == 0 &&
         row.merge != Merge::kReports && !is_label(field) &&
         field != FieldId("process.pid").index && field != FieldId("process.rank").index;
}

class Metrics {
 public:
  explicit Metrics(const json& report)
      : report_(report),
        process_(label("host", report["host"]) + "," + label("pid", report["pid"]) + "," +
                 label("rank", report["rank"])) {}

  std::string text() {
    out_ += fmt::format(
        "# HELP muster_info The process and its program.\n# TYPE muster_info gauge\n"
        "muster_info{{{},{},{}}} 1\n",
        process_, label("program", report_["program"]), label("version", report_["muster"]));
    for (unsigned group = 0; group < kGroupCount; ++group) {
      const json* found = group_row(group).merged_only ? nullptr : find_group(report_, group);
      if (found == nullptr) continue;
      const FieldRange range = fields_of(group);
      for (unsigned field = range.begin; field < range.end; ++field) {
        if (is_number(field)) add(field, *found);
      }
    }
    return out_;
  }

 private:
  void add(unsigned field, const json& found) {
    const std::string name = metric_name(field);
    std::string lines;
    if (found.is_array()) {
      for (const json& element : found) lines += line(name, field, element);
    } else {
      lines = line(name, field, found);
    }
    if (lines.empty()) return;  // not known
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", name,
                        escaped(report_rows::kFields[field].meaning, false), name,
                        is_counter(field) ? "counter" : "gauge", lines);
  }

  std::string line(const std::string& name, unsigned field, const json& object) const {
    const Row& row = row_of(field);
    if (!object.is_object() || !object.contains(row.key) || !object[row.key].is_number()) return "";
    std::string labels = process_;
    const FieldRange range = fields_of(row.group);
    for (unsigned i = range.begin; i < range.end; ++i) {
      if (is_label(i) && object.contains(row_of(i).key)) {
        labels += "," + label(row_of(i).key, object[row_of(i).key]);
      }
    }
    const double scale = scale_of(row.unit);
    const json& value = object[row.key];
    const std::string number =
        scale != 1 ? fmt::format("{:.9g}", value.get<double>() * scale) : value.dump();
    return fmt::format("{}{{{}}} {}\n", name, labels, number);
  }

  const json& report_;
  const std::string process_;
  std::string out_;
};

}  // namespace

std::string prometheus_text(const json& report) { return Metrics(report).text(); }

void write_prometheus(const json& report, const std::string& path) {
  const std::string text = prometheus_text(report);
  // The collector reads files that end in .prom: this one does not.
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  unlink(temporary.c_str());
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool written = file >= 0;
  for (std::size_t done = 0; written && done < text.size();) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    written = n > 0 || (n < 0 && errno == EINTR);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  if (file >= 0) written = close(file) == 0 && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  unlink(temporary.c_str());
  throw NoReport(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

}  // namespace muster::launcher
