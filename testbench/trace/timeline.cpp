// SPDX-License-Identifier: Apache-2.0
// Packets of a Perfetto trace. Field numbers are those of perfetto's protos/perfetto/trace (trace_packet.proto,
// track_event.proto, track_descriptor.proto, interned_data.proto, debug_annotation.proto).
#include "testbench/trace/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <protozero/basic_pbf_writer.hpp>
#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

namespace ecube {

namespace {

namespace packet {
constexpr protozero::pbf_tag_type in_trace = 1, timestamp = 8, sequence = 10, track_event = 11, interned_data = 12,
                                  sequence_flags = 13, track_descriptor = 60;
constexpr std::uint32_t state_cleared = 1, needs_state = 2;
}  // namespace packet
namespace event {
constexpr protozero::pbf_tag_type annotations = 4, type = 9, name_iid = 10, track = 11, flows = 47, ending_flows = 48;
constexpr std::int32_t slice_begin = 1, slice_end = 2;
}  // namespace event
namespace descriptor {
constexpr protozero::pbf_tag_type uuid = 1, name = 2, parent = 5, child_ordering = 11, rank = 12;
constexpr std::int32_t explicit_order = 3;
}  // namespace descriptor
namespace interned {
constexpr protozero::pbf_tag_type event_names = 2, annotation_names = 3, iid = 1, name = 2;
}  // namespace interned
namespace annotation {
constexpr protozero::pbf_tag_type name_iid = 1, uint_value = 3;
constexpr std::uint64_t message = 1, bytes = 2, phase = 3, step = 4;
constexpr std::array<std::string_view, 4> names{"message", "bytes", "phase", "step"};
}  // namespace annotation

constexpr std::uint32_t the_sequence = 1;

using PacketWriter = protozero::basic_pbf_writer<protozero::fixed_size_buffer_adaptor>;

}  // namespace

bool Timeline::Slice::same_slice(const Slice& other) const {
  return circuit == other.circuit && running == other.running && program.state == other.program.state &&
         program.phase == other.program.phase && program.step == other.program.step;
}

Timeline::Timeline(const std::string& file, unsigned dim, const TraceWindow& window, const TraceSelection& selection,
                   std::uint64_t clock_hz)
    : stream_(std::fopen(file.c_str(), "wb")),
      window_(window),
      clock_hz_(clock_hz),
      dim_(dim),
      outputs_(selection.outputs()),
      ports_(outputs_ - dim_),
      of_node_(1 + ports_ + outputs_),
      selected_((std::size_t{1} << dim_) * of_node_),
      tracks_((std::size_t{1} << dim_) * of_node_) {
  if (stream_ == nullptr) throw std::runtime_error(file + " cannot be made");
  describe(selection);
}

Timeline::~Timeline() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void Timeline::put_packet() {
  protozero::pbf_writer(file_buffer_).add_message(packet::in_trace, packet_.data(), packet_.size());
  packet_ = protozero::fixed_size_buffer_adaptor(packet_space_);
  constexpr std::size_t enough = std::size_t{1} << 18;
  if (file_buffer_.size() < enough) return;
  (void)std::fwrite(file_buffer_.data(), 1, file_buffer_.size(), stream_);
  file_buffer_.clear();
}

std::uint64_t Timeline::ns(Cycles at) const {
  if (1'000'000'000 % clock_hz_ == 0) return at * (1'000'000'000 / clock_hz_);
  return static_cast<std::uint64_t>(static_cast<long double>(at) * 1e9L / static_cast<long double>(clock_hz_) + 0.5L);
}

void Timeline::describe(const TraceSelection& selection) {
  const auto add = [this](std::uint64_t id, std::uint64_t parent, unsigned rank, const std::string& name) {
    PacketWriter writer(packet_);
    writer.add_uint32(packet::sequence, the_sequence);
    if (first_packet_) {
      writer.add_uint32(packet::sequence_flags, packet::state_cleared);
      PacketWriter names(writer, packet::interned_data);
      for (std::size_t i = 0; i < annotation::names.size(); ++i) {
        PacketWriter entry(names, interned::annotation_names);
        entry.add_uint64(interned::iid, i + 1);
        entry.add_string(interned::name, annotation::names[i].data(), annotation::names[i].size());
      }
      first_packet_ = false;
    }
    {
      PacketWriter track(writer, packet::track_descriptor);
      track.add_uint64(descriptor::uuid, id);
      track.add_string(descriptor::name, name);
      if (parent != 0) track.add_uint64(descriptor::parent, parent);
      track.add_enum(descriptor::child_ordering, descriptor::explicit_order);
      track.add_int32(descriptor::rank, static_cast<std::int32_t>(rank));
    }
    put_packet();
  };
  for (NodeId node = 0; node >> dim_ == 0; ++node) {
    if (!selection.any_of(node)) continue;
    const std::uint64_t group = uuid(node, of_node_);
    add(group, 0, node, fmt::format("node {}", node));
    const auto with = [&](unsigned number, const std::string& name) {
      selected_[std::size_t{node} * of_node_ + number] = true;
      add(uuid(node, number), group, number, name);
    };
    if (selection.program(node)) {
      with(0, fmt::format("program {}", node));
      for (unsigned port = 0; port < ports_; ++port) with(inject_track(port), fmt::format("inject {}:{}", node, port));
    }
    for (unsigned output = 0; output < outputs_; ++output) {
      if (selection.output(node, output)) with(output_track(output), text_of({node, output}, dim_));
    }
  }
}

std::string Timeline::reason(const Blocking& blocking) const {
  const std::string what = "waits for " + text_of(blocking.output, dim_);
  return blocking.holder.number == 0 ? what : what + " held by " + blocking.holder.text();
}

bool Timeline::inside(Cycles at) {
  if (at < window_.from || at >= window_.until) return false;
  if (!open_) {
    open_ = true;
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
      sync(window_.from, static_cast<NodeId>(place / of_node_), static_cast<unsigned>(place % of_node_));
    }
  }
  return true;
}

void Timeline::update(Cycles at, NodeId node, unsigned number) {
  if (open_ && at < window_.until) sync(at, node, number);
}

void Timeline::sync(Cycles at, NodeId node, unsigned number) {
  const std::size_t place = std::size_t{node} * of_node_ + number;
  if (!selected_[place]) return;
  Track& track = tracks_[place];
  const bool same = track.shown.same_slice(track.wanted);
  if (!track.shown.inner.empty() && !(same && track.shown.inner == track.wanted.inner)) {
    end(at, node, number);
    track.shown.inner.clear();
  }
  if (!same) {
    if (!track.shown.none()) end(at, node, number);
    track.shown = track.wanted;
    track.shown.inner.clear();
    if (!track.wanted.none()) begin(at, node, number, track.wanted);
  }
  if (!track.wanted.inner.empty() && track.shown.inner.empty()) {
    begin_inner(at, node, number, track.wanted.inner);
    track.shown.inner = track.wanted.inner;
  }
}

Timeline::Name Timeline::name_of(const CircuitName& circuit) {
  const auto [known, fresh] = pairs_.try_emplace(std::uint64_t{circuit.source} << 32 | circuit.destination, names_ + 1);
  if (fresh) ++names_;
  return {known->second, fresh};
}

Timeline::Name Timeline::name_of(const std::string& text) {
  const auto [known, fresh] = texts_.try_emplace(text, names_ + 1);
  if (fresh) ++names_;
  return {known->second, fresh};
}

void Timeline::open_packet(Cycles at, const Name* name, const std::string& text) {
  PacketWriter writer(packet_);
  writer.add_uint64(packet::timestamp, ns(at));
  writer.add_uint32(packet::sequence, the_sequence);
  if (name == nullptr) return;
  writer.add_uint32(packet::sequence_flags, packet::needs_state);
  if (!name->fresh) return;
  PacketWriter names(writer, packet::interned_data);
  PacketWriter entry(names, interned::event_names);
  entry.add_uint64(interned::iid, name->iid);
  entry.add_string(interned::name, text);
}

void Timeline::begin(Cycles at, NodeId node, unsigned number, const Slice& slice) {
  const std::string state =
      slice.running ? std::string(program_state_names[static_cast<std::size_t>(slice.program.state)]) : std::string();
  const Name name = slice.running ? name_of(state) : name_of(slice.circuit);
  open_packet(
      at, &name,
      slice.running || !name.fresh ? state : fmt::format("{}->{}", slice.circuit.source, slice.circuit.destination));
  // Messages inside messages are put together beside them: they need not be moved when their length is known.
  std::array<char, 128> event_space;
  protozero::fixed_size_buffer_adaptor event_buffer(event_space);
  PacketWriter event(event_buffer);
  const auto annotate = [&event](std::uint64_t what, std::uint64_t value) {
    std::array<char, 32> space;
    protozero::fixed_size_buffer_adaptor buffer(space);
    PacketWriter annotation(buffer);
    annotation.add_uint64(annotation::name_iid, what);
    annotation.add_uint64(annotation::uint_value, value);
    event.add_message(event::annotations, buffer.data(), buffer.size());
  };
  if (slice.running) {
    annotate(annotation::phase, slice.program.phase);
    annotate(annotation::step, slice.program.step);
  } else {
    annotate(annotation::message, slice.circuit.number);
    if (number < output_track(0)) annotate(annotation::bytes, slice.bytes);
  }
  event.add_enum(event::type, event::slice_begin);
  event.add_uint64(event::name_iid, name.iid);
  event.add_uint64(event::track, uuid(node, number));
  if (!slice.running) {
    const std::uint64_t flow = std::uint64_t{slice.circuit.source} << 40 | slice.circuit.number;
    if (number < output_track(0)) event.add_fixed64(event::flows, flow);
    if (number >= output_track(dim_)) event.add_fixed64(event::ending_flows, flow);
  }
  PacketWriter(packet_).add_message(packet::track_event, event_buffer.data(), event_buffer.size());
  put_packet();
}

void Timeline::begin_inner(Cycles at, NodeId node, unsigned number, const std::string& text) {
  const Name name = name_of(text);
  open_packet(at, &name, text);
  {
    PacketWriter writer(packet_);
    PacketWriter event(writer, packet::track_event);
    event.add_enum(event::type, event::slice_begin);
    event.add_uint64(event::name_iid, name.iid);
    event.add_uint64(event::track, uuid(node, number));
  }
  put_packet();
}

void Timeline::end(Cycles at, NodeId node, unsigned number) {
  open_packet(at, nullptr, {});
  std::array<char, 32> space;
  protozero::fixed_size_buffer_adaptor buffer(space);
  PacketWriter event(buffer);
  event.add_enum(event::type, event::slice_end);
  event.add_uint64(event::track, uuid(node, number));
  PacketWriter(packet_).add_message(packet::track_event, buffer.data(), buffer.size());
  put_packet();
}

void Timeline::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  (void)inside(at);
  Track& track = this->track(output.router, output_track(output.output));
  const bool other_owner = track.wanted.circuit != view.owner;
  track.wanted.circuit = view.owner;
  track.wanted.inner.clear();
  if (view.state == LinkState::blocked) {
    track.wanted.inner = reason(view.blocking);
    const std::uint32_t cause = view.blocking.output.router * outputs_ + view.blocking.output.output;
    waiting_[cause].push_back(output.router * of_node_ + output_track(output.output));
  }
  update(at, output.router, output_track(output.output));
  const std::uint32_t place = output.router * outputs_ + output.output;
  if (other_owner && !waiting_.empty() && waiting_.contains(place)) taken_.push_back(place);
}

void Timeline::edge_over(Cycles at) {
  // Those that still wait for an output have somebody else to wait for.
  for (const std::uint32_t output : taken_) {
    const OutputId id{output / outputs_, output % outputs_};
    const std::string now = reason({id, track(id.router, output_track(id.output)).wanted.circuit});
    const std::string what = "waits for " + text_of(id, dim_);
    std::vector<std::uint32_t>& waiting = waiting_[output];
    std::vector<std::uint32_t> still;
    for (const std::uint32_t place : waiting) {
      Slice& slice = tracks_[place].wanted;
      if (slice.inner != what && !slice.inner.starts_with(what + " held")) continue;
      if (std::find(still.begin(), still.end(), place) != still.end()) continue;
      still.push_back(place);
      slice.inner = now;
      update(at, static_cast<NodeId>(place / of_node_), place % of_node_);
    }
    if (still.empty()) {
      waiting_.erase(output);
    } else {
      waiting = std::move(still);
    }
  }
  taken_.clear();
}

void Timeline::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  (void)inside(at);
  Slice& wanted = track(node, 0).wanted;
  wanted.program = view;
  wanted.running = view.state != ProgramState::starting && view.state != ProgramState::finished;
  if (!wanted.running) wanted.program = {};
  update(at, node, 0);
}

void Timeline::injecting(Cycles at, const InjectView& view) {
  (void)inside(at);
  track(view.name.source, inject_track(view.port)).wanted = {.circuit = view.name, .bytes = view.bytes};
  update(at, view.name.source, inject_track(view.port));
}

void Timeline::injected(Cycles at, const InjectView& view) {
  (void)inside(at);
  Slice& wanted = track(view.name.source, inject_track(view.port)).wanted;
  if (wanted.circuit != view.name) return;
  wanted = {};
  update(at, view.name.source, inject_track(view.port));
}

void Timeline::probe_blocked(Cycles at, const InjectView& view, const Blocking* blocking) {
  (void)inside(at);
  Slice& wanted = track(view.name.source, inject_track(view.port)).wanted;
  if (wanted.circuit != view.name) return;
  wanted.inner.clear();
  if (blocking != nullptr) {
    wanted.inner = reason(*blocking);
    waiting_[blocking->output.router * outputs_ + blocking->output.output].push_back(view.name.source * of_node_ +
                                                                                     inject_track(view.port));
  }
  update(at, view.name.source, inject_track(view.port));
}

bool Timeline::finish(Cycles end) {
  if (!open_ && end >= window_.from) (void)inside(window_.from);
  const Cycles at = std::min(end, window_.until);
  for (std::size_t place = 0; open_ && place < tracks_.size(); ++place) {
    tracks_[place].wanted = {};
    sync(at, static_cast<NodeId>(place / of_node_), static_cast<unsigned>(place % of_node_));
  }
  (void)std::fwrite(file_buffer_.data(), 1, file_buffer_.size(), stream_);
  const bool whole = std::ferror(stream_) == 0 && std::fflush(stream_) == 0;
  const bool closed = std::fclose(stream_) == 0;
  stream_ = nullptr;
  return whole && closed;
}

}  // namespace ecube
