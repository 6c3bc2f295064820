// The subcommands of `muster`. Each adds itself to the command line, with a callback that does the work.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace muster::launcher {

// The exit statuses of `muster` itself, as distinct from the program's.
inline constexpr int kWorks = 0;         // doctor: barriers would be replaced
inline constexpr int kWillNotWork = 1;   // doctor: they would not
inline constexpr int kOtherResults = 1;  // compare: an output or status differs with Muster
inline constexpr int kNotAllMerged = 1;  // merge: some files are not reports
inline constexpr int kNotWritten = 1;    // manual: a page cannot be written
inline constexpr int kUsage = 2;         // a bad value, an unknown option
// `run`: no libmuster.so (the status that env and timeout use).
inline constexpr int kLauncherFailed = 125;
inline constexpr int kCannotExecute = 126;  // run: found but not executable (as in shells)
inline constexpr int kNotFound = 127;       // run: no such command (as in shells)

// The words after `--`, if there is one. CLI11 would parse options among them.
using WordsAfterDashes = std::optional<std::vector<std::string>>;

// `status` is what main returns, unless the callback ends the process.
void add_run(CLI::App& app, const WordsAfterDashes& after, int& status);
void add_doctor(CLI::App& app, const WordsAfterDashes& after, int& status);
void add_compare(CLI::App& app, const WordsAfterDashes& after, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_top(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_fields(CLI::App& app, int& status);
void add_counters(CLI::App& app, int& status);
void add_sites(CLI::App& app, int& status);
void add_options(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);

}  // namespace muster::launcher
