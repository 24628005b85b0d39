// SPDX-License-Identifier: Apache-2.0
// The network interfaces of all nodes: ports, engines, start-ups, matching and payload.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/event_fabric.h"
#include "hw/event_wheel.h"
#include "hw/processors.h"
#include "models/huge_pages.h"
#include "models/operations.h"
#include "models/payload.h"
#include "models/prefetch.h"
#include "models/random.h"
#include "models/run.h"

namespace ecube {

/// Sections 4 and 8 of hw/README.md for every node; the nodes' modules own no state of their own. To programs, it is
/// their nodes.
class NetworkInterfaces final : public FabricClient, public NodePorts {
 public:
  NetworkInterfaces(Circuits& circuits, EventFabric& fabric) : circuits_(circuits), fabric_(fabric) {}

  /// Cycle 0 again.
  void reset(const Machine& machine, unsigned dim, const RunConditions& conditions);
  /// Starts `program` on every node; starts are spread by the jitter.
  void load(Program& program);

  [[nodiscard]] Cycles next_cycle() const { return wheel_.next_cycle(); }
  /// Does the work of this cycle, after the fabric's.
  void advance(Cycles now);
  /// Announces the cycle before the fabric does its work, so that what it reports is dated rightly.
  void begin_cycle(Cycles now) { now_ = now; }

  [[nodiscard]] unsigned dim() const override { return dim_; }
  [[nodiscard]] Cycles now() const override { return now_; }
  [[nodiscard]] double now_us() const override { return machine_.us(static_cast<double>(now_)); }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  void start_send(NodeId node, Operation& operation) override;
  void start_receive(NodeId node, Operation& operation) override;
  void start_exchange(NodeId node, Operation& operation) override;
  void start_compute(NodeId node, Operation& operation) override;
  void finished(NodeId node, std::exception_ptr error) override;

  void probe_arrived(CircuitId id, Cycles at) override;
  void probe_comes(const Circuit& circuit) const override;
  void probe_is_near(const Circuit& circuit) const override;
  void received(CircuitId id, Cycles first_phit, Cycles at) override;
  void sent(CircuitId id, Cycles first_phit, Cycles at) override;
  void established(CircuitId id, const CircuitEdges& edges, Cycles first_received) override;
  void moving(NodeId node, Cycles from, Cycles until) override;
  void stopped(NodeId node, Cycles from, Cycles until) override;
  void blocked(const Circuit& circuit, bool link, Cycles cycles) override;

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] const RunStatistics& statistics() const { return statistics_; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] Cycles last_finish() const { return last_finish_; }
  /// A fault of the program: an escaped error, or a message longer than its receive. Empty when there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }
  /// What the nodes that have not finished wait for, at most `most` of them, in order of node.
  [[nodiscard]] std::vector<WaitingNode> waiting_nodes(std::size_t most) const;
  [[nodiscard]] std::size_t memory_bytes() const;
  void observe(Observer* observer) { observer_ = observer; }

 private:
  enum class Kind : std::uint8_t {
    resume,
    port_free,
    arrival,
    start,
    receipt,
    copy,
    copied,
    left,
    next_packet,
    departed,
    computed
  };
  struct Event {
    union {
      Operation* operation;
      std::uint64_t number;  ///< a port, a circuit, a node, a message, or bytes << max_simulated_dim | node
    };
    Kind kind;
  };
  static_assert(sizeof(Event) == 16);

  /// Operations one after the other, linked by `link`.
  template <Operation* Operation::*link>
  struct List {
    Operation* head = nullptr;
    Operation* tail = nullptr;
    void append(Operation& operation) {
      operation.*link = nullptr;
      (head == nullptr ? head : tail->*link) = &operation;
      tail = &operation;
    }
    void remove(Operation* before, Operation& operation) {
      (before == nullptr ? head : before->*link) = operation.*link;
      if (tail == &operation) tail = before;
    }
  };
  using Receives = List<&Operation::next>;
  using Sends = List<&Operation::next_send>;

  struct alignas(64) Node {
    Receives receives;               ///< posted, in order
    Operation* submitted = nullptr;  ///< sends and work of this edge that may have to queue, in order of issue
    Operation* submitted_last = nullptr;
    CircuitId arrived = no_circuit;  ///< messages without a receive, in order of arrival
    std::uint32_t in_flight = 0;     ///< messages on their way whose receive was not found yet
    std::uint32_t draws = 0;
    std::uint16_t sending = 0;  ///< send engines in use (K engines only)
    bool finished = false;
  };

  /// Apart from what messages look at: what a node does itself needs no more of it than this.
  struct Count {
    std::uint32_t issued = 0;      ///< operations
    std::uint32_t unfinished = 0;  ///< of those that take turns, not yet done
  };

  /// All that a send looks at that finds its port free. Small: the ports of partners are all over the machine.
  struct SendPort {
    Cycles free_at = 0;   ///< never while the tail of the circuit that uses it is not known
    bool queued = false;  ///< there is something in its queue
  };

  struct PortQueue {
    Sends sends;
    CircuitList ready;             ///< later circuits of the send under way, and grants
    Operation* current = nullptr;  ///< the send under way, if it takes more than one circuit
    Cycles announced = 0;          ///< SendPort::free_at for which there is an event

    [[nodiscard]] bool waits() const { return sends.head != nullptr || !ready.empty(); }
    [[nodiscard]] bool empty() const { return !waits() && current == nullptr; }
  };

  /// What only a message library with a protocol needs of a node.
  struct Library {
    struct Synchronisation {
      NodeId source;
      std::uint32_t type;
      Operation* exchange;  ///< that waits for the message; null if the message came first
    };
    Bytes buffered = 0;
    std::vector<Synchronisation> synchronisations;
    std::vector<Operation*> reservations;  ///< sends whose reservation waits, in order of arrival
  };

  /// A message under way on a machine that stores and forwards its packets.
  struct Message {
    Operation* operation = nullptr;  ///< the sender's; null once its last packet has left the source
    Operation* receiver = nullptr;   ///< partner of a rendezvous
    std::byte* staged = nullptr;
    Bytes bytes = 0;
    Bytes unsent = 0;
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t arriving = 0;  ///< packets that the destination has not got
    std::uint32_t next = 0;      ///< free
  };

  // network_interface.cpp: the order of work in a cycle, computation, acceptance
  /// Receives do not: they occupy neither port nor processor.
  [[nodiscard]] static bool takes_turns(const Operation& operation) {
    return operation.kind != OperationKind::receive && operation.kind != OperationKind::receive_each;
  }
  void issue(NodeId node, Operation& operation, std::uint32_t parts) {
    begin_operation(operation, node, parts, now_, dim_, ports_);
    Count& count = counts_[node];
    operation.issue = count.issued++;
    if (takes_turns(operation)) ++count.unfinished;
    if (observer_ != nullptr) [[unlikely]]
      observer_->issued(operation, now_);
  }
  void begin_compute(Operation& operation);
  [[nodiscard]] Cycles combining_left(const Operation& operation) const;
  void finish_computation(NodeId node);
  void announce_end(NodeId node);
  void finish_part(Operation& operation, Cycles at) {
    if (at > operation.ready_at) operation.ready_at = at;
    if (--operation.parts != 0) return;
    wheel_.push(std::max(operation.ready_at, now_), {.operation = &operation, .kind = Kind::resume});
  }
  bool serve_interfaces(EventWheel<Event>::Chunk* head);
  void serve_edge(EventWheel<Event>::Chunk* head);
  bool sort_by_place(EventWheel<Event>::Chunk* head);
  void serve_programs(std::span<const Event> events);
  void push(Cycles at, Kind kind, std::uint64_t number);
  void serve_probes();
  void serialised(Cycles cycles);
  [[nodiscard]] Cycles accepted_from(const Circuit& circuit, Cycles seen);
  [[nodiscard]] Cycles jitter(NodeId node) {
    if (conditions_.jitter == 0) return 0;
    return up_to(draw(conditions_.seed, node, nodes_[node].draws++), conditions_.jitter);
  }
  [[nodiscard]] std::size_t port_number(unsigned port, NodeId node) const {
    return (static_cast<std::size_t>(node) << port_bits_) + port;
  }

  // send_ports.cpp: rendezvous, ports, engines
  [[nodiscard]] bool meets(const Operation& operation) const {
    return operation.sync == PairwiseSync::on && !protocol_ && operation.kind != OperationKind::receive_each;
  }
  [[nodiscard]] Operation*& rendezvous(NodeId node, NodeId partner) {
    const unsigned way = ports_ == 1 || node == partner ? 0 : static_cast<unsigned>(std::countr_zero(node ^ partner));
    return rendezvous_[port_number(way, node)];
  }
  // Into the cache, soon to be written: the lines of an operation, and the one behind it.
  enum class Part : std::uint8_t { common, received, sent, incoming, behind };
  static void fetch(const Operation& operation, Part part) {
    fetch_to_write(reinterpret_cast<const std::byte*>(&operation) + 64 * static_cast<std::size_t>(part));
  }
  void fetch_send(const Operation& operation) const {
    fetch(operation, Part::common);
    fetch(operation, Part::sent);
    if (exchanges_contents_) fetch(operation, Part::incoming);
  }
  static void fetch_receive(const Operation& operation) {
    fetch(operation, Part::common);
    fetch(operation, Part::received);
  }
  void ask_to_meet(NodeId node, Operation& operation);
  void meet(NodeId node, Operation& operation);
  void submit(Operation& operation);
  void serve_submitted();
  void queue_send(Sends& queue, Operation& operation) const;
  void enter_port(Operation& operation);
  void ask_port(Operation& operation);
  void serve_meeting();
  void serve_asked();
  void begin_send(Operation& operation, unsigned port);
  void launch(CircuitId id);
  void fetch_coming(const Operation& send);
  void serve_port(std::size_t number);
  void announce_port(std::size_t number);
  /// To be called when something has been put into a port's queue or taken from it.
  void queue_changed(std::size_t number) { send_ports_[number].queued = !port_queues_[number].empty(); }
  void set_current(std::size_t number, Operation* send) {
    port_queues_[number].current = send;
    queue_changed(number);
  }
  void serve_engines(NodeId node);
  void serve_freed_ports();

  // message_matching.cpp: matching, payload, both ends of a circuit
  void announce_arrival(CircuitId id, Cycles first_phit, Cycles at);
  void serve_arrivals();
  void keep_arrived(CircuitId id);
  void give_up_doubtful();
  bool match(CircuitId id, Cycles first_phit, Cycles at, bool early);
  void match_arrived(Operation& receive);
  void end_receiving(CircuitId id, Circuit& circuit, Cycles first_phit, Cycles at);
  void end_sending(CircuitId id, Circuit& circuit, Cycles first_phit, Cycles at);
  void complete_receive(Operation& operation, CircuitId id, Cycles first_phit, Cycles at);
  void deliver(Operation& receive, CircuitId id);
  void stage(CircuitId id);
  [[nodiscard]] std::byte* take_contents(Operation& send);
  void set_aside(Operation& send);
  void release_circuit(CircuitId id) {
    Circuit& circuit = circuits_[id];
    if (circuit.staged) [[unlikely]]
      buffers_.release(circuits_.aside(id).staged, circuit.bytes);
    circuits_.release(id);
  }

  // message_protocol.cpp: kinds of circuits, receipts, synchronisation, reservation, buffers
  /// A circuit from the node of `about` to its peer.
  [[nodiscard]] CircuitId make_circuit(CircuitKind kind, Operation& about) {
    const CircuitId id = circuits_.allocate();
    Circuit& circuit = circuits_[id];
    circuit.operation = &about;
    circuit.receiver = about.partner;
    circuit.bytes = about.bytes;
    circuit.source = about.node;
    circuit.destination = about.peer;
    circuit.type = about.type;
    circuit.label = about.label;
    circuit.kind = kind;
    circuit.carries = about.bytes > 0 && !about.outgoing.empty();
    circuit.staged = false;
    circuit.link_blocked = false;
    circuit.port_blocked = false;
    circuit.received = false;
    circuit.granted = false;
    circuit.buffered = false;
    circuit.tag = about.tag;
    circuit.next = no_circuit;
    if (is_control(kind)) [[unlikely]] {
      circuit.receiver = nullptr;
      circuit.bytes = 0;
      circuit.carries = false;
      circuits_.aside(id).about = &about;
    }
    return id;
  }
  [[nodiscard]] CircuitKind first_kind(const Operation& send) const {
    if (send.signal) return CircuitKind::signal;
    if (!protocol_) return CircuitKind::data;
    const bool synchronised = send.kind == OperationKind::exchange && send.sync == PairwiseSync::on;
    if (synchronised) return CircuitKind::synchronisation;
    return reserves(send) ? CircuitKind::reservation : CircuitKind::data;
  }
  [[nodiscard]] bool reserves(const Operation& send) const {
    return machine_.library.protocol == Protocol::unforced && send.bytes > machine_.library.threshold_bytes;
  }
  [[nodiscard]] Cycles startup(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data || circuit.granted || stores_) return other_startup(circuit);
    return circuit.bytes == 0 ? paths_.send_zero : paths_.send;
  }
  [[nodiscard]] Cycles receipt(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data) return other_receipt(circuit);
    return circuit.bytes == 0 ? paths_.receive_zero : paths_.receive;
  }
  [[nodiscard]] Cycles other_startup(const Circuit& circuit) const;
  [[nodiscard]] Cycles other_receipt(const Circuit& circuit) const;
  /// Of a receipt or copy that is due now; of zero cycles, it is no work and waits for none.
  [[nodiscard]] Cycles end_of_receiving_work(NodeId node, Cycles length) {
    return queued_ && length > 0 ? processors_.serve(node, now_, length) : now_ + length;
  }
  void make_ready(CircuitId id);
  /// The end of a receipt, or the beginning of a copy, of a message that arrives now; at this edge, it is among those
  /// that are served when all have arrived.
  void receive_later(Cycles at, Kind kind, CircuitId id) {
    if (at > now_) return push(at, kind, id);
    receipts_.push_back({.number = id, .kind = kind});
  }
  void serve_receipts();
  void receipt_ended(CircuitId id);
  void expect_synchronisation(Operation& exchange);
  void synchronised_part(Operation& exchange);
  void synchronisation_received(const Circuit& circuit);
  void reservation_received(const Circuit& circuit);
  void consider_reservations(NodeId node);
  void serve_granting();
  bool grant(Operation& send);
  void copy_out(CircuitId id);
  void copied(CircuitId id);

  // store_and_forward.cpp: packets
  void begin_message(Operation& operation, unsigned port);
  [[nodiscard]] CircuitId make_packet(std::uint32_t number);
  void packet_sent(CircuitId id, Cycles at);
  void send_next_packet(std::uint32_t number);
  [[nodiscard]] bool packet_arrived(CircuitId id);
  void store(NodeId node, Bytes bytes);

  Circuits& circuits_;
  EventFabric& fabric_;
  ObserverPointer observer_{};
  Machine machine_;
  RunConditions conditions_;
  Machine::PathLengths paths_;  ///< worked out once
  unsigned dim_ = 0;
  unsigned ports_ = 1;
  unsigned port_bits_ = 0;  ///< of a port's number
  bool shared_engines_ = false;
  bool queued_ = false;              ///< library work occupies the processor
  bool independent_ = false;         ///< nothing but their own order binds the sends of a node's ports
  bool protocol_ = false;            ///< forced or unforced
  bool stores_ = false;              ///< and forwards packets
  bool arrival_events_ = false;      ///< what an arrival does depends on its edge
  bool exchanges_contents_ = false;  ///< one of them at least: exchanges are read to the last line
  Cycles now_ = 0;
  EventWheel<Event> wheel_;
  std::uint64_t events_ = 0;    ///< processed
  std::uint64_t specials_ = 0;  ///< events in the wheel that are not a resume
  Table<Node> nodes_;
  Table<Count> counts_;             ///< [node]
  std::vector<Library> libraries_;  ///< [node], with a protocol only
  std::vector<Message> messages_;   ///< by number, stores_ only
  std::uint32_t free_message_ = 0;  ///< 1 + number of the first free one
  std::vector<Bytes> stored_;       ///< [node], stores_ only
  Processors processors_;
  Table<SendPort> send_ports_;       ///< [node][port]
  Table<PortQueue> port_queues_;     ///< [node][port]
  std::vector<Cycles> first_phits_;  ///< [node][port]: T0 of the circuit before free_at; unless links are full duplex
  /// [node][dimension towards the partner]: synchronised operations whose partner has not asked yet. By dimension where
  /// a node may have many at once; all at 0 on one port.
  Table<Operation*> rendezvous_;
  std::vector<Sends> engine_queues_;     ///< [node], K engines only
  std::vector<Cycles> receive_engines_;  ///< [node][engine], K engines only: free from
  std::vector<CircuitId> probes_;        ///< K engines: probes of this edge that wait for an engine
  struct Coming {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t type = 0;
    bool carries = false;  ///< contents
  };
  std::array<Coming, 16> coming_{};  ///< messages launched last, whose receives are being fetched
  std::size_t launched_ = 0;
  std::vector<NodeId> submitting_;   ///< nodes with submitted operations
  std::vector<Operation*> meeting_;  ///< synchronised operations of this edge, where nodes have many at once
  struct Asked {
    std::size_t port;
    const Operation* send;
  };
  std::vector<Asked> asked_;      ///< independent ports that sends of this edge have been added to
  std::uint64_t readied_ = 0;     ///< counts circuits in the order in which they became ready
  std::vector<NodeId> granting_;  ///< nodes that posted a receive at this edge, where reservations wait
  std::vector<std::uint64_t> freed_;
  std::vector<Event> half_sorted_;  ///< events of this edge, if there are many
  std::vector<Event> sorted_;
  std::vector<CircuitId> arrivals_;
  std::vector<Event> receipts_;      ///< receipts, copies and departures that end at this edge
  std::vector<NodeId> computed_;     ///< nodes whose computation may end at this edge
  std::vector<CircuitId> doubtful_;  ///< arrivals of this edge that may have to be discarded
  BufferPool buffers_;
  Program* program_ = nullptr;
  RunStatistics statistics_;
  NodeId unfinished_ = 0;
  Cycles last_finish_ = 0;
  std::string fault_;
  std::exception_ptr error_;
};

}  // namespace ecube
