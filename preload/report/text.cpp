// The report for people.
#include <cstring>

#include "preload/report/rows.h"

namespace muster {

// `own`: the field whose text it is.
void ReportWriter::add_shown(const char* pattern, std::size_t length, unsigned own) {
  const char* end = pattern + length;
  for (const char* begin = pattern;;) {
    const Placeholder at = next_placeholder(begin, end);
    out_.add_text(begin, static_cast<std::size_t>((at.begin != nullptr ? at.begin : end) - begin));
    if (at.begin == nullptr) return;
    begin = at.end;
    const unsigned field = field_of(at, row_of(own).group, own);
    NumberText buffer;
    out_.add("%*s", at.width, readable(values_[field], row_of(field).unit, buffer));
  }
}

void ReportWriter::write_text(unsigned index) {
  const Group& group = group_row(index);
  const FieldRange range = fields_of(index);
  for (unsigned i = range.begin; i < range.end; ++i) {
    if (std::strcmp(row_of(i).key, group.shown.only_if) != 0 || !values_[i].is_null_or_zero())
      continue;
    if (!is_list(group.path)) out_.add_text(group.shown.otherwise);
    return;
  }
  if (++shown_ > group.shown.most) return;
  if (shown_ == 1) out_.add_text(group.shown.heading);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const char* text = row_of(i).text;
    const Value& value = values_[i];
    const std::size_t length = std::strcspn(text, "|");
    if (!value.is_null() && (value.kind != Value::Kind::kFlag || value.count != 0)) {
      add_shown(text, length, i);
    } else if (text[length] == '|') {
      add_shown(text + length + 1, std::strlen(text + length + 1), i);
    }
  }
  if (!is_list(group.path)) shown_ = 0;
}

}  // namespace muster
