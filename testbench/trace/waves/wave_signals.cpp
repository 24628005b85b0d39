// SPDX-License-Identifier: Apache-2.0
// Declaring and changing signals.
#include "testbench/trace/waves/wave_signals.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

namespace ecube {

namespace {

std::uint64_t bits_of(const void* object, std::uint8_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t value = 0;
  // A copy of known size is one load.
  if (bytes == 1) std::memcpy(&value, object, 1);
  if (bytes == 2) std::memcpy(&value, object, 2);
  if (bytes == 4) std::memcpy(&value, object, 4);
  if (bytes == 8) std::memcpy(&value, object, 8);
  return value;
}

/// The output of a router that has this object as a numbered pin; empty for other objects.
std::optional<LinkId> output_of(const std::string& name) {
  const auto number_at = [&name](std::size_t place) {
    return static_cast<unsigned>(std::strtoul(name.c_str() + place, nullptr, 10));
  };
  constexpr std::string_view node = ".node";
  for (const std::string_view pin : {".router.wire_o_", ".router.acknowledge_i_"}) {
    const std::size_t at = name.rfind(pin);
    if (at == std::string::npos) continue;
    return LinkId{number_at(name.rfind(node, at) + node.size()), number_at(at + pin.size())};
  }
  return {};
}

/// A signal, or the signal at a pin; null for other objects.
const clocked::Breakable* signal_of(const sc_core::sc_object& object) {
  const auto* const pin = dynamic_cast<const sc_core::sc_port_base*>(&object);
  if (pin != nullptr) return dynamic_cast<const clocked::Breakable*>(pin->get_interface());
  return dynamic_cast<const clocked::Breakable*>(&object);
}

}  // namespace

void SignalTrace::cycle(bool delta_cycle) {
  if (delta_cycle || over_) return;
  if (!start_) start_ = sc_core::sc_time_stamp();
  const std::uint64_t picoseconds_per_unit = 1'000'000'000'000 / time_.units_per_second;
  const std::uint64_t now = (sc_core::sc_time_stamp() - *start_).value() / picoseconds_per_unit;
  const std::uint64_t from = time_.of(window_.from);
  if (window_.until != never && now >= time_.of(window_.until)) {
    if (!open_) open_window();
    now_ = time_.of(window_.until);
    over_ = true;
    return;
  }
  if (!open_ && now > from) open_window();
  if (open_) now_ = now;
  for (Value& value : values_) {
    const std::uint64_t bits = bits_of(value.object, value.bytes) & value.mask;
    if (bits == value.last) continue;
    value.last = bits;
    if (open_) note(value);  // before the window only the latest values are kept, with which the window begins
  }
  if (!open_ && now == from) open_window();
  reached_(time_.cycle(now));
}

std::vector<const clocked::Breakable*> selected_signals(const sc_core::sc_object& top, const Topology& topology,
                                                        const std::vector<std::string>& patterns) {
  const HierarchyNames names(top.name());
  std::vector<const clocked::Breakable*> signals;
  std::unordered_set<const clocked::Breakable*> chosen;  // and null
  const auto named = [&](const sc_core::sc_object& object) {
    const std::string name = object.name();
    const std::optional<LinkId> output = output_of(name);
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return is_name_of(pattern, name) || (output && is_name_of(pattern, names, topology, *output));
    });
  };
  // Goes through `object` and all below it; `inside` an object that a pattern names.
  const std::function<void(const sc_core::sc_object&, bool)> visit = [&](const auto& object, bool inside) {
    inside = inside || named(object);
    const auto* const signal = dynamic_cast<const clocked::Breakable*>(&object);
    if (signal != nullptr) signals.push_back(signal);
    if (inside) chosen.insert(signal_of(object));
    const auto* const array = dynamic_cast<const sc_core::sc_vector_base*>(&object);
    if (inside && array != nullptr) {
      for (const sc_core::sc_object* const element : array->get_elements()) chosen.insert(signal_of(*element));
    }
    for (const sc_core::sc_object* const below : object.get_child_objects()) visit(*below, inside);
  };
  visit(top, patterns.empty());
  std::erase_if(signals, [&](const clocked::Breakable* signal) { return !chosen.contains(signal); });
  return signals;
}

}  // namespace ecube
