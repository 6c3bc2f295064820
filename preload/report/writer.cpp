#include "preload/report/writer.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "preload/report/rows.h"

namespace muster {
namespace {

template <class Element, unsigned size>
struct Table {
  Element rows[size];
};

consteval Table<Row, kFieldCount> make_rows() {
  Table<Row, kFieldCount> table{};
  for (unsigned i = 0; i < kFieldCount; ++i) {
    const Field& field = report_rows::kFields[i];
    const char* key = field.name;
    while (*key++ != '.') {
    }
    table.rows[i] = {key,        field.text,  report_rows::group_of(field.name),
                     field.unit, field.merge, field.without};
  }
  return table;
}
constexpr Table<Row, kFieldCount> kRows = make_rows();

consteval Table<Group, kGroupCount> make_groups() {
  Table<Group, kGroupCount> table{};
  for (unsigned i = 0; i < kGroupCount; ++i) {
    table.rows[i] = report_rows::kGroups[i];
    table.rows[i].meaning = nullptr;
  }
  return table;
}
constexpr Table<Group, kGroupCount> kGroupRows = make_groups();

consteval Table<FieldRange, kGroupCount> make_ranges() {
  Table<FieldRange, kGroupCount> table{};
  for (unsigned i = 0; i < kFieldCount; ++i) {
    FieldRange& range = table.rows[kRows.rows[i].group];
    if (range.end == 0) range.begin = i;
    if (range.end != 0 && range.end != i)
      report_rows::no_such_row();  // a group's rows lie together
    range.end = i + 1;
  }
  return table;
}
constexpr Table<FieldRange, kGroupCount> kRanges = make_ranges();

constexpr std::uint64_t kMillion = 1'000'000;

std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit + unit / 2) / unit;
}

const char* print_hundredths(std::uint64_t value, const char* unit, NumberText& out) {
  std::snprintf(out, sizeof(out), "%" PRIu64 ".%02" PRIu64 "%s", value / 100, value % 100, unit);
  return out;
}

const char* print_ns(std::uint64_t ns, NumberText& out) {
  if (ns < 1'000) {
    std::snprintf(out, sizeof(out), "%" PRIu64 " ns", ns);
    return out;
  }
  if (ns < 1'000'000) return print_hundredths(rounded(ns, 10), " us", out);
  if (ns < 1'000'000'000) return print_hundredths(rounded(ns, 10'000), " ms", out);
  return print_hundredths(rounded(ns, 10'000'000), " s", out);
}

}  // namespace

const Row& row_of(unsigned field) { return kRows.rows[field]; }
const Group& group_row(unsigned group) { return kGroupRows.rows[group]; }
FieldRange fields_of(unsigned group) { return kRanges.rows[group]; }

Placeholder next_placeholder(const char* begin, const char* end) {
  Placeholder found;
  const char* at = begin;
  while (at < end && *at != '{') ++at;
  if (at == end) return found;
  found.begin = at;
  found.key = ++at;
  while (*at != '}' && *at != ':') ++at;
  found.key_length = static_cast<std::size_t>(at - found.key);
  const bool left = *at == ':' && at[1] == '-';
  while (*at != '}') {
    if (*at >= '0' && *at <= '9') found.width = 10 * found.width + (*at - '0');
    ++at;
  }
  if (left) found.width = -found.width;
  found.end = at + 1;
  return found;
}

unsigned field_of(const Placeholder& placeholder, unsigned group, unsigned own) {
  const FieldRange range = fields_of(group);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const char* key = row_of(i).key;
    if (std::strlen(key) == placeholder.key_length && placeholder.key_length != 0 &&
        std::memcmp(key, placeholder.key, placeholder.key_length) == 0) {
      return i;
    }
  }
  return own;
}

const char* plain(const Value& value, NumberText& buffer) {
  switch (value.kind) {
    case Value::Kind::kText:
      return value.text;
    case Value::Kind::kFlag:
    case Value::Kind::kCount:
      std::snprintf(buffer, sizeof(buffer), "%" PRIu64, value.count);
      return buffer;
    case Value::Kind::kNumber:
      std::snprintf(buffer, sizeof(buffer), "%" PRId64, value.number);
      return buffer;
    case Value::Kind::kMillionths:
      std::snprintf(buffer, sizeof(buffer), "%" PRIu64 ".%06" PRIu64, value.count / kMillion,
                    value.count % kMillion);
      return buffer;
    case Value::Kind::kNotPut:
    case Value::Kind::kNull:
      break;
  }
  return "";
}

const char* readable(const Value& value, Unit unit, NumberText& buffer) {
  if (value.is_null()) return "?";
  const bool is_real = value.kind == Value::Kind::kMillionths;
  const std::uint64_t count = is_real ? value.count / kMillion : value.count;
  switch (unit) {
    case Unit::kNs:
      return print_ns(count, buffer);
    case Unit::kUs:
      return print_ns(count * 1'000, buffer);
    case Unit::kMs:
      return print_ns(count * 1'000'000, buffer);
    case Unit::kMilliCpu:
      return print_hundredths(rounded(count, 10), "", buffer);
    case Unit::kRatio:
      return print_hundredths(is_real ? rounded(value.count, 10'000) : count * 100, "", buffer);
    case Unit::kPercent:
      return print_hundredths(is_real ? rounded(value.count, 100) : count * 10'000, "", buffer);
    case Unit::kText:
    case Unit::kFlag:
    case Unit::kCount:
    case Unit::kNumber:
      break;
  }
  return plain(value, buffer);
}

ReportWriter::ReportWriter(Format format, TextBuffer& out) : format_(format), out_(out) {
  if (format_ == Format::kJson) out_.add("{");
  if (format_ == Format::kCsv) out_.add("section,name,detail,value\n");
}

void ReportWriter::write(GroupId group) {
  switch (format_) {
    case Format::kText:
      write_text(group.index);
      break;
    case Format::kJson:
      write_json(group.index);
      break;
    case Format::kCsv:
      write_csv(group.index);
      break;
  }
  const FieldRange range = fields_of(group.index);
  for (unsigned i = range.begin; i < range.end; ++i) values_[i] = {};
  if (is_list(group_row(group.index).path)) ++elements_;
}

void ReportWriter::end(GroupId list) {
  const Group& group = group_row(list.index);
  if (format_ == Format::kJson) go_to(group.path);  // also where it is empty
  if (format_ == Format::kText && shown_ == 0) out_.add_text(group.shown.otherwise);
  if (format_ == Format::kText && shown_ > group.shown.most) {
    out_.add("\n    ... %u more: use a .json or .csv report", shown_ - group.shown.most);
  }
  elements_ = shown_ = 0;
}

void ReportWriter::finish() {
  if (format_ == Format::kJson) {
    go_to("");
    out_.add("\n}");
  }
  if (format_ != Format::kCsv) out_.add("\n");
}

}  // namespace muster
