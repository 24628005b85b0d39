// SPDX-License-Identifier: Apache-2.0
// Reading study files.
#include <fmt/core.h>

#include <cmath>
#include <set>

#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"
#include "testbench/command_line/command.h"
#include "testbench/machine/machine_file.h"
#include "testbench/sweep/study.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"
#include "testbench/text/toml_text.h"
#include "testbench/workloads/workload_list.h"

namespace ecube {

namespace {

constexpr unsigned max_repetitions = 1'000'000;
constexpr std::size_t max_axis_values = 1'000'000;

std::string typed(double value) { return fmt::format("{}", value + 0.0); }  // -0 is 0

/// Control characters, which could drive a terminal.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < ' ' || byte == 0x7F || (byte == 0xC2 && next < 0xA0)) return true;
  }
  return false;
}

class StudyReader {
 public:
  StudyReader(std::string_view text, const std::string& where, CodeInStudies code)
      : file_(text, where, "study"), code_(code) {}

  [[nodiscard]] Study read(std::string_view text) {
    Study study;
    study.text = std::string(text);
    check_keys(file_.table(), "a study",
               {"name", "description", "run", "machine", "seed", "repetitions", "time_limit_s", "workload", "set",
                "axis", "derived"});
    read_name(study);
    const toml::node* const run = file_.table().get("run");
    if (run == nullptr) {
      throw InputError(fmt::format("{} does not say what to run", ecube::quoted(file_.where())))
          .hint("write run = \"exchange\"")
          .valid(joined(run_names()));
    }
    study.run = text_of(*run, "run");
    const std::vector<std::string_view>& known = run_names();
    if (std::ranges::find(known, study.run) == known.end()) {
      throw InputError(fmt::format("nothing that can be run is called {}", ecube::quoted(study.run)))
          .at(file_.place(run->source()), did_you_mean(study.run, known))
          .valid(joined(known));
    }
    run_.emplace(study.run);
    read_machine(study);
    machine_settings_ = load_machine(study.machine);
    sets_clock_ = names_clock(file_.table());
    study.seed = whole("seed", 1, 0, std::uint64_t{1} << 62);
    study.repetitions = static_cast<unsigned>(whole("repetitions", 1, 1, max_repetitions));
    if (const auto* const limit = file_.table().get("time_limit_s")) {
      const auto seconds = limit->value<double>();
      constexpr double most_seconds = 1e9;
      if (!seconds || !(*seconds > 0 && *seconds <= most_seconds)) {
        refuse(*limit, "time_limit_s is a number of seconds above 0, at most 1000000000");
      }
      study.time_limit_s = *seconds;
    }
    if (const toml::table* const workload = table_of("workload")) collect(study, *workload, "", false);
    if (const toml::table* const set = table_of("set")) collect(study, *set, "", true);
    if (const toml::node* const node = file_.table().get("axis")) {
      const toml::array* const axes = node->as_array();
      if (axes == nullptr || !axes->is_array_of_tables()) refuse(*node, "axes are tables", "write [[axis]]");
      for (const toml::node& one : *axes) read_axis(study, *one.as_table());
    }
    study.derived = derived();
    const std::uint64_t points = count_points(study);
    if (points == 0) throw InputError(fmt::format("{} has no points", ecube::quoted(file_.where())));
    if (points > max_study_points) {
      throw InputError(fmt::format("{} has more than {} points", ecube::quoted(file_.where()), max_study_points))
          .hint("take fewer values on an axis, or make several studies");
    }
    return study;
  }

  [[nodiscard]] std::vector<DerivedColumn> derived() const {
    std::vector<DerivedColumn> columns;
    const toml::table* const table = table_of("derived");
    if (table == nullptr) return columns;
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
        throw InputError(fmt::format("{} is no name of a column", ecube::quoted(name)))
            .at(file_.place(key.source()), "small letters, digits and _");
      }
      const auto* const text = value.as_string();
      if (text == nullptr) refuse(value, "an expression is a text", "write it in quotes");
      columns.push_back({name, text->get(), file_.place(value.source())});
    }
    return columns;
  }

 private:
  /// Null where there is none.
  [[nodiscard]] const toml::table* table_of(const std::string& name) const {
    const toml::node* const node = file_.table().get(name);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) refuse(*node, fmt::format("{} is a table", name), fmt::format("write [{}]", name));
    return node->as_table();
  }

  void read_name(Study& study) const {
    study.name = std::filesystem::path(file_.where()).stem().string();
    if (const auto* const name = file_.table().get("name")) {
      study.name = text_of(*name, "name");
      // The name of a study becomes the name of a directory and of a job.
      if (study.name.empty() || study.name[0] == '.' || study.name.find('/') != std::string::npos) {
        refuse(*name, fmt::format("{} is no name of a study", ecube::quoted(study.name)),
               "a word without /, not beginning with a point");
      }
    }
    if (const auto* const words = file_.table().get("description")) {
      study.description = text_of(*words, "description", true);
    }
  }

  /// The machine of a study may be any file that its writer names, and others than the file's owner may see the errors:
  /// a file that is no machine file is refused without a word of its contents.
  void read_machine(Study& study) const {
    study.machine = "ideal";
    const toml::node* const node = file_.table().get("machine");
    if (node == nullptr) return;
    study.machine = text_of(*node, "machine");
    study.machine = file_of_study(file_.where(), study.machine).string();
    try {
      check_machine(load_machine(study.machine));
    } catch (const ContentError& error) {
      throw InputError(error.discreet())
          .at(file_.place(node->source()))
          .hint(fmt::format("what is wrong with it: ecube run barrier --machine {}", shell_word(study.machine)));
    } catch (const InputError& error) {
      throw InputError(error.what()).at(file_.place(node->source()));
    }
  }

  [[noreturn]] void refuse(const toml::node& node, const std::string& what, const std::string& hint = {}) const {
    throw InputError(what).at(file_.place(node.source()), hint);
  }

  void check_keys(const toml::table& table, const std::string& of, const std::vector<std::string_view>& known) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw InputError(fmt::format("unknown key {} of {}", ecube::quoted(name), of))
          .at(file_.place(key.source()), did_you_mean(name, known))
          .valid(joined(known));
    }
  }

  /// `lines`: it may have several.
  [[nodiscard]] std::string text_of(const toml::node& node, const std::string& name, bool lines = false) const {
    const auto* const text = node.as_string();
    if (text == nullptr) refuse(node, fmt::format("{} is a text", name), "write it in quotes");
    std::string shown = text->get();
    if (lines) std::ranges::replace(shown, '\n', ' ');
    if (has_control(shown)) refuse(node, fmt::format("{} has a control character", name), "letters and signs");
    return text->get();
  }

  [[nodiscard]] std::uint64_t whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                                    std::uint64_t most) const {
    const toml::node* const node = file_.table().get(name);
    if (node == nullptr) return fallback;
    const auto* const number = node->as_integer();
    if (number == nullptr || std::cmp_less(number->get(), least) || std::cmp_greater(number->get(), most)) {
      refuse(*node, fmt::format("{} is a whole number, {} .. {}", name, least, most));
    }
    return static_cast<std::uint64_t>(number->get());
  }

  [[nodiscard]] std::string value_of(const toml::node& node) const {
    if (node.is_string()) {
      std::string text = text_of(node, "a value");
      if (trimmed(text).empty()) refuse(node, "a value is empty", "leave the key out, or give it a value");
      // Behind an option the text would be taken for another option.
      const bool number = text.size() > 1 && (text[1] == '.' || (text[1] >= '0' && text[1] <= '9'));
      if (text.starts_with('-') && !number) refuse(node, "a value does not begin with '-'", "numbers do");
      return text;
    }
    if (const auto* const number = node.as_integer()) return std::to_string(number->get());
    if (const auto* const real = node.as_floating_point()) {
      if (!std::isfinite(real->get())) refuse(node, "a value is a finite number");
      return typed(real->get());
    }
    refuse(node, "a value is a text or a number");
  }

  /// InputError for code where that is refused.
  void note(Study& study, const toml::node& node, const std::string& key, std::string& value) const {
    if (code_ == CodeInStudies::refused && names_code(key, value)) {
      refuse(node,
             fmt::format("this study {} and runs the {} {}", key == "program" ? "compiles" : "builds", key,
                         ecube::quoted(value)),
             fmt::format("read the {}; then add --allow-code", key));
    }
    note_file(study, file_.where(), key, value);
  }

  /// Notes how a number is written, where that is not its one spelling.
  [[nodiscard]] std::string read_value(Study& study, const std::string& key, const toml::node& node) const {
    std::string value = value_of(node);
    const auto* const number = node.as_integer();
    if (key == "dim" && (number == nullptr || number->get() < 1 || number->get() > 20)) {
      refuse(node, "dim is a whole number, 1 .. 20");
    }
    if (!node.is_number()) return value;
    if (std::string written = file_.written(node); written != value) study.written[{key, value}] = std::move(written);
    return value;
  }

  void check_key(const std::string& key, const Place& place) {
    const bool machine = find_option(key) != nullptr || is_parameter(key);
    if (!machine && !is_option(key)) {
      std::vector<std::string_view> known(run_->names.begin(), run_->names.end());
      for (const Option& option : options()) known.emplace_back(option.key);
      const std::string parameter(parameter_of_old_option(key));
      throw InputError(fmt::format("{} is neither an option of this run nor a machine parameter", ecube::quoted(key)))
          .at(place, parameter.empty() ? did_you_mean(key, known) : "the machine parameter is " + parameter)
          .valid(joined(run_->names) + " | machine parameters as in ecube machines --options");
    }
    // The options of a run that stand for machine parameters.
    for (const auto& [option, parameter] : {std::pair("ports", "node.ports"), {"topology", "network.topology"}}) {
      const std::string_view other = key == option ? parameter : key == parameter ? option : "";
      if (!used_.contains(other)) continue;
      throw InputError(fmt::format("{} and {} are one parameter", ecube::quoted(key), ecube::quoted(other)))
          .at(place, "say it once");
    }
    if (!used_.insert(key).second) {
      throw InputError(fmt::format("{} has a value already", ecube::quoted(key))).at(place, "say it once");
    }
  }

  void collect(Study& study, const toml::table& table, const std::string& prefix, bool machine) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      const bool parameters = name == "param" && is_parameter("param.");
      if (const toml::table* const inner = node.as_table(); inner != nullptr && (machine || parameters)) {
        collect(study, *inner, name + ".", machine);
        continue;
      }
      check_key(name, file_.place(key.source()));
      study.fixed.push_back({name, read_value(study, name, node)});
      (void)spell(study, name, study.fixed.back().value);
      note(study, node, name, study.fixed.back().value);
    }
  }

  void read_axis(Study& study, const toml::table& table) {
    check_keys(table, "an axis", {"key", "keys", "values", "linear", "log2", "all"});
    StudyAxis axis;
    const auto add_key = [&](const toml::node& key, const char* name) {
      axis.keys.push_back(text_of(key, name));
      check_key(axis.keys.back(), file_.place(key.source()));
    };
    if (const toml::node* const key = table.get("key")) {
      add_key(*key, "key");
    } else if (const toml::node* const keys = table.get("keys"); keys != nullptr && keys->is_array()) {
      for (const toml::node& one : *keys->as_array()) add_key(one, "a key");
    }
    if (axis.keys.empty())
      refuse(table, "an axis has a key", "write key = \"bytes\", or keys = [...] for paired values");
    const auto given = [&table](const char* way) { return table.get(way) != nullptr; };
    if (std::ranges::count_if(std::array{"values", "linear", "log2", "all"}, given) != 1)
      refuse(table, "an axis has its values in one way: values, linear, log2 or all");
    if (const toml::node* const values = table.get("values")) read_values(study, axis, *values);
    if (const toml::node* const range = table.get("linear")) read_range(study, axis, *range, false);
    if (const toml::node* const range = table.get("log2")) read_range(study, axis, *range, true);
    if (const toml::node* const all = table.get("all")) {
      const std::string what = text_of(*all, "all");
      const bool partitions = what == "partitions" && axis.keys == std::vector<std::string>{"partition"};
      const bool strategies = what == "strategies" && axis.keys == std::vector<std::string>{"strategy"};
      if (!partitions && !strategies) {
        refuse(*all, "all is for partitions and strategies",
               "key = \"partition\" with all = \"partitions\", or key = \"strategy\" with all = \"strategies\"");
      }
      axis.kind = partitions ? StudyAxis::Kind::partitions : StudyAxis::Kind::strategies;
    }
    // Axes that depend on the network come after that of the network.
    if (axis.kind == StudyAxis::Kind::listed) {
      const auto depends = [](const StudyAxis& other) { return other.kind != StudyAxis::Kind::listed; };
      const auto network = std::find_if(axis.keys.begin(), axis.keys.end(), names_network);
      if (network != axis.keys.end() && std::ranges::any_of(study.axes, depends)) {
        refuse(table, "the axis of " + *network + " comes before those of all partitions or strategies", "move it up");
      }
    }
    for (std::vector<std::string>& place : axis.values) {
      for (std::size_t i = 0; i < place.size(); ++i) note(study, table, axis.keys[i], place[i]);
    }
    study.axes.push_back(std::move(axis));
  }

  [[nodiscard]] bool is_parameter(const std::string& key) const {
    return key.starts_with("param.") && is_option("param");
  }
  [[nodiscard]] bool is_option(const std::string& key) const {
    return std::ranges::find(run_->names, key) != run_->names.end();
  }

  /// Whether a table has a clock of the machine as a key or as a value of `key` or `keys`, at any depth; `above`: the
  /// key of a table, and a point: core.clock.
  static bool names_clock(const toml::node& node, const std::string& above = {}) {
    const auto is_clock = [](std::string_view key) {
      const Option* const option = find_option(key);
      return option != nullptr && option->kind == OptionKind::frequency;
    };
    if (const auto* const text = node.as_string()) return is_clock(text->get());
    const auto names = [](const toml::node& one) { return names_clock(one); };
    if (const auto* const list = node.as_array()) return std::any_of(list->begin(), list->end(), names);
    const toml::table* const table = node.as_table();
    return table != nullptr && std::any_of(table->begin(), table->end(), [&](const auto& entry) {
             const std::string key(entry.first.str());
             return is_clock(key) || is_clock(above + key) || names_clock(entry.second, key + ".");
           });
  }

  /// Notes the one spelling of a value, and returns it. Where the study sets a clock, times and cycles are different
  /// things on each of its machines, and parameters stay as they are.
  std::string spell(Study& study, const std::string& key, const std::string& value) {
    std::string spelled = value;
    // A key that is another spelling of a parameter stays as it is: several of its values may be one of the parameter.
    if (const Option* const parameter = find_option(key);
        parameter != nullptr && parameter->same_as.empty() && !sets_clock_) {
      try {
        std::vector<Setting> settings = machine_settings_;
        settings.push_back(parse_set(key + "=" + value));
        spelled = parameter->write(*parameter, resolve(settings));
      } catch (const InputError&) {  // the point is refused, or fits another machine of the study
      }
    } else if (parameter == nullptr && is_option(key)) {
      spelled = run_->command.spelling(key, value);
    }
    if (spelled != value) study.spelling[{key, value}] = spelled;
    return spelled;
  }

  void read_values(Study& study, StudyAxis& axis, const toml::node& node) {
    const toml::array* const list = node.as_array();
    if (list == nullptr || list->empty()) refuse(node, "an axis has at least one value", "write values = [1, 2, 4]");
    if (list->size() > max_axis_values) refuse(node, fmt::format("an axis has at most {} values", max_axis_values));
    axis.quoted.assign(axis.keys.size(), false);
    std::map<std::vector<std::string>, const toml::node*> first;
    for (const toml::node& one : *list) {
      std::vector<std::string>& place = axis.values.emplace_back();
      const toml::array* const group = axis.keys.size() == 1 ? nullptr : one.as_array();
      if (axis.keys.size() > 1 && (group == nullptr || group->size() != axis.keys.size())) {
        refuse(one, fmt::format("paired values have one for each of the {} keys", axis.keys.size()));
      }
      std::vector<std::string> spelled;
      for (std::size_t i = 0; i < axis.keys.size(); ++i) {
        const toml::node& value = group == nullptr ? one : (*group)[i];
        place.push_back(read_value(study, axis.keys[i], value));
        if (value.is_string()) axis.quoted[i] = true;
        spelled.push_back(spell(study, axis.keys[i], place[i]));
      }
      const auto [same, is_new] = first.emplace(std::move(spelled), &one);
      if (!is_new) refuse_twice(axis, *same->second, one, place);
    }
  }

  [[noreturn]] void refuse_twice(const StudyAxis& axis, const toml::node& before, const toml::node& now,
                                 const std::vector<std::string>& place) const {
    const auto text = [&](const toml::node& node) {
      const toml::array* const group = node.as_array();
      std::string all;
      for (std::size_t i = 0; i < place.size(); ++i) {
        all += (i == 0 ? "" : ", ") + file_.written(group != nullptr ? (*group)[i] : node);
      }
      return group != nullptr ? "[" + all + "]" : all;
    };
    refuse(
        now,
        fmt::format("{} and {} are the same place on the axis of {}", text(before), text(now), joined(axis.keys, ", ")),
        fmt::format("line {} has it already: each value once", before.source().begin.line));
  }

  void read_range(Study& study, StudyAxis& axis, const toml::node& node, bool doubling) {
    const toml::table* const range = node.as_table();
    if (axis.keys.size() != 1) refuse(node, "paired keys have their values written down");
    if (range == nullptr) refuse(node, "a range is a table", "write { from = 1, to = 64 }");
    check_keys(*range, "a range", {"from", "to", "step", "unit"});
    const auto number = [&](const char* name, double fallback) {
      const toml::node* const value = range->get(name);
      if (value == nullptr) {
        if (fallback > 0) return fallback;
        refuse(node, fmt::format("a range has {}", name));
      }
      const auto real = value->value<double>();
      if (!real || !std::isfinite(*real)) refuse(*value, fmt::format("{} is a number", name));
      return *real;
    };
    std::string unit;
    if (const toml::node* const word = range->get("unit")) unit = " " + text_of(*word, "unit");
    const double from = number("from", 0);
    const double to = number("to", 0);
    const double step = number("step", doubling ? 2 : 1);
    if (from > to) refuse(node, "this range is empty", "from is above to");
    if (doubling ? !(from > 0 && step > 1) : !(step > 0)) {
      refuse(node, doubling ? "a log2 range begins above 0 and multiplies by more than 1" : "a step is above 0");
    }
    // The last value may be off by the rounding of the steps.
    constexpr double of_a_step = 1e-9;
    constexpr double of_a_number = 1e-15;
    const double last = doubling ? to * (1 + of_a_step) : to + std::max(step * of_a_step, std::abs(to) * of_a_number);
    const double steps = doubling ? std::log(last / from) / std::log(step) : (last - from) / step;
    double value = from;
    std::string before;  // in its one spelling
    for (std::size_t i = 0; value <= last; ++i) {
      std::string text = typed(value) + unit;
      std::string spelled = spell(study, axis.keys.front(), text);
      if (spelled == before) {
        refuse(node, fmt::format("values {} and {} of this range are both {}", i, i + 1, ecube::quoted(spelled)),
               "take larger steps: each value once");
      }
      if (i > 0 && !(steps < max_axis_values)) {
        refuse(node, fmt::format("an axis has at most {} values", max_axis_values));
      }
      before = std::move(spelled);
      axis.values.push_back({std::move(text)});
      if (axis.keys.front() == "dim" && (value < 1 || value > 20 || value != std::floor(value))) {
        refuse(node, "dim is a whole number, 1 .. 20");
      }
      value = doubling ? value * step : from + static_cast<double>(i + 1) * step;
    }
  }

  TomlText file_;
  CodeInStudies code_;
  std::optional<RunOptions> run_;
  std::vector<Setting> machine_settings_;
  bool sets_clock_ = false;
  std::set<std::string, std::less<>> used_;
};

}  // namespace

Study parse_study(std::string_view text, const std::string& where, CodeInStudies code) {
  return StudyReader(text, where, code).read(text);
}

std::vector<DerivedColumn> parse_derived(std::string_view text, const std::string& where) {
  return StudyReader(text, where, CodeInStudies::refused).derived();
}

Study read_study(const std::string& path, CodeInStudies code) {
  return parse_study(read_text(path, "study", max_toml_bytes), path, code);
}

}  // namespace ecube
