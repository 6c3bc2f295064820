#include "epcc/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace epcc {

struct JsonWriter {
  static nlohmann::ordered_json written(const Json& object) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const Json::Field& field : object.fields_) out[field.key] = written(field);
    return out;
  }
  static nlohmann::ordered_json written(const Json::Field& field) {
    return std::visit(
        [&](const auto& value) -> nlohmann::ordered_json {
          if constexpr (std::is_same_v<decltype(value), const std::vector<Json>&>) {
            if (field.is_object) return written(value.front());
            nlohmann::ordered_json out = nlohmann::ordered_json::array();
            for (const Json& element : value) out.push_back(written(element));
            return out;
          } else {
            return value;
          }
        },
        field.value);
  }
};

Json::Json() = default;
Json::Json(std::initializer_list<Field> fields) : fields_(fields) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

void Json::add(const char* key, Value value) { fields_.push_back({key, std::move(value)}); }

void Json::add_object(const char* key, const Json& object) {
  fields_.push_back({key, std::vector<Json>{object}, true});
}

void Json::add_all_of(const Json& other) {
  for (const Field& field : other.fields_) fields_.push_back(field);
}

void Json::print() const { fmt::print("{}\n", JsonWriter::written(*this).dump(2)); }

}  // namespace epcc
