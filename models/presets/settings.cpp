// SPDX-License-Identifier: Apache-2.0
// Settings: layering, resolution into a machine, and the checks across parameters.
#include "models/presets/settings.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"
#include "models/node/node_work.h"

namespace ecube {
namespace {

constexpr std::size_t longest_name = 64;
constexpr std::string_view name_key = "name";

Setting from_command_line(Layer layer, std::string_view key, std::string_view value, std::string as_typed) {
  const Place place{.where = std::move(as_typed)};
  return {std::string(key), std::string(value), {layer, place, place}};
}

InputError bad_value(const Setting& setting, const Problem& problem) {
  const std::string& shown = setting.written.empty() ? setting.value : setting.written;
  return InputError(setting.key + " = " + quoted(shown) + " " + problem.message)
      .at(setting.origin.value, problem.hint)
      .valid(problem.valid);
}

/// Keys that people know from other simulators, and what to say of each.
constexpr std::pair<std::string_view, std::string_view> other_keys[] = {
    {"link.width", "the width of a link is link.phit, a phit's bytes, and its speed link.cycles_per_phit"},
    {"link.speed", "the speed of a link is link.bandwidth, as \"2.8 MB/s\", or link.cycles_per_phit"},
    {"link.latency", "a hop takes router.route, a phit link.cycles_per_phit"},
    {"network.routing", "routes are e-cube, the lowest dimension first; a hop takes router.route"},
    {"network.vcs", "links have no virtual channels; network.switching has circuits, worms and packets"}};

void check_key(const Setting& setting) {
  if (setting.key == name_key || find_option(setting.key) != nullptr) return;
  // If the table exists, only the part behind the point is wrong, and in a file only this part is marked.
  const std::size_t point = setting.key.rfind('.');
  if (setting.origin.layer == Layer::file && point != std::string::npos) {
    std::vector<std::string_view> within;
    for (const Option& option : options())
      if (option.key.starts_with(setting.key.substr(0, point + 1))) within.push_back(option.key.substr(point + 1));
    if (!within.empty()) {
      const std::string last = setting.key.substr(point + 1);
      const std::string near = did_you_mean(last, within);
      throw InputError("unknown key " + quoted(last))
          .at(setting.origin.key, near)
          .valid(near.empty() ? joined(within) : "");
    }
  }
  std::vector<std::string_view> keys = {name_key};
  for (const Option& option : options()) keys.push_back(option.key);
  std::string hint = did_you_mean(setting.key, keys);
  for (const Option& option : options())
    if (hint.empty() && option.key.ends_with("." + setting.key))
      hint = "did you mean '" + std::string(option.key) + "'?";
  for (const auto& [word, words_for_it] : other_keys)
    if (word == setting.key) hint = words_for_it;
  throw InputError("unknown key " + quoted(setting.key))
      .at(setting.origin.key, hint)
      .valid(hint.empty() ? joined(keys) : "");
}

/// The effective setting of `key`, nullptr if there is none.
const Setting* effective(const std::vector<Setting>& settings, std::string_view key) {
  const Setting* found = nullptr;
  for (const Setting& setting : settings)
    if (setting.key == key && (found == nullptr || setting.origin.layer >= found->origin.layer)) found = &setting;
  return found;
}

/// That of the first of these keys that has one; one of them has.
const Setting& effective(const std::vector<Setting>& settings, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const Setting* const found = effective(settings, key); found != nullptr) return *found;
  throw std::logic_error("no setting of " + std::string(*keys.begin()));
}

/// Complains about a key that the command line gives twice, by --set or by an option that stands for it.
void check_given_once(const std::vector<Setting>& settings) {
  for (auto first = settings.begin(); first != settings.end(); ++first) {
    if (first->origin.layer < Layer::set) continue;
    const auto second = std::find_if(first + 1, settings.end(), [&](const Setting& other) {
      return other.origin.layer >= Layer::set && other.key == first->key;
    });
    if (second == settings.end()) continue;
    throw InputError(first->key + " is given twice: " + quoted(first->value) + " and " + quoted(second->value))
        .at(first->origin.key)
        .at(second->origin.key, "remove one of them");
  }
}

/// Whether another spelling of the same parameter overrides `option`; an error when both stand in the same layer.
bool overridden(const std::vector<Setting>& settings, const Option& option, const Setting& setting) {
  for (const Option& other : options()) {
    if (other.key == option.key || (other.same_as != option.key && option.same_as != other.key)) continue;
    const Setting* rival = effective(settings, other.key);
    if (rival == nullptr || rival->origin.layer < setting.origin.layer) continue;
    if (rival->origin.layer > setting.origin.layer) return true;
    throw InputError("both " + std::string(option.key) + " and " + std::string(other.key) +
                     " are given, two spellings of one parameter")
        .at(rival->origin.key, "remove one of them");
  }
  return false;
}

bool acceptable_in_name(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

std::string read_name(const Setting& setting) {
  const bool good = !setting.value.empty() && setting.value.size() <= longest_name &&
                    std::all_of(setting.value.begin(), setting.value.end(), acceptable_in_name);
  if (!good)
    throw bad_value(setting, {"is no name for a machine", "", "1 to 64 printable ASCII characters but \" and \\"});
  return setting.value;
}

/// Complains about a padded set-up that is missing, or given although nothing is padded. A network.setup in a layer
/// below the one that chose real distances is ignored.
void check_distance(const std::vector<Setting>& settings, Machine& machine) {
  const Setting* distance = effective(settings, "network.distance");
  const Setting* setup = effective(settings, "network.setup");
  if (machine.network.distance == Distance::fixed && machine.network.setup_cycles == 0)
    throw InputError("network.distance = 'fixed' needs network.setup, the set-up of every circuit")
        .at(effective(settings, {"network.setup", "network.distance"}).origin.value,
            "give network.setup = \"480 cycles\"");
  if (machine.network.distance == Distance::fixed || machine.network.setup_cycles == 0) return;
  if (distance == nullptr || setup->origin.layer >= distance->origin.layer)
    throw InputError("network.setup has no effect while network.distance is 'real'")
        .at(setup->origin.key, "remove it, or give network.distance = \"fixed\"");
  machine.network.setup_cycles = 0;
}

/// Complains about a system buffer that cannot hold a message that is sent without asking for room.
void check_buffer(const std::vector<Setting>& settings, const Machine& machine) {
  const Machine::Library& library = machine.library;
  if (library.protocol != Protocol::unforced || library.threshold_bytes <= library.buffer_bytes) return;
  const Setting& setting = effective(settings, {"library.threshold", "library.buffer", "library.protocol"});
  throw InputError("library.threshold is " + format_size(library.threshold_bytes) + ", above library.buffer, " +
                   format_size(library.buffer_bytes) +
                   ": unforced messages up to the threshold need room in the buffer")
      .at(setting.origin.value, "give library.buffer = \"1 MB\", or a threshold within it");
}

/// Complains about a node that moves phits too slowly for times of messages to be exact.
void check_transfer(const std::vector<Setting>& settings, const Machine& machine) {
  if (machine.phit_cycles().value() <= static_cast<double>(largest_phit_cycles)) return;
  // The parameters of which at least one is too large, those that were given last first.
  const Setting* cause = nullptr;
  for (const std::string_view key : {"memory.transfer", "memory.page_miss", "core.copy", "core.copy_tuned",
                                     "memory.bus", "link.phit", "core.clock", "clock"}) {
    const Setting* const setting = effective(settings, key);
    if (setting != nullptr && (cause == nullptr || setting->origin.layer > cause->origin.layer)) cause = setting;
  }
  InputError error("a node takes more than " + std::to_string(largest_phit_cycles) + " cycles to move " +
                   format_size(machine.link.phit_bytes) + " (link.phit) between memory and link");
  if (cause != nullptr) error.at(cause->origin.value, "memory.*, core.copy, node.transfer and the clocks determine it");
  throw error;
}

/// Complains about parameters that have no meaning with the kind of switching.
void check_switching(const std::vector<Setting>& settings, const Machine& machine) {
  const Switching switching = machine.network.switching;
  if (switching == Switching::circuit) return;
  const auto refuse = [&](std::string_view key, const std::string& why, std::string_view hint) {
    throw InputError("network.switching = '" + effective(settings, "network.switching")->value + "' " + why)
        .at(effective(settings, {key, "network.switching"}).origin.value, hint);
  };
  if (switching == Switching::store_and_forward) {
    if (machine.library.protocol != Protocol::none)
      refuse("library.protocol", "has no library.protocol: nodes store whatever arrives", "give none");
    if (machine.network.distance != Distance::real)
      refuse("network.distance", "needs network.distance = 'real': a packet takes one link at a time", "give real");
    return;
  }
  if (machine.network.distance != Distance::real)
    refuse("network.distance", "needs network.distance = 'real': phits do not wait for a set-up to end", "give real");
  if (machine.network.duplex != Duplex::full)
    refuse("network.duplex", "needs network.duplex = 'full': a worm that stalls may be the one that is waited for",
           "give full");
  const Ratio cycles = machine.phit_cycles();
  if (cycles.num % cycles.den != 0)
    refuse("link.cycles_per_phit",
           "needs whole cycles per phit, not " + format_ratio(cycles) + ": every link paces phits",
           "give a whole number of cycles");
  if (cycles.num / cycles.den < 2)
    refuse("link.cycles_per_phit", "needs 2 cycles per phit or more: a stop takes one to come back",
           "give link.cycles_per_phit = \"2 cycles\"");
}

/// Complains about what cannot be together with planes that are tuned.
void check_planes(const std::vector<Setting>& settings, const Machine& machine) {
  if (machine.network.planes == 0) return;
  const auto require = [&](bool met, std::string_view key, std::string_view value) {
    if (met) return;
    throw InputError("network.planes needs " + std::string(key) + " = " + std::string(value))
        .at(effective(settings, {key, "network.planes"}).origin.value);
  };
  const bool cube = !machine.network.topology || machine.network.topology->is_cube();
  const Barrier barrier = machine.library.barrier;
  require(cube, "network.topology", "cube: masks are of binary labels");
  require(machine.network.switching == Switching::circuit, "network.switching",
          "circuit: a worm would stall in a plane that is dark, and a packet would wait on its way for links");
  require(machine.node.ports.engines == Ports::n, "node.ports", "n: a port for each plane");
  require(machine.library.protocol != Protocol::unforced, "library.protocol",
          "none or forced: the grant of a node that has asked for another mask could not leave");
  require(barrier == Barrier::none || barrier == Barrier::clock, "library.barrier",
          "none or clock: signals need links that are up");
}

/// Complains about what cannot be together with several channels of a link.
void check_channels(const std::vector<Setting>& settings, const Machine& machine) {
  if (machine.link.channels == 1) return;
  const auto require = [&](bool met, std::string_view key, std::string_view value) {
    if (met) return;
    throw InputError("link.channels = " + std::to_string(machine.link.channels) + " needs " + std::string(key) + " = " +
                     std::string(value))
        .at(effective(settings, {key, "link.channels"}).origin.value);
  };
  require(machine.network.planes == 0, "network.planes", "0: a plane has no route and no neighbour to be joined twice");
  require(machine.node.ports.engines != 1, "node.ports", "n, or 2 and more: the inject port names the channel");
  require(machine.network.switching != Switching::store_and_forward, "network.switching",
          "circuit or wormhole: a packet that is sent on leaves by a port that no program names");
}

/// Complains about parameters that the machine's type of node does not have, given in the layer that chose the type or
/// above it. In a layer below they are ignored.
void check_node_model(const std::vector<Setting>& settings, const Machine& machine) {
  const Setting* const model = effective(settings, "node.model");
  const bool detailed = machine.node.model == NodeModel::detailed;
  for (const Option& option : options()) {
    if (applies(option, machine) || option.key == "node.model") continue;
    const Setting* const setting = effective(settings, option.key);
    if (setting == nullptr || (model != nullptr && setting->origin.layer < model->origin.layer)) continue;
    throw InputError(std::string(option.key) + " has no effect while node.model is '" +
                     (detailed ? "detailed" : "rates") + "'")
        .at(setting->origin.key,
            std::string("remove it, or give node.model = \"") + (detailed ? "rates" : "detailed") + "\"");
  }
}

/// Complains about parts of a detailed node that cannot be built.
void check_detailed(const std::vector<Setting>& settings, const Machine& machine) {
  if (machine.node.model != NodeModel::detailed) return;
  const DetailedNode& node = machine.detailed;
  const auto refuse = [&](std::string_view key, const std::string& what, const std::string& hint) {
    throw InputError(std::string(key) + " " + what).at(effective(settings, {key, "node.model"}).origin.value, hint);
  };
  const std::uint32_t line = machine.memory.line_bytes;
  if (!std::has_single_bit(line) || line % machine.memory.bus_bytes != 0)
    refuse("memory.line", "of a detailed node is a power of two and a multiple of memory.bus", "give \"32 B\"");
  if (line > node.dram_page_bytes || (node.tlb.entries != 0 && line > node.tlb.page_bytes))
    refuse("memory.line", "is longer than a page (memory.page, tlb.page)", "give \"32 B\"");
  const std::uint32_t lines = node.cache.bytes / line;
  if (node.cache.bytes < line || !std::has_single_bit(node.cache.ways) || node.cache.ways > lines)
    refuse("cache.ways", "must be a power of two, and cache.size must have room for a line in each way",
           "give 1 to " + std::to_string(lines));
  const bool sets = node.tlb.entries % node.tlb.ways == 0 && std::has_single_bit(node.tlb.entries / node.tlb.ways);
  if (node.tlb.entries != 0 && !sets)
    refuse("tlb.entries", "must be a power of two times tlb.ways", "give 64, with tlb.ways = 4");
  if (node.fifo_bytes < machine.link.phit_bytes)
    refuse("fifo.size", "is smaller than a phit (link.phit)", "give at least " + format_size(machine.link.phit_bytes));
  if (node.fifo_bytes % machine.memory.bus_bytes != 0)
    refuse("fifo.size", "is no multiple of memory.bus", "give a multiple of " + format_size(machine.memory.bus_bytes));
  if (node.cache.write == WritePolicy::through && node.cache.allocate == Allocate::write)
    refuse("cache.write", "= 'through' needs cache.allocate = 'read': words go to memory either way", "give read");
  if (machine.memory.transfer_cycles == 0)
    refuse("memory.transfer", "of a detailed node is at least 1 cycle", "give \"2 cycles\"");
  if (machine.library.combining == Combining::arriving)
    refuse("library.combining", "= 'arriving' is not known on a detailed node", "give received");
}

void check_setup(const Machine& machine, unsigned longest_route, const std::string& network) {
  if (machine.network.distance != Distance::fixed) return;
  const Cycles least = machine.least_setup(longest_route);
  if (machine.network.setup_cycles >= least) return;
  throw InputError("network.setup is " + format_cycles(machine.network.setup_cycles) + ", but " + network + " needs " +
                   format_cycles(least))
      .valid("network.setup from " + format_cycles(least) + ", or network.distance = real");
}

/// `links`: of one channel.
void check_inputs(const Machine& machine, unsigned links, const std::string& network) {
  links *= machine.link.channels;
  const unsigned inputs = links + machine.node.ports.physical(links);
  if (inputs <= Topology::max_inputs) return;
  const bool several = machine.link.channels != 1;
  throw InputError(network + " has " + std::to_string(links) + " links a node" +
                   (several ? ", with all channels" : "") + ", and with a port for each a router has " +
                   std::to_string(inputs) + " inputs")
      .valid("at most " + std::to_string(Topology::max_inputs) + " inputs, " +
             (several ? "with a smaller link.channels" : "or node.ports = one"));
}

}  // namespace

Setting parse_set(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string as_typed = "--set " + std::string(argument);
  if (equals == std::string_view::npos)
    throw InputError("--set needs key=value").at({as_typed, 0, 0, 0, ""}, "write --set library.send=\"95 us\"");
  std::string_view value = trimmed(argument.substr(equals + 1));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return from_command_line(Layer::set, trimmed(argument.substr(0, equals)), value, as_typed);
}

Setting option_setting(std::string_view key, std::string_view value, std::string_view as_typed) {
  return from_command_line(Layer::option, key, value, std::string(as_typed));
}

Machine resolve(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) check_key(setting);
  check_given_once(settings);
  Machine machine;
  if (const Setting* name = effective(settings, name_key)) machine.name = read_name(*name);
  for (const Option& option : options()) {
    const Setting* setting = effective(settings, option.key);
    if (setting == nullptr || overridden(settings, option, *setting)) continue;
    if (const auto problem = option.read(option, setting->value, machine)) throw bad_value(*setting, *problem);
  }
  check_distance(settings, machine);
  check_buffer(settings, machine);
  check_transfer(settings, machine);
  check_node_model(settings, machine);
  check_detailed(settings, machine);
  if (machine.node.model == NodeModel::detailed && machine.node.transfer == Transfer::programmed) {
    machine.detailed.programmed_word = programmed_word_cycles(machine);
    check_transfer(settings, machine);
  }
  check_switching(settings, machine);
  check_planes(settings, machine);
  check_channels(settings, machine);
  return machine;
}

void check_dimension(const Machine& machine, unsigned dim) {
  const std::string cube = "a cube of dimension " + std::to_string(dim);
  check_setup(machine, dim, cube);
  check_inputs(machine, dim, cube);
}

void check_topology(const Machine& machine, const Topology& topology) {
  check_setup(machine, topology.diameter(), topology.name());
  check_inputs(machine, topology.outputs(), topology.name());
}

}  // namespace ecube
