// The report as one JSON object.
#include <cstring>

#include "preload/report/rows.h"

namespace muster {
namespace {

// How long the part of both paths is that ends at a dot or at an end.
std::size_t common_length(const char* left, const char* right) {
  std::size_t common = 0;
  for (std::size_t i = 0;; ++i) {
    const bool left_ends = left[i] == '\0' || left[i] == '.';
    const bool right_ends = right[i] == '\0' || right[i] == '.';
    if (left_ends && right_ends) common = i;
    if (left[i] != right[i] || left[i] == '\0') return common;
  }
}

// How many objects and lists the first `length` characters of a path name.
unsigned depth_of(const char* path, std::size_t length) {
  unsigned depth = length != 0 ? 1 : 0;
  for (std::size_t i = 0; i < length; ++i) depth += path[i] == '.' ? 1 : 0;
  return depth;
}

void add_value(const Value& value, TextBuffer& out) {
  NumberText buffer;
  if (value.is_null()) {
    out.add("null");
  } else if (value.kind == Value::Kind::kText) {
    out.add_json_string(value.text);
  } else if (value.kind == Value::Kind::kFlag) {
    out.add_text(value.count != 0 ? "true" : "false");
  } else {
    out.add_text(plain(value, buffer));
  }
}

}  // namespace

// Before a member or an element; on a line of its own unless it is a member of a list's element.
void ReportWriter::separate(unsigned depth, bool in_line) {
  if (!first_) out_.add(in_line ? ", " : ",");
  if (!in_line) out_.add("\n%*s", static_cast<int>(2 * depth + 2), "");
  first_ = false;
}

// Closes what is open but does not hold `path`, and opens what is missing of it.
void ReportWriter::go_to(const char* path) {
  const std::size_t common = common_length(path_, path);
  for (std::size_t end = std::strlen(path_); end > common;) {
    const unsigned bit = 1U << depth_of(path_, end);
    if ((open_elements_ & bit) != 0) out_.add("}");
    open_elements_ &= ~bit;
    out_.add(path_[end - 1] == ']' ? "]" : "}");
    first_ = false;
    while (end > common && path_[--end] != '.') {
    }
  }
  unsigned depth = depth_of(path, common);
  for (const char* at = path + common; *at != '\0';) {
    if (*at == '.') ++at;
    const auto length = static_cast<int>(std::strcspn(at, ".["));
    separate(depth++, false);
    out_.add("\"%.*s\": %c", length, at, at[length] == '[' ? '[' : '{');
    first_ = true;
    at += length + (at[length] == '[' ? 2 : 0);
  }
  path_ = path;
}

void ReportWriter::write_json(unsigned group) {
  const char* path = group_row(group).path;
  go_to(path);
  const FieldRange range = fields_of(group);
  const unsigned depth = depth_of(path, std::strlen(path));
  const bool bare = row_of(range.begin).key[0] == '\0';
  if (is_list(path)) {
    const unsigned bit = 1U << depth;
    if ((open_elements_ & bit) != 0) out_.add("}");
    separate(depth, false);
    if (!bare) {
      out_.add("{");
      open_elements_ |= bit;
      first_ = true;
    }
  }
  for (unsigned i = range.begin; i < range.end; ++i) {
    const Row& row = row_of(i);
    if (!values_[i].is_put() || (row.without & kJson) != 0) continue;
    if (!bare) {
      separate(depth, is_list(path));
      out_.add("\"%s\": ", row.key);
    }
    add_value(values_[i], out_);
  }
}

void ReportWriter::absent(GroupId group) {
  if (format_ != Format::kJson) return;
  go_to("");
  separate(0, false);
  out_.add("\"%s\": null", group_row(group.index).path);
}

}  // namespace muster
