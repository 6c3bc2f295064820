// Call sites of a report, resolved to function, file and line.
#pragma once

#include <string>

#include "preload/launcher/code_place.h"
#include "preload/launcher/report_file.h"

namespace muster::launcher {

// The frames of a call site (an object with `object` and `offset`), innermost first: objects with `function`, `file`
// and `line`, null where not known.
json frames_of(CodePlaces& places, const json& site);

// "relax at solver.c:118"
std::string frame_text(const json& frame);

// The innermost frame of a call site that has `frames`; otherwise its offset in its file. The file without its folder.
std::string site_text(const json& site);

// Adds `frames` to the first `most` call sites and regions of a report.
void add_frames(json& report, std::size_t most);

}  // namespace muster::launcher
