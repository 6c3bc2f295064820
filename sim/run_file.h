// TOML files that say what is simulated: machines and runs. Every key must be known, since a misspelt one
// would leave a value at its default; what is wrong is said with the file, the line, the key and what is
// allowed.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster::sim {

// Errors are std::runtime_error, their text "file:line: [table] key what".
class RunTable {
 public:
  bool has(const char* key) const { return table_->contains(key); }
  template <class T>
  T get(const char* key) {
    require(key);
    auto value = at(key).template value<T>();
    if constexpr (std::is_same_v<T, std::string>) {
      if (!value) value = word_set(key);
    }
    if (!value) fail_at(key, "is of the wrong kind");
    return *value;
  }
  // A number from `least` to `most`, both included.
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most);
  double real(const char* key, double least, double most);
  // [2, 1, 1]: at least one, each in the same range.
  std::vector<std::int64_t> integers(const char* key, std::int64_t least, std::int64_t most);
  std::int64_t integer_or(const char* key, std::int64_t least, std::int64_t most,
                          std::int64_t otherwise) {
    return has(key) ? integer(key, least, most) : otherwise;
  }
  double real_or(const char* key, double least, double most, double otherwise) {
    return has(key) ? real(key, least, most) : otherwise;
  }
  bool flag_or(const char* key, bool otherwise) {
    if (!has(key)) return otherwise;
    const auto value = at(key).value_exact<bool>();  // 2 is none
    if (!value) fail_at(key, "is of the wrong kind: true or false");
    return *value;
  }

  // One of several words.
  template <class T>
  T choice(const char* key, std::initializer_list<std::pair<const char*, T>> choices) {
    const auto word = get<std::string>(key);
    std::string allowed;
    for (const auto& [name, value] : choices) {
      if (word == name) return value;
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", name);
    }
    fail_at(key, fmt::format("cannot be \"{}\"; allowed: {}", word, allowed));
  }

  // [key], and each of [[key]]. The latter at least one.
  RunTable table(const char* key);
  std::vector<RunTable> tables(const char* key);

  // To be called once everything has been read: fails for a key that was not read.
  void end() const;
  [[noreturn]] void fail_at(const char* key, const std::string& what) const;
  // Where the table begins, for errors that concern several keys.
  [[noreturn]] void fail(const std::string& what) const { fail_at(*table_, what); }

 private:
  friend class RunFile;
  RunTable(const toml::table& table, std::string file, std::string name = "")
      : table_(&table), file_(std::move(file)), name_(std::move(name)) {}

  void require(const char* key) const;
  // A single value that came by --set, as it was written there: what looks like a number or a date may be a
  // word as well. Nothing for one of the file.
  std::optional<std::string> word_set(const char* key) const;
  [[noreturn]] void fail_at(const toml::node& node, const std::string& what) const;
  toml::node_view<const toml::node> at(const char* key) {
    seen_.emplace_back(key);
    return (*table_)[key];
  }

  const toml::table* table_;
  std::string file_;
  std::string name_;
  std::vector<std::string> seen_;
};

class RunFile {
 public:
  // Each of `settings` is "key=value", "table.key=value" or "table.0.key=value" for the first of
  // [[table]]; the value as TOML has it, where a word needs no quotes, nor does a number that is meant as one.
  // Overrides what the file says.
  explicit RunFile(const std::filesystem::path& file,
                   const std::vector<std::string>& settings = {});
  RunTable root() const { return {*root_, file_}; }

 private:
  void set(const std::string& setting);

  std::string file_;
  std::unique_ptr<toml::table> root_;
};

}  // namespace muster::sim
