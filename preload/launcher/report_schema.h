// The JSON Schema (draft 7) of reports and merged reports, made from the rows of fields.h.
#pragma once

#include <nlohmann/json.hpp>

namespace muster::launcher {

nlohmann::ordered_json report_schema();

}  // namespace muster::launcher
