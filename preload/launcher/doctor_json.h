// What `muster doctor` finds, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "preload/launcher/diagnosis.h"
#include "preload/launcher/survey.h"
#include "preload/launcher/thread_number.h"

namespace muster::launcher {

nlohmann::ordered_json doctor_json(const Diagnosis& diagnosis, const std::string& load,
                                   const ThreadNumber& threads,
                                   const std::vector<std::string>& missing);
nlohmann::ordered_json doctor_json(const Survey& found, const std::string& verdict);

}  // namespace muster::launcher
