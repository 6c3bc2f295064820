// The rows of fields.h as the writer uses them: without the meanings, which libmuster.so need not hold.
#pragma once

#include <cstddef>

#include "preload/report/writer.h"

namespace muster {

struct Row {
  const char* key;
  const char* text;
  unsigned group;
  Unit unit;
  Merge merge;
  Without without;
};

struct FieldRange {
  unsigned begin;
  unsigned end;
};

const Row& row_of(unsigned field);
const Group& group_row(unsigned group);  // its meaning is null
FieldRange fields_of(unsigned group);

inline bool is_list(const char* path) {
  const std::size_t length = __builtin_strlen(path);
  return length != 0 && path[length - 1] == ']';
}

// The next {} of a pattern, and what stands before it.
struct Placeholder {
  const char* begin = nullptr;  // of "{"; null: there is none
  const char* end = nullptr;    // behind "}"
  const char* key = nullptr;
  std::size_t key_length = 0;
  int width = 0;  // as printf's * takes it

  bool is_number() const { return key_length == 1 && *key == '#'; }
};
Placeholder next_placeholder(const char* begin, const char* end);

// The field of the group that the placeholder names, `own` where it is {}.
unsigned field_of(const Placeholder& placeholder, unsigned group, unsigned own);

// A value as text, numbers with a dot whatever the program's locale. Not null.
using NumberText = char[48];
const char* plain(const Value& value, NumberText& buffer);                // as CSV and JSON have it
const char* readable(const Value& value, Unit unit, NumberText& buffer);  // "1.25 ms"

}  // namespace muster
