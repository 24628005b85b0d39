// SPDX-License-Identifier: Apache-2.0
// Reading values by the type that a program has declared.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "testbench/program/program_library.h"

namespace ecube {

namespace {

struct TypeText {
  ParameterType type;
  std::string_view name;
  std::string_view valid;
};

constexpr TypeText types[] = {
    {ParameterType::whole, "whole number", "a whole number, as 100"},
    {ParameterType::real, "number", "a number, as 0.5"},
    {ParameterType::size, "size", "a size, as 100 B or 4 KB (1 KB = 1,024 B); bytes without a unit"},
    {ParameterType::time, "time", "a time, as 10 us or 400 cycles"},
    {ParameterType::text, "text", "a text"},
    {ParameterType::file, "file", "a file"},
    {ParameterType::flag, "flag", "on | off"},
};

const TypeText& text_of(ParameterType type) {
  return *std::find_if(std::begin(types), std::end(types), [type](const TypeText& one) { return one.type == type; });
}

/// `text` as one of these numbers, without a rest.
template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

ParameterValue value_of(const Parameter& parameter, const std::string& text, const ProgramEntry& program,
                        const Machine& machine) {
  const auto refuse = [&](std::string_view why, std::string_view hint = {}) {
    throw InputError(fmt::format("--param {}={} {}", parameter.name, ecube::quoted(text), why))
        .hint(hint)
        .hint(fmt::format("{} of {}: {}", parameter.name, program.name, parameter.help))
        .valid(text_of(parameter.type).valid);
  };
  const auto checked = [&](const auto& value) {
    if (!value) refuse(value.problem().message, value.problem().hint);
    return static_cast<std::int64_t>(*value);
  };
  ParameterValue value{.type = parameter.type, .text = text};
  switch (parameter.type) {
    case ParameterType::whole:
      if (!read_number(text, value.whole)) refuse("is no whole number");
      break;
    case ParameterType::real:
      if (!read_number(text, value.real) || !std::isfinite(value.real)) refuse("is no number");
      if (value.real < parameter.least_real || value.real > parameter.most_real) {
        throw InputError(fmt::format("--param {}={} is out of range", parameter.name, text))
            .valid(std::isinf(parameter.most_real) ? fmt::format("{} or more", parameter.least_real)
                   : std::isinf(parameter.least_real)
                       ? fmt::format("{} or less", parameter.most_real)
                       : fmt::format("{} .. {}", parameter.least_real, parameter.most_real));
      }
      return value;
    case ParameterType::size:
      if (!read_number(text, value.whole)) value.whole = checked(parse_size(text));
      break;
    case ParameterType::time:
      value.whole = checked(parse_cycles(text, machine.clock_hz));
      break;
    case ParameterType::flag:
      if (text != "on" && text != "off") refuse("is neither on nor off");
      value.whole = text == "on" ? 1 : 0;
      return value;
    case ParameterType::text:
    case ParameterType::file:
      return value;
  }
  if (value.whole < parameter.least || value.whole > parameter.most) {
    const bool open = parameter.most == std::numeric_limits<std::int64_t>::max();
    throw InputError(fmt::format("--param {}={} is out of range", parameter.name, text))
        .valid(open ? fmt::format("{} or more", parameter.least)
                    : fmt::format("{} .. {}", parameter.least, parameter.most));
  }
  return value;
}

}  // namespace

ParameterValues parameter_values(const ProgramEntry& program, std::span<const std::string> given,
                                 const Machine& machine) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : program.parameters) names.push_back(parameter.name);
  std::map<std::string, std::string, std::less<>> texts;
  for (const std::string& word : given) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--param {} has no value", ecube::quoted(word))).hint("write --param n=100");
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InputError(fmt::format("program {} has no parameter {}", program.name, ecube::quoted(name)))
          .hint(did_you_mean(name, names))
          .valid(names.empty() ? "none, it declares no parameters" : joined(names));
    }
    if (!texts.emplace(name, word.substr(equals + 1)).second) {
      throw InputError(fmt::format("--param {} is given twice", name)).hint("say it once");
    }
  }
  ParameterValues values;
  for (const Parameter& parameter : program.parameters) {
    const auto text = texts.find(parameter.name);
    values[parameter.name] =
        value_of(parameter, text == texts.end() ? parameter.initial : text->second, program, machine);
  }
  return values;
}

std::string parameters_text(const ProgramEntry& program) {
  std::string text = fmt::format("{:<16} {}\n", program.name, program.help);
  for (const Parameter& one : program.parameters) {
    text += fmt::format("  {:<14} {}{}; {}, {} when not given\n", one.name, one.help,
                        one.unit.empty() ? "" : " (" + one.unit + ")", text_of(one.type).name,
                        one.initial.empty() ? "empty" : one.initial);
  }
  return text;
}

}  // namespace ecube
