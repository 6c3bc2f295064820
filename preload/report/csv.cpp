// The report as `section,name,detail,value` lines, for spreadsheets and scripts.
#include <cstring>

#include "preload/report/rows.h"

namespace muster {
namespace {

// Within quotes, as RFC 4180 has it.
void add_doubling_quotes(const char* text, TextBuffer& out) {
  for (const char* quote; (quote = std::strchr(text, '"')) != nullptr; text = quote + 1) {
    out.add_text(text, static_cast<std::size_t>(quote - text));
    out.add("\"\"");
  }
  out.add_text(text);
}

bool is_named_in(const char* pattern, unsigned group, unsigned field) {
  const char* end = pattern + std::strlen(pattern);
  for (Placeholder at = next_placeholder(pattern, end); at.begin != nullptr;
       at = next_placeholder(at.end, end)) {
    if (field_of(at, group, kFieldCount) == field) return true;
  }
  return false;
}

}  // namespace

// Quoted where it must be. `own`: the field whose line it is.
void ReportWriter::add_cell(const char* pattern, unsigned own) {
  const unsigned group = row_of(own).group;
  const FieldRange range = fields_of(group);
  bool quoted = false;
  for (unsigned i = range.begin; i < range.end; ++i) {
    if (values_[i].kind != Value::Kind::kText || !is_named_in(pattern, group, i)) continue;
    if (std::strpbrk(values_[i].text, ",\"\r\n") != nullptr) quoted = true;
  }
  if (quoted) out_.add("\"");
  const char* end = pattern + std::strlen(pattern);
  for (Placeholder at; (at = next_placeholder(pattern, end)).begin != nullptr; pattern = at.end) {
    out_.add_text(pattern, static_cast<std::size_t>(at.begin - pattern));
    NumberText buffer;
    if (at.is_number()) {
      out_.add("%u", elements_);
    } else if (at.key_length == 0) {
      out_.add_text(row_of(own).key);
    } else {
      add_doubling_quotes(plain(values_[field_of(at, group, own)], buffer), out_);
    }
  }
  out_.add("%s%s,", pattern, quoted ? "\"" : "");
}

void ReportWriter::write_csv(unsigned group) {
  const CsvCells& cells = group_row(group).csv;
  const FieldRange range = fields_of(group);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const Value& value = values_[i];
    if (value.is_null() || (row_of(i).without & kCsv) != 0) continue;
    if (is_named_in(cells.section, group, i) || is_named_in(cells.name, group, i) ||
        is_named_in(cells.detail, group, i)) {
      continue;
    }
    add_cell(cells.section, i);
    add_cell(cells.name, i);
    add_cell(cells.detail, i);
    NumberText buffer;
    if (value.kind == Value::Kind::kText) {
      out_.add("\"");
      add_doubling_quotes(value.text, out_);
      out_.add("\"\n");
    } else {
      out_.add("%s\n", plain(value, buffer));
    }
  }
}

}  // namespace muster
