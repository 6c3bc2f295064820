#include "preload/launcher/site_frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::launcher {
namespace {

std::string without_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void add_to(json& sites, CodePlaces& places, std::size_t most) {
  const std::size_t count = std::min(most, sites.size());
  for (std::size_t i = 0; i < count; ++i) sites[i]["frames"] = frames_of(places, sites[i]);
}

}  // namespace

json frames_of(CodePlaces& places, const json& site) {
  json frames = json::array();
  const auto file = site.at("object").get<std::string>();
  const auto offset = std::stoull(site.at("offset").get<std::string>(), nullptr, 16);
  for (const CodeFrame& frame : places.of_call(file, offset)) {
    frames.push_back({{"function", frame.function.empty() ? json(nullptr) : json(frame.function)},
                      {"file", frame.file.empty() ? json(nullptr) : json(frame.file)},
                      {"line", frame.line == 0 ? json(nullptr) : json(frame.line)}});
  }
  return frames;
}

std::string frame_text(const json& frame) {
  const std::string function =
      frame["function"].is_null() ? "?" : frame["function"].get<std::string>();
  if (frame["file"].is_null()) return function;
  return fmt::format("{} at {}:{}", function, frame["file"].get<std::string>(),
                     frame["line"].is_null() ? 0 : frame["line"].get<int>());
}

std::string site_text(const json& site) {
  const auto frames = site.find("frames");
  if (frames == site.end() || frames->empty()) {
    return without_folder(site.at("object").get<std::string>()) + "+" +
           site.at("offset").get<std::string>();
  }
  json frame = frames->front();
  if (!frame["file"].is_null()) frame["file"] = without_folder(frame["file"].get<std::string>());
  return frame_text(frame);
}

void add_frames(json& report, std::size_t most) {
  CodePlaces places;
  add_to(report.at("call_sites").at("sites"), places, most);
  if (json& efficiency = report.at("efficiency"); !efficiency.is_null()) {
    add_to(efficiency.at("regions"), places, most);
  }
}

}  // namespace muster::launcher
