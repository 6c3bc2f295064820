// The outputs of runs: hashes, figures, and files that are kept once.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "preload/launcher/compare/comparison.h"

namespace muster::launcher {

// A name as part of a file name: "4 threads, 2 hogs" -> "4-threads-2-hogs".
std::string file_word(const std::string& name);

// Fills in the hashes of the outputs and, if there is a pattern, the figure.
void read_outputs(const std::filesystem::path& output, unsigned copies, const std::string& pattern,
                  Run& run);

// The last number that the pattern finds in the text: its first group, or what follows the match.
std::optional<double> figure_in(const std::string& text, const std::string& pattern);

void remove_outputs(const std::filesystem::path& output, unsigned copies);

// The first file of each content.
using KeptFiles = std::map<std::string, std::filesystem::path>;

// Makes the file a hard link to an earlier one with the same content, so that equal outputs take their space once.
void link_if_equal(const std::filesystem::path& file, KeptFiles& kept);

}  // namespace muster::launcher
