// SPDX-License-Identifier: Apache-2.0
// One network interface of the clocked reference: its registers and their next value (hw/README.md sections 3 and 4).
#include "tests/oracle/clocked_interface.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ecube::oracle {
namespace {

using Sending = InterfaceState::Sending;
using Receiving = InterfaceState::Receiving;

/// True of the n-th phit only: all bytes are carried, and one phit fewer would not have carried them.
bool complete(std::uint64_t phits, Bytes bytes, Bytes phit_bytes) {
  return phits * phit_bytes >= bytes && (phits == 1 || (phits - 1) * phit_bytes < bytes);
}

/// One edge of one interface: `next_` starts as a copy of the registers and is what they become.
class Edge {
 public:
  Edge(const InterfaceState& now, const InterfaceWires& wires, const InterfaceContext& context, Cycles edge,
       std::span<CircuitTimes> record)
      : now_(now), wires_(wires), context_(context), edge_(edge), record_(record), next_(now) {}

  InterfaceState run() {
    for (std::size_t p = 0; p < context_.shape.node_ports; ++p) advance_sender(p);
    if (wires_.library != nullptr) make_sends_eligible();
    for (std::size_t p = 0; p < context_.shape.node_ports; ++p) advance_receiver(p);
    give_receive_engines();
    next_.waiting_sends.insert(next_.waiting_sends.end(), wires_.issued.begin(), wires_.issued.end());
    if (now_.processor.busy) --next_.processor.left;
    if (wires_.library != nullptr) serve_library(*wires_.library);
    make_sends_eligible();
    serve_startups();
    if (wormhole()) {
      for (InterfaceState::Eject& port : next_.eject) {
        port.drive = {.stop = port.held >= context_.machine.buffer_phits() || port.tail_held};
      }
    }
    return std::move(next_);
  }

 private:
  [[nodiscard]] const Traffic& message(std::size_t tag) const { return context_.traffic[tag]; }

  /// A port that was busy before this edge.
  void advance_sender(std::size_t p) {
    const InterfaceState::Inject& now = now_.inject[p];
    InterfaceState::Inject& next = next_.inject[p];
    next.drive = {};
    const Backward& ack = wires_.backward[p];
    require(!ack.acknowledge || (now.phase == Sending::probing && ack.message == now.message),
            "an acknowledge answers the probe of its own circuit");
    const bool worm = now.phase == Sending::worm || now.phase == Sending::closing;
    if (worm) {
      if (next.pace_left > 0) --next.pace_left;
      if (next.pace_left > 0 || ack.stop) return;
      if (now.phase == Sending::worm) return drive_worm_phit(next);
    }
    if (worm || now.drive.word == Word::tail) {
      record_[now.message].sender_ready = edge_;
      --next_.send_engines_taken;
      next = {};
      if (wires_.library != nullptr) {
        next.held = now.held && ClockedLibrary::role_of(now.message) != CircuitRole::data;
        if (ClockedLibrary::role_of(now.message) == CircuitRole::synchronisation) left_.push_back(now.message);
        wires_.library->left(now.message, edge_);
      }
      for (InterfaceState::Eject& port : next_.eject) port.until_sent[p] = false;
    } else if (now.phase == Sending::startup) {
      if (next.startup_left > 0) --next.startup_left;
    } else if (now.phase == Sending::probing) {
      ++next.probe_age;
      if (ack.acknowledge) next.acknowledged = true;
      if (next.acknowledged && far_enough(next)) start_data(next);
    } else if (now.phase == Sending::data) {
      next.credit += static_cast<std::int64_t>(context_.machine.link.cycles_per_phit.den);
      drive_due_phit(next);
    }
  }

  /// A fixed-distance machine holds the first phit back until edge p + F - h - 3.
  [[nodiscard]] bool far_enough(const InterfaceState::Inject& port) const {
    if (context_.machine.network.distance == Distance::real) return true;
    const Traffic& sent = message(port.message);
    return port.probe_age + hops(sent.source, sent.destination) + 3 >= context_.machine.network.setup_cycles;
  }

  void start_data(InterfaceState::Inject& port) {
    port.phase = Sending::data;
    port.bytes_left = message(port.message).bytes;
    port.credit = static_cast<std::int64_t>(context_.machine.link.cycles_per_phit.den);
    record_[port.message].acknowledge_T0 = edge_;
    port.first_phit = edge_;
    drive_due_phit(port);
  }

  /// Phit j is due at T0 + floor(j c), the first edge with (cycles since T0 + 1) x den > j x num.
  void drive_due_phit(InterfaceState::Inject& port) {
    if (port.credit <= 0) return;
    port.credit -= static_cast<std::int64_t>(context_.machine.link.cycles_per_phit.num);
    const Bytes carried = std::min<Bytes>(port.bytes_left, context_.machine.link.phit_bytes);
    port.bytes_left -= carried;
    const bool last = port.bytes_left == 0;
    port.drive = {.word = last ? Word::tail : Word::phit, .remaining = 0, .message = port.message};
    if (last) record_[port.message].tail_Tt = edge_;
  }

  /// The next phit of a worm, at the pace of the link and as long as nothing stops it.
  void drive_worm_phit(InterfaceState::Inject& port) {
    if (!port.begun) record_[port.message].acknowledge_T0 = edge_;
    port.begun = true;
    port.bytes_left -= std::min<Bytes>(port.bytes_left, context_.machine.link.phit_bytes);
    const bool last = port.bytes_left == 0;
    port.drive = {.word = last ? Word::tail : Word::phit, .remaining = 0, .message = port.message};
    port.pace_left = pace();
    if (!last) return;
    record_[port.message].tail_Tt = edge_;
    port.phase = Sending::closing;
  }

  [[nodiscard]] bool wormhole() const { return context_.machine.network.switching == Switching::wormhole; }
  [[nodiscard]] Cycles pace() const {
    return context_.machine.link.cycles_per_phit.num / context_.machine.link.cycles_per_phit.den;
  }

  /// Words that arrive before the probe has been taken wait behind it; then all go to memory as they come.
  void advance_worm_receiver(std::size_t p) {
    const InterfaceState::Eject& now = now_.eject[p];
    InterfaceState::Eject& next = next_.eject[p];
    const Forward& wire = wires_.forward[p];
    if (now.phase == Receiving::complete) {
      record_[now.message].receiver_ready = edge_;
      --next_.receive_engines_taken;
      next = {};
    } else if (now.phase == Receiving::accepting) {
      --next.accept_left;
      take_worm_when_accepted(next);
    }
    if (wire.word == Word::probe) {
      require(next.phase == Receiving::idle, "an eject port has one worm at a time");
      next.phase = Receiving::waiting;
      next.message = wire.message;
      next.held = 1;
      next_.waiting_probes.push_back(p);
    } else if (wire.word != Word::idle) {
      require(next.phase != Receiving::idle && wire.message == next.message, "phits follow their probe");
      require(next.held < context_.machine.buffer_phits() || next.phase == Receiving::data, "a buffer has room");
      ++next.phits_seen;
      if (wire.word == Word::tail) {
        require(complete(next.phits_seen, message(next.message).bytes, context_.machine.link.phit_bytes),
                "a message is max(1, ceil(m / phit)) phits");
      }
      if (next.phase == Receiving::data) {
        if (wire.word == Word::tail) next.phase = Receiving::complete;
      } else {
        ++next.held;
        next.tail_held = wire.word == Word::tail;
      }
    }
  }

  void take_worm_when_accepted(InterfaceState::Eject& port) {
    if (port.accept_left > 0) return;
    port.phase = port.tail_held ? Receiving::complete : Receiving::data;
    port.held = 0;
    port.tail_held = false;
  }

  void advance_receiver(std::size_t p) {
    if (wormhole()) return advance_worm_receiver(p);
    const InterfaceState::Eject& now = now_.eject[p];
    InterfaceState::Eject& next = next_.eject[p];
    next.drive = {};
    const Forward& wire = wires_.forward[p];
    if (now.phase == Receiving::complete) {
      record_[now.message].receiver_ready = edge_;
      --next_.receive_engines_taken;
      next = {};
      if (wires_.library != nullptr) {
        next_.processor.queue.push_back({.startup = false, .task = wires_.library->arrived(now.message)});
      }
    } else if (now.phase == Receiving::accepting) {
      --next.accept_left;
      acknowledge_when_accepted(next);
    }
    if (wire.word == Word::probe) {
      require(next.phase == Receiving::idle, "an eject port has one circuit at a time");
      next.phase = Receiving::waiting;
      next.message = wire.message;
      next_.waiting_probes.push_back(p);
      for (std::size_t q = 0; q < context_.shape.node_ports; ++q) next.until_sent[q] = deep_in_sending(q);
    } else if (wire.word != Word::idle) {
      require(now.phase == Receiving::data && wire.message == now.message, "phits follow the acknowledge");
      ++next.phits_seen;
      if (wire.word == Word::tail) {
        require(complete(next.phits_seen, message(now.message).bytes, context_.machine.link.phit_bytes),
                "a message is max(1, ceil(m / phit)) phits");
        next.phase = Receiving::complete;
      }
    }
  }

  /// Where nodes send and receive together or not at all: an own circuit whose first phit is too long ago.
  [[nodiscard]] bool deep_in_sending(std::size_t p) const {
    const Machine::Network& network = context_.machine.network;
    const InterfaceState::Inject& port = next_.inject[p];
    return network.duplex == Duplex::together && port.phase == Sending::data &&
           port.first_phit + network.together_cycles < edge_;
  }

  void give_receive_engines() {
    auto waiting = next_.waiting_probes.begin();
    while (waiting != next_.waiting_probes.end() && next_.receive_engines_taken < context_.engines()) {
      InterfaceState::Eject& port = next_.eject[*waiting];
      if (std::ranges::find(port.until_sent, true) != port.until_sent.end()) {
        ++waiting;
        continue;
      }
      waiting = next_.waiting_probes.erase(waiting);
      ++next_.receive_engines_taken;
      port.phase = Receiving::accepting;
      port.accept_left = context_.machine.network.accept_cycles - 1;
      record_[port.message].acceptance = edge_;
      if (wormhole()) {
        take_worm_when_accepted(port);
      } else {
        acknowledge_when_accepted(port);
      }
    }
  }

  static void acknowledge_when_accepted(InterfaceState::Eject& port) {
    if (port.accept_left > 0) return;
    port.phase = Receiving::data;
    port.drive = {.acknowledge = true, .message = port.message};
  }

  /// In the order of issue: a free engine goes to the first send whose port is free.
  void make_sends_eligible() {
    auto send = next_.waiting_sends.begin();
    while (send != next_.waiting_sends.end() && next_.send_engines_taken < context_.engines()) {
      const std::size_t p = context_.inject_port(message(*send));
      InterfaceState::Inject& port = next_.inject[p];
      const bool begins = wires_.library != nullptr && begins_send(*send);
      if (port.phase != Sending::idle || (begins && port.held)) {
        ++send;
        continue;
      }
      const bool held = port.held || (begins && ClockedLibrary::continued(*send));
      port = {.phase = Sending::startup, .message = *send, .startup_left = startup_of(*send), .held = held};
      ++next_.send_engines_taken;
      if (context_.machine.node.startups == Startups::queued) next_.processor.queue.push_back({.port = p});
      send = next_.waiting_sends.erase(send);
    }
  }

  /// True for the first circuit of a send, false for what goes ahead of it.
  [[nodiscard]] bool begins_send(std::size_t tag) const {
    return tag == wires_.library->first_circuit(tag / roles) && ClockedLibrary::role_of(tag) != CircuitRole::grant;
  }

  /// Circuits that became ready go behind those that were, and before every send that has not begun.
  void take_ready(ClockedLibrary& library) {
    for (const std::size_t tag : library.ready) {
      const auto place =
          std::ranges::find_if(next_.waiting_sends, [&](std::size_t other) { return begins_send(other); });
      next_.waiting_sends.insert(place, tag);
    }
    library.ready.clear();
    make_sends_eligible();
  }

  void take_copies(std::vector<ClockedLibrary::Task>& copies) {
    for (const ClockedLibrary::Task& copy : copies) next_.processor.queue.push_back({.startup = false, .task = copy});
    copies.clear();
  }

  /// Sections 2 to 5 of the order of work: receipts, copies and departures that end at this edge, then the program.
  void serve_library(ClockedLibrary& library) {
    enum class What : std::uint8_t { receipt, copied, departed };
    struct Happened {
      NodeId peer;
      What what;
      ClockedLibrary::Task task;
      auto order() const { return std::pair(peer, what); }
    };
    std::vector<Happened> happened;
    InterfaceState::Processor& processor = next_.processor;
    if (processor.busy && processor.left == 0 && !processor.work.startup) {
      const ClockedLibrary::Task& task = processor.work.task;
      happened.push_back({library.peer_of(task.circuit), task.copy ? What::copied : What::receipt, task});
      processor.busy = false;
    }
    for (const std::size_t tag : left_) happened.push_back({library.peer_of(tag), What::departed, {.circuit = tag}});
    std::ranges::sort(happened, {}, [](const Happened& event) { return event.order(); });
    for (const Happened& event : happened) {
      if (event.what == What::departed) {
        library.synchronisation_left(event.task.circuit);
      } else {
        library.ended(event.task, edge_);
      }
      take_copies(library.copies);
      take_ready(library);
    }
    while (library.run_program(edge_)) {
      library.look_again();
      take_ready(library);
      for (const std::size_t operation : library.sends) next_.waiting_sends.push_back(library.first_circuit(operation));
      library.sends.clear();
      make_sends_eligible();
      std::ranges::stable_sort(library.posted_copies, {},
                               [&](const ClockedLibrary::Task& copy) { return library.peer_of(copy.circuit); });
      take_copies(library.posted_copies);
    }
    library.settle();
  }

  [[nodiscard]] Cycles startup_of(std::size_t tag) const {
    if (message(tag).startup != automatic_startup) return message(tag).startup;
    const Machine::Library& library = context_.machine.library;
    return (message(tag).bytes == 0 ? library.send_zero_cycles : library.send_cycles) + message(tag).extra_startup;
  }

  void serve_startups() {
    if (context_.machine.node.startups == Startups::queued) return serve_queued_startups();
    for (std::size_t p = 0; p < context_.shape.node_ports; ++p) {
      const InterfaceState::Inject& port = next_.inject[p];
      if (port.phase == Sending::startup && port.startup_left == 0) drive_probe(p);
    }
  }

  /// More than one start-up ends at an edge only when some take no time.
  void serve_queued_startups() {
    InterfaceState::Processor& processor = next_.processor;
    for (;;) {
      if (processor.busy && processor.left > 0) return;
      if (processor.busy) drive_probe(processor.work.port);
      processor.busy = !processor.queue.empty();
      if (!processor.busy) return;
      processor.work = processor.queue.front();
      processor.queue.pop_front();
      processor.left =
          processor.work.startup ? startup_of(next_.inject[processor.work.port].message) : processor.work.task.cycles;
    }
  }

  void drive_probe(std::size_t p) {
    InterfaceState::Inject& port = next_.inject[p];
    const Traffic& sent = message(port.message);
    port.phase = wormhole() ? Sending::worm : Sending::probing;
    port.bytes_left = sent.bytes;
    port.pace_left = pace();
    port.begun = false;
    port.probe_age = 0;
    port.drive = {.word = Word::probe, .remaining = sent.source ^ sent.destination, .message = port.message};
    record_[port.message].probe = edge_;
  }

  const InterfaceState& now_;
  const InterfaceWires& wires_;
  const InterfaceContext& context_;
  Cycles edge_;
  std::span<CircuitTimes> record_;
  InterfaceState next_;
  std::vector<std::size_t> left_;  ///< synchronisation messages whose tail was driven at the edge before
};

}  // namespace

std::uint32_t InterfaceContext::engines() const {
  return machine.node.ports.shared(shape.dim) ? machine.node.ports.engines : shape.node_ports;
}

std::size_t InterfaceContext::inject_port(const Traffic& message) const {
  if (machine.node.ports.engines == 1) return 0;
  if (message.port != automatic) return message.port;
  if (message.source == message.destination) return 0;
  return static_cast<std::size_t>(std::countr_zero(message.source ^ message.destination));
}

InterfaceState next_interface(const InterfaceState& now, const InterfaceWires& wires, const InterfaceContext& context,
                              Cycles edge, std::span<CircuitTimes> record) {
  return Edge(now, wires, context, edge, record).run();
}

}  // namespace ecube::oracle
