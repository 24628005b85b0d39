// SPDX-License-Identifier: Apache-2.0
// Reading machine files.
#include "testbench/machine_file.h"

// Input must never end the program: the parser's internal assertions are compiled out, what they guard against is
// refused before.
#define TOML_ASSERT(x) static_assert(true)
#include <fmt/core.h>
#include <toml++/toml.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/presets.h"

namespace ecube {

namespace {

constexpr std::uintmax_t max_file_bytes = 1'000'000;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  std::istringstream stream{std::string(text)};
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

class Reader {
 public:
  Reader(std::string_view text, std::string where) : lines_(lines_of(text)), where_(std::move(where)) {}

  [[nodiscard]] Place place(const toml::source_region& region) const {
    const std::uint32_t line = region.begin.line;
    const bool one_line = region.end.line == line && region.end.column > region.begin.column;
    return {.where = where_,
            .line = line,
            .column = region.begin.column,
            .length = one_line ? region.end.column - region.begin.column : 1,
            .text = line >= 1 && line <= lines_.size() ? lines_[line - 1] : std::string()};
  }

  /// toml++ 3.3 reaches undefined behaviour on some bytes outside strings and comments; those are no TOML anyway.
  void refuse_strange_bytes() const {
    for (std::size_t number = 0; number < lines_.size(); ++number) {
      const std::string& line = lines_[number];
      char quote = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const auto byte = static_cast<unsigned char>(line[i]);
        const bool control = byte < 0x20 && byte != '\t';
        if (quote == 0 && line[i] == '#' && !control) break;
        if (control || byte == 0x7F || (byte >= 0x80 && quote == 0)) {
          throw ErrorText("this is not a machine file: a byte that TOML does not allow here")
              .at({where_, static_cast<std::uint32_t>(number + 1), static_cast<std::uint32_t>(i + 1), 1, ""})
              .error();
        }
        if (quote == 0 && (line[i] == '"' || line[i] == '\'')) {
          quote = line[i];
        } else if (quote == '"' && line[i] == '\\') {
          ++i;
        } else if (line[i] == quote) {
          quote = 0;
        }
      }
      // A key's or table's opening bracket with nothing behind it trips an assertion of the parser.
      const std::size_t bracket = line.find_first_not_of(" \t");
      if (bracket != std::string::npos && line[bracket] == '[' && line.find(']') == std::string::npos) {
        throw ErrorText("a table's name ends with ']'")
            .at({where_, static_cast<std::uint32_t>(number + 1), static_cast<std::uint32_t>(bracket + 1), 1, line})
            .error();
      }
    }
  }

  void collect(const toml::table& table, const std::string& prefix, std::vector<Setting>& settings) const {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (const toml::table* const inner = node.as_table()) {
        collect(*inner, name + ".", settings);
        continue;
      }
      const Origin origin{.layer = Layer::file, .key = place(key.source()), .value = place(node.source())};
      if ((name == "name" || name == "base") && !node.is_string()) {
        throw ErrorText(fmt::format("{} is a text", name)).at(origin.value, "write it in quotes").error();
      }
      if (const auto* const text = node.as_string()) {
        settings.push_back({name, text->get(), origin});
      } else if (const auto* const number = node.as_integer()) {
        settings.push_back({name, std::to_string(number->get()), origin});
      } else if (const auto* const real = node.as_floating_point()) {
        settings.push_back({name, fmt::format("{}", real->get()), origin});
      } else {
        throw ErrorText(fmt::format("the value of {} is neither a text nor a number", ecube::quoted(name)))
            .at(origin.value, "write \"value unit\"")
            .error();
      }
    }
  }

 private:
  std::vector<std::string> lines_;
  std::string where_;
};

}  // namespace

std::vector<Setting> parse_machine_file(std::string_view text, const std::string& where) {
  const Reader reader(text, where);
  reader.refuse_strange_bytes();
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw ErrorText(fmt::format("this is not TOML: {}", error.description())).at(reader.place(error.source())).error();
  }
  std::vector<Setting> own;
  reader.collect(table, "", own);
  if (own.empty()) {
    throw ErrorText(fmt::format("{} describes no machine", ecube::quoted(where)))
        .hint("write base = \"ideal\" and what differs from it")
        .error();
  }
  std::vector<Setting> settings;
  for (const Setting& setting : own) {
    if (setting.key != "base") continue;
    const Preset* const base = find_preset(setting.value);
    if (base == nullptr) {
      throw ErrorText(fmt::format("unknown machine {}", ecube::quoted(setting.value)))
          .at(setting.origin.value, preset_hint(setting.value))
          .valid(valid_machines())
          .error();
    }
    settings = preset_settings(*base);
  }
  for (Setting& setting : own) {
    if (setting.key != "base") settings.push_back(std::move(setting));
  }
  return settings;
}

std::vector<Setting> read_machine_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw InputError(fmt::format("{} is a directory", ecube::quoted(path)));
  if (!std::filesystem::exists(status)) {
    throw ErrorText(fmt::format("there is no machine file {}", ecube::quoted(path))).valid(valid_machines()).error();
  }
  if (!std::filesystem::is_regular_file(status)) throw InputError(fmt::format("{} is not a file", ecube::quoted(path)));
  if (std::filesystem::file_size(path, error) > max_file_bytes) {
    throw InputError(fmt::format("{} is larger than 1 MB, which no machine file is", ecube::quoted(path)));
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw InputError(fmt::format("{} cannot be read: {}", ecube::quoted(path), std::strerror(errno)));
  return parse_machine_file(text.str(), path);
}

std::vector<Setting> load_machine(const std::string& preset_or_path) {
  if (const Preset* const found = find_preset(preset_or_path)) return preset_settings(*found);
  const bool file = preset_or_path.find('/') != std::string::npos ||
                    (preset_or_path.size() > 5 && preset_or_path.ends_with(".toml")) ||
                    std::filesystem::exists(preset_or_path);
  return file ? read_machine_file(preset_or_path) : preset_settings(preset(preset_or_path));
}

}  // namespace ecube
