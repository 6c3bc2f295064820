#include "preload/launcher/report_schema.h"

#include <sstream>
#include <string>

#include "preload/report/rows.h"

namespace muster::launcher {
namespace {

using json = nlohmann::ordered_json;

json of_type(const char* type, bool may_be_null = false) {
  return {{"type", may_be_null ? json::array({type, "null"}) : json(type)}};
}

json empty_object() {
  json object = of_type("object");
  object["additionalProperties"] = false;
  object["required"] = json::array();
  object["properties"] = json::object();
  return object;
}

void add_property(json& object, const std::string& key, json property) {
  object["required"].push_back(key);
  object["properties"][key] = std::move(property);
}

json list_of(json element) {
  json list = of_type("array");
  list["items"] = std::move(element);
  return list;
}

// Merged reports have means of times, too.
json value_of(const Field& field, bool is_mean = false) {
  const bool may_be_null = (field.without & kNull) != 0;
  const auto number = [&](const char* type) {
    json value = of_type(type, may_be_null);
    value["minimum"] = 0;
    return value;
  };
  switch (field.unit) {
    case Unit::kText:
      return of_type("string", may_be_null);
    case Unit::kFlag:
      return of_type("boolean", may_be_null);
    case Unit::kNumber:
      return of_type("integer", may_be_null);
    case Unit::kCount:
    case Unit::kNs:
    case Unit::kUs:
    case Unit::kMs:
    case Unit::kMilliCpu:
      return number(is_mean ? "number" : "integer");
    case Unit::kRatio:
      return number("number");
    case Unit::kPercent: {
      json value = number("number");
      value["maximum"] = 1;
      return value;
    }
  }
  return {};
}

// How many reports have each value.
json tally_of(const char* key) {
  json element = empty_object();
  add_property(element, key, of_type("string"));
  add_property(
      element, "reports",
      value_of({.name = "", .unit = Unit::kCount, .merge = {}, .text = "", .meaning = ""}));
  return list_of(std::move(element));
}

enum class Of { kProcess, kMerged };

// Whether the group's own elements have the field.
bool has(Of which, const Group& group, const Field& field) {
  if ((field.without & kJson) != 0) return false;
  if (which == Of::kProcess) return field.merge != Merge::kReports;
  if (group.merged_only) return true;
  return field.merge != Merge::kNot && (field.merge != Merge::kTally ||
                                        &group == &report_rows::kGroups[GroupId("setting").index]);
}

// Merged reports have a group if there is something to add up in it.
bool has(Of which, const Group& group, FieldRange range) {
  if (which == Of::kProcess || group.merged_only)
    return group.merged_only == (which == Of::kMerged);
  for (unsigned i = range.begin; i < range.end; ++i) {
    const Merge merge = report_rows::kFields[i].merge;
    if (merge == Merge::kSum || merge == Merge::kTally) return true;
  }
  return false;
}

// The object in which the group's fields are, made if it is missing.
json& object_of(json& root, const Group& group) {
  json* object = &root;
  std::istringstream path(group.path);
  for (std::string name; std::getline(path, name, '.');) {
    const std::size_t length = name.find('[');
    const bool list = length != std::string::npos;
    name = name.substr(0, length);
    if (!(*object)["properties"].contains(name)) {
      add_property(*object, name, list ? list_of(empty_object()) : empty_object());
    }
    object = &(*object)["properties"][name];
    if (list) object = &(*object)["items"];
  }
  return *object;
}

json schema_of(Of which) {
  json root = empty_object();
  for (unsigned g = 0; g < kGroupCount; ++g) {
    const Group& group = report_rows::kGroups[g];
    const FieldRange range = fields_of(g);
    if (!has(which, group, range)) continue;
    json& object = object_of(root, group);
    if (*group.path != '\0') object["description"] = group.meaning;
    if (group.may_be_null) object["type"] = {"object", "null"};
    for (unsigned i = range.begin; i < range.end; ++i) {
      const Field& field = report_rows::kFields[i];
      if (!has(which, group, field)) continue;
      const bool tallied = which == Of::kMerged && field.merge == Merge::kTally;
      json value = tallied ? tally_of("value") : value_of(field, group.merged_only);
      value["description"] = field.meaning;
      if (*row_of(i).key == '\0') {
        object = std::move(value);
      } else {
        add_property(object, row_of(i).key, std::move(value));
      }
    }
  }
  return root;
}

json merged_schema() {
  json root = schema_of(Of::kMerged);
  json& properties = root["properties"];
  // In place of the object: its events, none where nobody counted.
  properties["counters"] = json(properties["counters"]["properties"]["events"]);
  add_property(root, "muster", of_type("string"));
  add_property(root, "format", of_type("integer"));
  add_property(root, "ranks", list_of(of_type("integer")));
  return root;
}

}  // namespace

json report_schema() {
  json process = schema_of(Of::kProcess);
  json merged = merged_schema();
  for (json* each : {&process, &merged}) (*each)["properties"]["format"]["const"] = kReportFormat;
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "A report of Muster, of one process or merged"},
          {"$comment", "Made from preload/report/fields.h by `muster fields --schema`."},
          {"type", "object"},
          {"if", {{"required", {"merged"}}}},
          {"then", {{"$ref", "#/definitions/merged"}}},
          {"else", {{"$ref", "#/definitions/process"}}},
          {"definitions", {{"process", std::move(process)}, {"merged", std::move(merged)}}}};
}

}  // namespace muster::launcher
