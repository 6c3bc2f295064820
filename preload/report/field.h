// What the rows of fields.h consist of.
#pragma once

#include <cstdint>

namespace muster {

enum class Unit : std::uint8_t {
  kText,
  kFlag,  // true or false; 1 or 0 in CSV
  kCount,
  kNumber,  // may be negative
  kNs,
  kUs,
  kMs,
  kMilliCpu,  // thousandths of a CPU
  kRatio,
  kPercent,  // 0 to 1 in JSON and CSV, 0 to 100 in the text
};

enum class Merge : std::uint8_t {
  kNot,
  kSum,
  kLargest,
  kKey,       // list elements whose keys are equal become one
  kTally,     // how many reports have each value
  kReports,   // of merged reports only: in how many reports the element has values
  kSpinRate,  // computed again, from spins_succeeded and waits
};

// What a field is not part of; kNull: it may be null.
enum Without : std::uint8_t { kNothing = 0, kJson = 1, kCsv = 2, kNull = 4 };

struct CsvCells {
  const char* section;
  const char* name;
  const char* detail;
};

// How the text shows a group.
struct Shown {
  const char* heading = "";    // before the first element
  const char* otherwise = "";  // where there is none
  const char* only_if = "";    // a field that must be neither null nor 0
  unsigned most = ~0U;         // elements
};

// A JSON object or a list of objects ("[]"), whose fields are written together. `name` is what the names of
// its fields begin with. `csv` has patterns for the first three cells of a line: {} is the field's key, {key} the
// value of another field of the group, {#} the element's number. A field that they name gets no line of its own.
struct Group {
  const char* name;
  const char* path;
  CsvCells csv;
  const char* meaning;
  Shown shown = {};
  bool merged_only = false;
  bool may_be_null = false;
};

// `text` is shown where the value is neither null nor false; what follows its '|', where it is. In it, {} is the
// value and {key} that of another field of the group; {:9} pads at the left, {:-9} at the right. A field without a
// key is a list's element itself.
struct Field {
  const char* name;
  Unit unit;
  Merge merge;
  const char* text;
  const char* meaning;
  Without without = kNothing;
};

}  // namespace muster
