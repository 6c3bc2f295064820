// Writes a report in one of its formats, from values that are put under the fields' names. Used by libmuster.so at
// the end of a process and by `muster merge`: no allocator, no C++ library. No floating point, which would trap in a
// program that unmasked its exceptions.
#pragma once

#include <concepts>
#include <cstdint>

#include "preload/report/fields.h"
#include "preload/report/text_buffer.h"

namespace muster {

// A factor; 1 if the whole is 0.
struct Ratio {
  std::uint64_t part = 1;
  std::uint64_t whole = 1;

  std::uint64_t of(std::uint64_t value) const {
    if (whole == 0) return value;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(value) * part / whole);
  }
};

// A field's value. Empty text is null; text is not copied.
class Value {
 public:
  enum class Kind : std::uint8_t { kNotPut, kNull, kText, kFlag, kCount, kNumber, kMillionths };

  Value() = default;
  Value(std::nullptr_t) : kind(Kind::kNull) {}
  Value(const char* value)
      : kind(value != nullptr && *value != '\0' ? Kind::kText : Kind::kNull), text(value) {}
  Value(bool value) : kind(Kind::kFlag), count(value ? 1 : 0) {}
  Value(std::unsigned_integral auto value) : kind(Kind::kCount), count(value) {}
  Value(std::signed_integral auto value) : kind(Kind::kNumber), number(value) {}
  Value(Ratio ratio) : kind(Kind::kMillionths), count((ratio.of(10'000'000) + 5) / 10) {}
  Value(double value) = delete;        // it would become a flag
  static Value of(const char* text) {  // also where it is empty
    Value value(text);
    value.kind = Kind::kText;
    return value;
  }

  bool is_put() const { return kind != Kind::kNotPut; }
  bool is_null() const { return kind <= Kind::kNull; }
  bool is_null_or_zero() const { return is_null() || (kind != Kind::kText && count == 0); }

  Kind kind = Kind::kNotPut;
  union {
    std::uint64_t count = 0;
    std::int64_t number;
    const char* text;
  };
};

inline constexpr unsigned kGroupCount = sizeof(report_rows::kGroups) / sizeof(Group);
inline constexpr unsigned kFieldCount = sizeof(report_rows::kFields) / sizeof(Field);

namespace report_rows {
// Compares up to the ends of both, a dot being one of `left`.
consteval bool is_named(const char* left, const char* right, char end) {
  while (*left == *right && *left != '\0' && *left != end) ++left, ++right;
  return (*left == '\0' || *left == end) && *right == '\0';
}

void no_such_row();  // not constexpr: a call at compile time does not compile

consteval unsigned group_of(const char* field) {
  for (unsigned i = 0; i < kGroupCount; ++i) {
    if (is_named(field, kGroups[i].name, '.')) return i;
  }
  no_such_row();
  return 0;
}

consteval unsigned field_index(const char* name) {
  for (unsigned i = 0; i < kFieldCount; ++i) {
    if (is_named(kFields[i].name, name, '\0')) return i;
  }
  no_such_row();
  return 0;
}
}  // namespace report_rows

// Names that have no row do not compile.
struct FieldId {
  consteval FieldId(const char* name) : index(report_rows::field_index(name)) {}
  explicit constexpr FieldId(unsigned row) : index(row) {}
  unsigned index;
};
struct GroupId {
  consteval GroupId(const char* name) : index(report_rows::group_of(name)) {}
  explicit constexpr GroupId(unsigned row) : index(row) {}
  unsigned index;
};

enum class Format { kText, kJson, kCsv };

class ReportWriter {
 public:
  ReportWriter(Format format, TextBuffer& out);

  // CSV has a line for each reason and entry point, also for those that did not occur.
  bool lists_zeros() const { return format_ == Format::kCsv; }
  // The text is without some figures that are zero on most machines.
  bool leaves_out_zeros() const { return format_ == Format::kText; }

  void put(FieldId field, const Value& value) { values_[field.index] = value; }
  // What was put of the group since the last time: as its object, or as the next element of its list.
  void write(GroupId group);
  void end(GroupId list);      // after the last element
  void absent(GroupId group);  // null
  void finish();

 private:
  void write_text(unsigned group);
  void add_shown(const char* pattern, std::size_t length, unsigned own);
  void write_csv(unsigned group);
  void add_cell(const char* pattern, unsigned own);
  void write_json(unsigned group);
  void go_to(const char* path);
  void separate(unsigned depth, bool in_line);

  Format format_;
  TextBuffer& out_;
  Value values_[kFieldCount];
  unsigned elements_ = 0;       // of the list that is being written
  unsigned shown_ = 0;          // of them, in the text
  const char* path_ = "";       // of the object or list that is open in JSON
  unsigned open_elements_ = 0;  // of lists, a bit for each depth
  bool first_ = true;           // nothing follows the last opening bracket
};

}  // namespace muster
