// A JSON object as the programs print it: keys in the order in which they are written. Compiled once
// (json.cpp), since the library behind it takes longer to compile than any of the programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace epcc {

class Json {
 public:
  using Value = std::variant<std::nullptr_t, std::int64_t, std::uint64_t, double, std::string,
                             std::vector<int>, std::vector<std::uint64_t>, std::vector<double>,
                             std::vector<Json>>;
  struct Field;

  Json();
  Json(std::initializer_list<Field> fields);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  void add(const char* key, Value value);
  void add_object(const char* key, const Json& object);
  void add_all_of(const Json& other);
  void print() const;  // on standard output, indented, with a newline

 private:
  friend struct JsonWriter;
  std::vector<Field> fields_;
};

struct Json::Field {
  const char* key;
  Value value;
  bool is_object = false;  // its only element is the value
};

}  // namespace epcc
