#include "sim/run_file.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace muster::sim {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// "value" as TOML; a bare word is a string.
toml::table parse_value(const std::string& setting, const std::string& value) {
  const auto attempt = [&](const std::string& text) {
    return toml::parse("value = " + text, fmt::format("--set {}", setting));
  };
  try {
    return attempt(value);
  } catch (const toml::parse_error&) {
  }
  try {
    return attempt("'" + value + "'");
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(fmt::format("--set {}: {}", setting, error.description()));
  }
}

// The message about a value from --set names the option in place of the file.
bool was_set(const toml::source_region& source) {
  return source.path && source.path->starts_with("--set ");
}

}  // namespace

std::int64_t RunTable::integer(const char* key, std::int64_t least, std::int64_t most) {
  require(key);
  const toml::node_view<const toml::node> node = at(key);
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < least || *value > most)
    fail_at(key, fmt::format("must be a whole number from {} to {}", least, most));
  return *value;
}

std::vector<std::int64_t> RunTable::integers(const char* key, std::int64_t least,
                                             std::int64_t most) {
  require(key);
  std::vector<std::int64_t> out;
  if (const toml::array* all = at(key).as_array()) {
    for (const toml::node& node : *all) {
      const auto value = node.value_exact<std::int64_t>();
      if (value && *value >= least && *value <= most) out.push_back(*value);
    }
    if (!out.empty() && out.size() == all->size()) return out;
  }
  fail_at(key,
          fmt::format("must be a list of whole numbers from {} to {}, as [1, 2]", least, most));
}

double RunTable::real(const char* key, double least, double most) {
  require(key);
  const toml::node_view<const toml::node> node = at(key);
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !(*value >= least && *value <= most))
    fail_at(key, fmt::format("must be a number from {} to {}", least, most));
  return *value;
}

RunTable RunTable::table(const char* key) {
  require(key);
  const toml::table* inner = at(key).as_table();
  if (inner == nullptr) fail_at(key, fmt::format("must be a table, [{}]", key));
  return {*inner, file_, fmt::format("[{}] ", key)};
}

std::vector<RunTable> RunTable::tables(const char* key) {
  require(key);
  const toml::array* all = at(key).as_array();
  if (all == nullptr || all->empty()) fail_at(key, fmt::format("must be tables, [[{}]]", key));
  std::vector<RunTable> out;
  for (const toml::node& node : *all) {
    if (!node.is_table()) fail_at(key, fmt::format("must be tables, [[{}]]", key));
    out.push_back({*node.as_table(), file_, fmt::format("[[{}]] ", key)});
  }
  return out;
}

void RunTable::end() const {
  for (const auto& [key, value] : *table_) {
    if (std::ranges::find(seen_, std::string(key.str())) != seen_.end()) continue;
    std::vector<std::string> known = seen_;
    std::ranges::sort(known);
    known.erase(std::ranges::unique(known).begin(), known.end());
    fail_at(value,
            fmt::format("unknown key {}; known here: {}", key.str(), fmt::join(known, ", ")));
  }
}

void RunTable::require(const char* key) const {
  if (!table_->contains(key)) fail_at(*table_, fmt::format("{} is missing", key));
}

std::optional<std::string> RunTable::word_set(const char* key) const {
  const toml::node* node = table_->get(key);
  if (node == nullptr || !node->is_value() || !was_set(node->source())) return std::nullopt;
  const std::string& setting = *node->source().path;
  return setting.substr(setting.find('=') + 1);
}

void RunTable::fail_at(const char* key, const std::string& what) const {
  const toml::node* node = table_->get(key);
  fail_at(node != nullptr ? *node : *table_, fmt::format("{} {}", key, what));
}

void RunTable::fail_at(const toml::node& node, const std::string& what) const {
  const toml::source_region& source = node.source();
  const std::string where =
      was_set(source) ? *source.path : fmt::format("{}:{}", file_, std::max(1U, source.begin.line));
  throw std::runtime_error(fmt::format("{}: {}{}", where, name_, what));
}

RunFile::RunFile(const std::filesystem::path& file, const std::vector<std::string>& settings)
    : file_(file.string()), root_(std::make_unique<toml::table>()) {
  if (!std::filesystem::is_regular_file(file))
    throw std::runtime_error(fmt::format("{}: no such file", file_));
  try {
    *root_ = toml::parse_file(file_);
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", file_, error.source().begin.line, error.description()));
  }
  for (const std::string& setting : settings) set(setting);
}

void RunFile::set(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::runtime_error(fmt::format("--set {}: must be key=value", setting));
  const std::vector<std::string> path = split(setting.substr(0, equals), '.');
  toml::table value = parse_value(setting, setting.substr(equals + 1));
  toml::node* node = root_.get();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    toml::node* inner = nullptr;
    if (toml::array* array = node->as_array()) {
      std::size_t index = 0;
      const auto [end, error] =
          std::from_chars(path[i].data(), path[i].data() + path[i].size(), index);
      if (error == std::errc() && end == path[i].data() + path[i].size()) inner = array->get(index);
    } else if (toml::table* table = node->as_table()) {
      inner = table->get(path[i]);
      if (inner == nullptr && i + 2 == path.size())
        inner = &table->insert(path[i], toml::table{}).first->second;
    }
    if (inner == nullptr)
      throw std::runtime_error(
          fmt::format("--set {}: there is no {} in {}", setting, path[i], file_));
    node = inner;
  }
  toml::table* table = node->as_table();
  if (table == nullptr)
    throw std::runtime_error(
        fmt::format("--set {}: {} is in no table of {}", setting, path.back(), file_));
  table->insert_or_assign(path.back(), std::move(*value.get("value")));
}

}  // namespace muster::sim
