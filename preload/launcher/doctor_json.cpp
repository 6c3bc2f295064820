#include "preload/launcher/doctor_json.h"

namespace muster::launcher {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const OpenmpRuntime& runtime) {
  return {{"runtime", name_of(runtime.kind)},
          {"version", runtime.version},
          {"path", runtime.path.string()},
          {"replaced", is_replaced(runtime.kind)}};
}

ordered_json json_of(const Survey& found) {
  ordered_json runtimes = ordered_json::array();
  for (const RuntimeFound& entry : found.runtimes) {
    ordered_json row = json_of(entry.runtime);
    row["replaced"] = entry.problem.empty();
    row["problem"] = entry.problem;
    row["package"] = entry.package;
    row["callers"] = entry.callers;
    runtimes.push_back(row);
  }
  ordered_json inside = ordered_json::array();
  for (const StaticFound& entry : found.inside) {
    inside.push_back({{"path", entry.path.string()},
                      {"package", entry.package},
                      {"runtime", name_of(entry.kind)}});
  }
  ordered_json blas = ordered_json::array();
  for (const BlasFound& entry : found.blas) {
    blas.push_back({{"path", entry.path.string()}, {"package", entry.package}});
  }
  return {{"objects", found.objects},   {"openmp", runtimes},         {"static", inside},
          {"blas_with_pthreads", blas}, {"elsewhere", found.missing}, {"problems", found.problems}};
}

ordered_json paths(const std::vector<std::filesystem::path>& list) {
  ordered_json names = ordered_json::array();
  for (const auto& path : list) names.push_back(path.string());
  return names;
}

}  // namespace

ordered_json doctor_json(const Diagnosis& diagnosis, const std::string& load,
                         const ThreadNumber& threads, const std::vector<std::string>& missing) {
  ordered_json runtimes = ordered_json::array();
  for (const OpenmpRuntime& runtime : diagnosis.runtimes) runtimes.push_back(json_of(runtime));
  ordered_json imports = ordered_json::array();
  for (const Importer& importer : diagnosis.importers) {
    imports.push_back({{"path", importer.path.string()}, {"entries", importer.entries}});
  }
  ordered_json json = {{"works", diagnosis.works},
                       {"verdict", diagnosis.verdict},
                       {"program", diagnosis.program.file.string()},
                       {"scripts", diagnosis.program.scripts},
                       {"description", diagnosis.description},
                       {"loader", diagnosis.loader},
                       {"openmp", runtimes},
                       {"imports", imports},
                       {"blas_with_pthreads", paths(diagnosis.blas)},
                       {"preloads", diagnosis.preloads},
                       {"load", load},
                       {"threads", {{"auto", threads.threads}, {"reason", threads.reason}}},
                       {"missing", missing},
                       {"notes", diagnosis.notes},
                       {"problems", diagnosis.problems}};
  if (!diagnosis.package_folders.empty()) {
    json["python"] = json_of(diagnosis.packages);
    json["python"]["folders"] = paths(diagnosis.package_folders);
  }
  return json;
}

ordered_json doctor_json(const Survey& found, const std::string& verdict) {
  ordered_json json = {{"works", found.works()}, {"verdict", verdict}};
  json.update(json_of(found));
  return json;
}

}  // namespace muster::launcher
