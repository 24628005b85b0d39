// SPDX-License-Identifier: Apache-2.0
// Going through the objects of the simulator.
#include "testbench/trace/waves/signal_selection.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "testbench/trace/trace_request.h"

namespace ecube {

namespace {

/// The name of an output, "cube.node5.router.link2", for the numbered pins of that output of a router; empty for other
/// objects.
std::string output_of(const std::string& name, unsigned links) {
  for (const std::string_view pin : {".router.wire_o_", ".router.acknowledge_i_"}) {
    const std::size_t at = name.rfind(pin);
    if (at == std::string::npos) continue;
    const auto output = static_cast<unsigned>(std::strtoul(name.c_str() + at + pin.size(), nullptr, 10));
    return name.substr(0, at) + "." + HierarchyNames::router_part + "." + HierarchyNames::part_of_output(output, links);
  }
  return {};
}

}  // namespace

SignalSelection::SignalSelection(const sc_core::sc_object& top, unsigned links,
                                 const std::vector<std::string>& patterns)
    : links_(links) {
  visit(top, patterns.empty(), patterns);
  std::erase_if(signals_, [this](const clocked::Breakable* signal) { return !chosen_.contains(signal); });
}

bool SignalSelection::named(const sc_core::sc_object& object, const std::vector<std::string>& patterns) const {
  const std::string name = object.name();
  const std::string output = output_of(name, links_);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return is_name_of(pattern, name) || (!output.empty() && is_name_of(pattern, output));
  });
}

void SignalSelection::choose(const sc_core::sc_object& object) {
  const auto* signal = dynamic_cast<const clocked::Breakable*>(&object);
  if (const auto* const pin = dynamic_cast<const sc_core::sc_port_base*>(&object); pin != nullptr) {
    signal = dynamic_cast<const clocked::Breakable*>(pin->get_interface());
  }
  if (signal != nullptr) chosen_.insert(signal);
}

void SignalSelection::visit(const sc_core::sc_object& object, bool inside, const std::vector<std::string>& patterns) {
  inside = inside || named(object, patterns);
  if (const auto* const signal = dynamic_cast<const clocked::Breakable*>(&object); signal != nullptr) {
    signals_.push_back(signal);
  }
  if (inside) choose(object);
  const auto* const array = dynamic_cast<const sc_core::sc_vector_base*>(&object);
  if (inside && array != nullptr) {
    for (const sc_core::sc_object* const element : array->get_elements()) choose(*element);
  }
  for (const sc_core::sc_object* const below : object.get_child_objects()) visit(*below, inside, patterns);
}

}  // namespace ecube
