// SPDX-License-Identifier: Apache-2.0
// Packets of a Perfetto trace. Field numbers are those of perfetto's protos/perfetto/trace (trace_packet.proto,
// track_event.proto, track_descriptor.proto, interned_data.proto, debug_annotation.proto).
#include <fmt/core.h>

#include <bit>
#include <cstring>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>
#include <unordered_map>

#include "testbench/system/staged_files.h"
#include "testbench/trace/machine_trace.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

namespace {

namespace packet {
constexpr protozero::pbf_tag_type in_trace = 1, timestamp = 8, sequence = 10, track_event = 11, interned_data = 12,
                                  sequence_flags = 13, track_descriptor = 60;
constexpr std::uint32_t state_cleared = 1, needs_state = 2;
}  // namespace packet
namespace event {
constexpr protozero::pbf_tag_type annotations = 4, type = 9, name_iid = 10, track = 11, flows = 47, ending_flows = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2;
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

/// The fields of a packet, written in their final place. Lengths of inner messages take a fixed number of bytes, as in
/// Perfetto's own writers, so that nothing is moved when a length is known.
class Fields {
 public:
  void number(protozero::pbf_tag_type tag, std::uint64_t value) {
    key(tag, protozero::pbf_wire_type::varint);
    at_ += protozero::add_varint_to_buffer(at_, value);
  }
  void fixed64(protozero::pbf_tag_type tag, std::uint64_t value) {
    static_assert(std::endian::native == std::endian::little);
    key(tag, protozero::pbf_wire_type::fixed64);
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void text(protozero::pbf_tag_type tag, std::string_view value) {
    key(tag, protozero::pbf_wire_type::length_delimited);
    at_ += protozero::add_varint_to_buffer(at_, value.size());
    at_ = std::copy(value.begin(), value.end(), at_);
  }
  /// A message of at most 127 bytes if its length takes one byte, of at most 16,383 bytes with two.
  template <typename Content>
  void message(protozero::pbf_tag_type tag, unsigned length_bytes, const Content& content) {
    key(tag, protozero::pbf_wire_type::length_delimited);
    char* const length = at_;
    at_ += length_bytes;
    content();
    const auto bytes = static_cast<std::size_t>(at_ - length) - length_bytes;
    length[0] = static_cast<char>(length_bytes == 1 ? bytes : bytes | 0x80U);
    if (length_bytes == 2) length[1] = static_cast<char>(bytes >> 7);
  }
  [[nodiscard]] std::string_view bytes() const { return {packet_.data(), at_}; }

 private:
  void key(protozero::pbf_tag_type tag, protozero::pbf_wire_type type) {
    at_ += protozero::add_varint_to_buffer(at_, tag << 3 | static_cast<std::uint32_t>(type));
  }

  /// More than any packet takes: two names, of which one can have some sixty characters.
  std::array<char, 512> packet_;
  char* at_ = packet_.data();
};

constexpr auto nothing = [](Fields&) {};

/// Writes a packet with an event of a track: the beginning of a slice, with its name, whose text comes first unless it
/// is empty; or without a name (iid 0) the end of a slice. `before` and `after` add fields to the event.
template <typename Before, typename After>
void put_event(StagedFile& file, std::uint64_t time, std::uint64_t track, std::uint64_t iid, std::string_view text,
               const Before& before, const After& after) {
  Fields fields;
  const auto content = [&] {
    fields.number(packet::timestamp, time);
    fields.number(packet::sequence, the_sequence);
    if (iid != 0) fields.number(packet::sequence_flags, packet::needs_state);
    if (!text.empty()) {
      fields.message(packet::interned_data, 2, [&] {
        fields.message(interned::event_names, 2, [&] {
          fields.number(interned::iid, iid);
          fields.text(interned::name, text);
        });
      });
    }
    fields.message(packet::track_event, 1, [&] {
      before(fields);
      fields.number(event::type, iid != 0 ? event::slice_begin : event::slice_end);
      if (iid != 0) fields.number(event::name_iid, iid);
      fields.number(event::track, track);
      after(fields);
    });
  };
  fields.message(packet::in_trace, text.empty() ? 1U : 2U, content);
  file.put(fields.bytes());
}

/// A group of tracks for every node: its program, its inject ports with a slice for every circuit it sends, its links
/// and eject ports with a slice for every circuit that owns them. Time in which a circuit's probe waits is a slice of
/// its own inside, which names the output waited for and its owner; a flow leads from the inject port to the eject
/// port.
class Timeline final : public FileSink {
 public:
  Timeline(const std::string& file, const Topology& topology, const TraceWindow& window,
           const TraceSelection& selection, std::uint64_t clock_hz)
      : file_(file),
        window_(window),
        time_{-9, clock_hz, 1'000'000'000},
        links_(topology.outputs()),
        outputs_(selection.outputs()),
        ports_(outputs_ - links_),
        of_node_(1 + ports_ + outputs_),
        tracks_(std::size_t{topology.nodes()} * of_node_),
        newest_pair_(topology.nodes()) {
    bool first = true;
    const auto add = [&](std::uint64_t id, std::uint64_t parent, unsigned rank, const std::string& name) {
      Fields fields;
      fields.message(packet::in_trace, 2, [&] {
        fields.number(packet::sequence, the_sequence);
        if (first) {
          fields.number(packet::sequence_flags, packet::state_cleared);
          fields.message(packet::interned_data, 2, [&] {
            for (std::size_t i = 0; i < annotation::names.size(); ++i) {
              fields.message(interned::annotation_names, 1, [&] {
                fields.number(interned::iid, i + 1);
                fields.text(interned::name, annotation::names[i]);
              });
            }
          });
          first = false;
        }
        fields.message(packet::track_descriptor, 1, [&] {
          fields.number(descriptor::uuid, id);
          fields.text(descriptor::name, name);
          if (parent != 0) fields.number(descriptor::parent, parent);
          fields.number(descriptor::child_ordering, descriptor::explicit_order);
          fields.number(descriptor::rank, rank);
        });
      });
      file_.put(fields.bytes());
    };
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const std::uint64_t group = uuid(place_of(node, of_node_ - 1)) + 1;
      bool named = false;
      const auto with = [&](unsigned number, const std::string& name) {
        if (!std::exchange(named, true)) add(group, 0, node, fmt::format("node {}", node));
        tracks_[place_of(node, number)].selected = true;
        add(uuid(place_of(node, number)), group, number, name);
      };
      if (selection.program(node)) {
        with(0, fmt::format("program {}", node));
        for (unsigned port = 0; port < ports_; ++port) with(1 + port, fmt::format("inject {}:{}", node, port));
      }
      for (unsigned output = 0; output < outputs_; ++output) {
        if (!selection.output(node, output)) continue;
        const std::string link = link_name(topology, {node, output});
        with(output_track(output), text_of({node, output}, links_) + (link.empty() ? "" : " ") + link);
      }
    }
  }

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override {
    Slice slice{.circuit = view.owner, .bytes = view.message, .waits = view.blocking};
    if (view.tuned_to != 0) slice.state = link_state_names[static_cast<std::size_t>(view.state)];
    show(at, place_of(output), slice);
  }
  [[nodiscard]] bool follows_holders() const override { return true; }
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override {
    const bool running = view.state != ProgramState::starting && view.state != ProgramState::finished;
    const auto state = static_cast<std::size_t>(view.state);
    const ProgramView counted{.phase = view.phase, .step = view.step};
    show(at, place_of(node, 0), running ? Slice{.state = program_state_names[state], .program = counted} : Slice{});
  }

  void finish(Cycles end) override {
    if (end >= window_.from) enter_window(window_.from);
    const Cycles at = std::min(end, window_.until);
    for (std::uint32_t place = 0; open_ && place < tracks_.size(); ++place) {
      tracks_[place].wanted = {};
      sync(at, place);
    }
    file_.commit();
  }

 private:
  /// The present or next slice of a track, perhaps with another slice inside.
  struct Slice {
    CircuitName circuit{};  ///< number 0: none
    Bytes bytes = 0;
    std::string_view state{};  ///< without a circuit: of a program, or that a link is closing or dark
    ProgramView program{};
    std::optional<Blocking> waits{};  ///< with a slice inside that names the output waited for
    [[nodiscard]] bool same_slice(const Slice& other) const {
      return circuit == other.circuit && state == other.state && program == other.program;
    }
    [[nodiscard]] bool none() const { return circuit.number == 0 && state.empty(); }
  };
  struct Track {
    Slice shown;
    Slice wanted;
    bool selected = false;
  };

  // Tracks of a node: its program, inject ports, then outputs; a place is that of a track in tracks_.
  [[nodiscard]] unsigned output_track(unsigned output) const { return 1 + ports_ + output; }
  [[nodiscard]] std::uint32_t place_of(NodeId node, unsigned number) const { return node * of_node_ + number; }
  [[nodiscard]] std::uint32_t place_of(const OutputId& output) const {
    const bool inject_port = output.output >= outputs_;
    return place_of(output.node, inject_port ? 1 + output.output - outputs_ : output_track(output.output));
  }
  void show(Cycles at, std::uint32_t place, const Slice& slice) {
    enter_window(at);
    tracks_[place].wanted = slice;
    if (open_ && at < window_.until) sync(at, place);
  }
  /// The number behind those of its tracks is that of a node.
  [[nodiscard]] std::uint64_t uuid(std::uint32_t place) const { return std::uint64_t{place} + place / of_node_ + 2; }
  void sync(Cycles at, std::uint32_t place) {
    auto& [shown, wanted, selected] = tracks_[place];
    if (!selected) return;
    const bool same = shown.same_slice(wanted);
    if (same && shown.waits == wanted.waits) return;
    if (shown.waits) end(at, place);
    if (!same) {
      if (!shown.none()) end(at, place);
      if (!wanted.none()) begin(at, place, wanted);
    }
    if (const auto& blocking = wanted.waits) {
      std::string text = "waits for " + text_of(blocking->output, links_);
      if (blocking->holder.number != 0) text += " held by " + blocking->holder.text();
      const Name name = name_of(text);
      put_event(file_, time_.of(at), uuid(place), name.iid, name.text, nothing, nothing);
    }
    shown = wanted;
  }

  /// Begins the file's slices with the first edge of the window.
  void enter_window(Cycles at) {
    if (open_ || at < window_.from || at >= window_.until) return;
    open_ = true;
    for (std::uint32_t place = 0; place < tracks_.size(); ++place) sync(window_.from, place);
  }

  struct Name {
    std::uint64_t iid;
    std::string text;  ///< to be written with the next packet; empty when it is in the file
  };
  [[nodiscard]] Name name_of(const CircuitName& circuit) {
    PairName& newest = newest_pair_[circuit.source];
    if (newest.iid != 0 && newest.destination == circuit.destination) return {newest.iid, {}};
    const auto [known, fresh] =
        pairs_.try_emplace(std::uint64_t{circuit.source} << 32 | circuit.destination, names_ + 1);
    if (fresh) ++names_;
    newest = {circuit.destination, known->second};
    return {known->second, fresh ? fmt::format("{}->{}", circuit.source, circuit.destination) : std::string()};
  }
  [[nodiscard]] Name name_of(const std::string& text) {
    const auto [known, fresh] = texts_.try_emplace(text, names_ + 1);
    if (fresh) ++names_;
    return {known->second, fresh ? text : std::string()};
  }

  void begin(Cycles at, std::uint32_t place, const Slice& slice) {
    const bool of_circuit = slice.state.empty();
    const Name name = of_circuit ? name_of(slice.circuit) : name_of(std::string(slice.state));
    const unsigned number = place % of_node_;
    const auto annotations = [&](Fields& fields) {
      const auto annotate = [&fields](std::uint64_t what, std::uint64_t value) {
        fields.message(event::annotations, 1, [&] {
          fields.number(annotation::name_iid, what);
          fields.number(annotation::uint_value, value);
        });
      };
      if (number == 0) {
        annotate(annotation::phase, slice.program.phase);
        annotate(annotation::step, slice.program.step);
      } else if (of_circuit) {
        annotate(annotation::message, slice.circuit.number);
        if (number < output_track(0)) annotate(annotation::bytes, slice.bytes);
      }
    };
    const auto flows = [&](Fields& fields) {
      if (!of_circuit) return;
      const std::uint64_t flow = std::uint64_t{slice.circuit.source} << 40 | slice.circuit.number;
      if (number < output_track(0)) fields.fixed64(event::flows, flow);
      if (number >= output_track(links_)) fields.fixed64(event::ending_flows, flow);
    };
    put_event(file_, time_.of(at), uuid(place), name.iid, name.text, annotations, flows);
  }

  void end(Cycles at, std::uint32_t place) { put_event(file_, time_.of(at), uuid(place), 0, {}, nothing, nothing); }

  StagedFile file_;
  TraceWindow window_;
  WaveTime time_;   ///< in ns
  unsigned links_;  ///< of a router
  unsigned outputs_;
  unsigned ports_;
  unsigned of_node_;  ///< tracks of a node
  bool open_ = false;
  std::vector<Track> tracks_;                               ///< [node][track]
  std::uint64_t names_ = 0;                                 ///< interned so far
  std::unordered_map<std::uint64_t, std::uint64_t> pairs_;  ///< iid by source << 32 | destination
  std::unordered_map<std::string, std::uint64_t> texts_;    ///< iid
  struct PairName {
    NodeId destination;
    std::uint64_t iid = 0;  ///< 0: none
  };
  std::vector<PairName> newest_pair_;  ///< [source]: looked up last, and most likely next
};

}  // namespace

std::unique_ptr<FileSink> make_timeline(const std::string& file, const Topology& topology, const TraceWindow& window,
                                        const TraceSelection& selection, std::uint64_t clock_hz) {
  return std::make_unique<Timeline>(file, topology, window, selection, clock_hz);
}

}  // namespace ecube
