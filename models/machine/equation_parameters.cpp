// SPDX-License-Identifier: Apache-2.0
// Reading KEY=NUMBER lists.
#include "models/machine/equation_parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {
namespace {

std::size_t find_key(std::string_view name, const ParameterList& list) {
  std::vector<std::string_view> names;
  for (const ParameterList::Key& key : list.keys) names.push_back(key.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError("unknown parameter " + quoted(name) + " in --params")
      .hint(did_you_mean(name, names))
      .valid(list.valid);
}

double parse_value(std::string_view name, std::string_view text, std::string_view example) {
  const auto refuse = [&](const std::string& why) -> InputError {
    return InputError("--params " + std::string(name) + "=" + quoted(text) + " " + why).hint(example);
  };
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::invalid_argument || end != text.data() + text.size()) throw refuse("is not a number");
  if (std::signbit(value)) throw refuse("is negative");
  if (status == std::errc::result_out_of_range) throw refuse("is too large or too small for a number");
  if (!std::isfinite(value)) throw refuse("is not a finite number");
  return value;
}

}  // namespace

std::vector<bool> parse_parameters(std::string_view text, const ParameterList& list) {
  if (trimmed(text).empty()) throw InputError("--params is empty").hint(list.example);
  std::vector<bool> given(list.keys.size());
  for (const std::string_view part : split(text, ',')) {
    const std::string_view item = trimmed(part);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw InputError(quoted(item) + " in --params is not KEY=NUMBER").hint(list.example);
    const std::size_t key = find_key(trimmed(item.substr(0, equals)), list);
    if (given[key]) throw InputError("--params names " + quoted(list.keys[key].name) + " twice");
    *list.keys[key].value = parse_value(list.keys[key].name, trimmed(item.substr(equals + 1)), list.example);
    given[key] = true;
  }
  for (std::size_t key = 0; key < list.keys.size(); ++key) {
    if (list.keys[key].needed && !given[key])
      throw InputError("--params lacks " + quoted(list.keys[key].name)).hint(list.example).valid(list.valid);
  }
  return given;
}

void require_no_negative_time(double us, std::string_view what) {
  constexpr double rounding_us = 1e-6;
  if (!(us < -rounding_us)) return;
  throw InputError("the equation gives " + std::string(what) + " a negative time, " + std::to_string(us) +
                   " us: a phit of this machine takes longer than a start-up, and the message is shorter than a phit")
      .hint("give messages of whole phits (link.phit), which take as long, or a faster link and memory");
}

}  // namespace ecube
