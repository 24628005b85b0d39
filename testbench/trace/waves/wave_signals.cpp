// SPDX-License-Identifier: Apache-2.0
// Declaring and changing signals.
#include "testbench/trace/waves/wave_signals.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "testbench/trace/trace_request.h"

namespace ecube {

namespace {

std::uint64_t bits_of(const void* object, std::uint8_t bytes) {
  // A copy of known size is one load.
  const auto load = [object]<typename T>(T value) -> std::uint64_t {
    std::memcpy(&value, object, sizeof value);
    return value;
  };
  switch (bytes) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    default:
      return load(std::uint64_t{});
  }
}

}  // namespace

SignalTrace::SignalTrace(WaveWriter& writer, const WaveTime& time, const TraceWindow& window, Reached reached)
    : writer_(writer), time_(time), window_(window), reached_(std::move(reached)) {}

// --- What is traced ------------------------------------------------------------------------------------------------

std::string SignalTrace::enter_scopes(const std::string& name) {
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin), ++depth) {
    const std::string scope = name.substr(begin, dot - begin);
    begin = dot + 1;
    if (depth < scopes_.size() && scopes_[depth] == scope) continue;
    leave_scopes(depth);
    writer_.enter(scope);
    scopes_.push_back(scope);
  }
  leave_scopes(depth);
  return name.substr(begin);
}

void SignalTrace::leave_scopes(std::size_t depth) {
  for (; scopes_.size() > depth; scopes_.pop_back()) writer_.leave();
}

void SignalTrace::trace_state(const std::uint8_t& value, const std::string& name, const std::string& kind,
                              std::span<const std::string_view> names) {
  add(value, 0xFF, writer_.state(enter_scopes(name), kind, names));
}

void SignalTrace::trace(const unsigned int& object, const std::string& name, const char** literals) {
  std::vector<std::string_view> names;
  for (; *literals != nullptr; ++literals) names.emplace_back(*literals);
  add(object, ~std::uint64_t{0}, writer_.state(enter_scopes(name), name, names));
}

void SignalTrace::refuse(const std::string& name) {
  throw std::invalid_argument(name + " is no integer, and cannot be traced");
}

void SignalTrace::write_comment(const std::string&) { throw std::invalid_argument("a waveform has no comments"); }

void SignalTrace::set_time_unit(double, sc_core::sc_time_unit) {
  throw std::invalid_argument("the unit of time of a waveform is known when it is made");
}

void SignalTrace::end_declarations() {
  leave_scopes(0);
  writer_.end_declarations();
}

// --- Its values ----------------------------------------------------------------------------------------------------

void SignalTrace::open_window() {
  open_ = true;
  now_ = time_.of(window_.from);
  for (const Value& value : values_) note(value);
}

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

void SignalTrace::write_before(std::uint64_t time) {
  for (; !changes_.empty() && changes_.front().time < time; changes_.pop_front()) {
    writer_.at(changes_.front().time);
    writer_.set(changes_.front().signal, changes_.front().value);
  }
}

std::uint64_t SignalTrace::finish(Cycles end) {
  if (!open_ && end >= window_.from) open_window();
  write_before(never);
  return now_;
}

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

/// A walk through the objects of the simulator.
struct SignalSearch {
  unsigned links;
  const std::vector<std::string>& patterns;
  std::vector<const clocked::Breakable*> signals{};
  std::unordered_set<const clocked::Breakable*> chosen{};

  [[nodiscard]] bool named(const sc_core::sc_object& object) const {
    const std::string name = object.name();
    const std::string output = output_of(name, links);
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return is_name_of(pattern, name) || (!output.empty() && is_name_of(pattern, output));
    });
  }
  /// `object` itself, if it is a signal or a pin with one.
  void choose(const sc_core::sc_object& object) {
    const auto* signal = dynamic_cast<const clocked::Breakable*>(&object);
    if (const auto* const pin = dynamic_cast<const sc_core::sc_port_base*>(&object); pin != nullptr) {
      signal = dynamic_cast<const clocked::Breakable*>(pin->get_interface());
    }
    if (signal != nullptr) chosen.insert(signal);
  }
  /// Goes through `object` and all below it; `inside` an object that a pattern names.
  void visit(const sc_core::sc_object& object, bool inside) {
    inside = inside || named(object);
    const auto* const signal = dynamic_cast<const clocked::Breakable*>(&object);
    if (signal != nullptr) signals.push_back(signal);
    if (inside) choose(object);
    const auto* const array = dynamic_cast<const sc_core::sc_vector_base*>(&object);
    if (inside && array != nullptr) {
      for (const sc_core::sc_object* const element : array->get_elements()) choose(*element);
    }
    for (const sc_core::sc_object* const below : object.get_child_objects()) visit(*below, inside);
  }
};

}  // namespace

std::vector<const clocked::Breakable*> selected_signals(const sc_core::sc_object& top, unsigned links,
                                                        const std::vector<std::string>& patterns) {
  SignalSearch search{.links = links, .patterns = patterns};
  search.visit(top, patterns.empty());
  std::erase_if(search.signals, [&](const clocked::Breakable* signal) { return !search.chosen.contains(signal); });
  return search.signals;
}

WaveSink::WaveSink(std::unique_ptr<WaveWriter> writer, const WaveTime& time, const TraceWindow& window,
                   const TraceSelection& selection, const HierarchyNames& names, const Topology& topology)
    : writer_(std::move(writer)), time_(time), window_(window), outputs_(selection.outputs()) {
  const NodeId nodes = topology.nodes();
  links_.resize(std::size_t{nodes} * outputs_);
  programs_.resize(nodes);
  if (!selection.nothing()) writer_->enter(names.cube());
  for (NodeId node = 0; node < nodes; ++node) {
    if (!selection.any_of(node)) continue;
    writer_->enter(HierarchyNames::part_of_node(node));
    if (selection.program(node)) {
      Program& program = programs_[node].emplace();
      program.state = writer_->state("program", "program_state", program_state_names);
      program.phase = writer_->number("phase", 16);
      program.step = writer_->number("step", 24);
    }
    if (selection.any_output_of(node)) writer_->enter(HierarchyNames::router_part);
    for (unsigned output = 0; output < outputs_; ++output) {
      if (!selection.output(node, output)) continue;
      writer_->enter(HierarchyNames::part_of_output(output, topology.outputs()));
      Link& link = links_[std::size_t{node} * outputs_ + output].emplace();
      link.state = writer_->state("state", "link_state", link_state_names);
      link.owner = writer_->text("owner");
      link.waiting = writer_->number("waiting", 8);
      link.bytes = writer_->number("bytes", 40);
      writer_->leave();
    }
    if (selection.any_output_of(node)) writer_->leave();
    writer_->leave();
  }
  if (!selection.nothing()) writer_->leave();
}

void WaveSink::end_declarations(SignalTrace* beside) {
  beside_ = beside;
  if (beside == nullptr) return writer_->end_declarations();
  beside->end_declarations();
}

bool WaveSink::inside(Cycles at) {
  if (at < window_.from || at >= window_.until) return false;
  if (!open_) open_window();
  reach(time_.of(at));
  return true;
}

void WaveSink::open_window() {
  open_ = true;
  reach(time_.of(window_.from));
  for (const std::optional<Link>& link : links_) {
    if (link) write(*link, nullptr);
  }
  for (const std::optional<Program>& program : programs_) {
    if (program) write(*program, nullptr);
  }
}

void WaveSink::reach(std::uint64_t time) {
  now_ = time;
  if (beside_ == nullptr) return writer_->at(time);
  beside_->write_before(time);
}

template <typename Value>
void WaveSink::set(WaveWriter::Signal signal, const Value& value) {
  writer_->at(now_);
  writer_->set(signal, value);
}

void WaveSink::write(const Link& link, const LinkView* before) {
  const LinkView& now = link.view;
  if (before == nullptr || now.state != before->state) set(link.state, static_cast<std::uint64_t>(now.state));
  if (before == nullptr || now.owner != before->owner) {
    std::array<char, 48> space{};
    set(link.owner, now.owner.number == 0 ? std::string_view("-") : now.owner.text(space));
  }
  if (before == nullptr || now.waiting != before->waiting) set(link.waiting, now.waiting);
  if (before == nullptr || now.bytes != before->bytes) set(link.bytes, now.bytes);
}

void WaveSink::write(const Program& program, const ProgramView* before) {
  const ProgramView& now = program.view;
  if (before == nullptr || now.state != before->state) set(program.state, static_cast<std::uint64_t>(now.state));
  if (before == nullptr || now.phase != before->phase) set(program.phase, now.phase);
  if (before == nullptr || now.step != before->step) set(program.step, now.step);
}

template <typename Shown, typename View>
void WaveSink::change(Cycles at, std::optional<Shown>& shown, const View& view) {
  if (!shown) return;
  const bool visible = inside(at);
  const View before = std::exchange(shown->view, view);
  if (visible) write(*shown, &before);
}

void WaveSink::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  change(at, links_[std::size_t{output.router} * outputs_ + output.output], view);
}

void WaveSink::program_changed(Cycles at, NodeId node, const ProgramView& view) { change(at, programs_[node], view); }

bool WaveSink::finish(Cycles end) {
  if (!open_ && end >= window_.from) open_window();
  reach(time_.of(std::max(window_.from, std::min(end, window_.until))));
  if (beside_ != nullptr) writer_->at(std::max(now_, beside_->finish(end)));
  return writer_->close();
}

}  // namespace ecube
