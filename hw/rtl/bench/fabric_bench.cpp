// SPDX-License-Identifier: Apache-2.0
// Random messages on the verilated fabric as a SystemC module, for a design in SystemC to begin from: a driver at
// falling edges, a monitor at rising edges. Needs Verilator and SystemC, and no other part of this project.
#include <Vecube_fabric.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <systemc>

namespace {

constexpr unsigned dim = 2;
constexpr unsigned nodes = 1U << dim;
constexpr unsigned width = 2 * dim + 3 + 16 + 2;
constexpr unsigned sequence = 2 * dim + 3;  // the lowest bit of the sequence number in a probe
constexpr unsigned count_bits = 8;

/// What was sent last by each node, and how many of its messages have left and arrived.
struct Message {
  unsigned destination = 0;
  unsigned started = 0;
  unsigned left = 0;
  unsigned arrived = 0;
};

class Bench : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Bench);

  Bench(const sc_core::sc_module_name& name, unsigned messages) : sc_module(name), wanted_(messages) {
    fabric.clk_i(clock);
    fabric.rst_i(reset);
    fabric.route_delay_i(route_delay);
    fabric.accept_delay_i(accept_delay);
    fabric.phit_cycles_i(phit_cycles);
    fabric.phit_extra_num_i(extra_num);
    fabric.phit_extra_den_i(extra_den);
    fabric.setup_i(setup);
    fabric.together_only_i(together_only);
    fabric.together_i(together);
    fabric.start_i(start);
    fabric.route_i(route);
    fabric.sequence_i(sequences);
    fabric.phits_i(phits);
    fabric.engine_i(engine);
    fabric.granted_o(granted);
    fabric.released_o(released);
    fabric.refused_o(refused);
    fabric.owners_o(owners);
    fabric.asking_o(asking);
    fabric.sent_first_o(sent_first);
    fabric.sent_tail_o(sent_tail);
    fabric.sent_o(sent);
    fabric.probe_seen_o(probe_seen);
    fabric.accepted_o(accepted);
    fabric.received_first_o(received_first);
    fabric.received_tail_o(received_tail);
    fabric.probe_o(probe);
    fabric.serialised_o(serialised);
    fabric.report_o(report);
    fabric.moving_o(moving);
    route_delay.write(2);
    accept_delay.write(3);
    phit_cycles.write(2);
    extra_num.write(1);
    extra_den.write(3);
    engine.write((1U << nodes) - 1);
    reset.write(true);
    SC_METHOD(drive);
    dont_initialize();
    sensitive << clock.negedge_event();
    SC_METHOD(sample);
    dont_initialize();
    sensitive << clock.posedge_event();
  }

  [[nodiscard]] unsigned arrived() const { return arrived_; }
  [[nodiscard]] bool wrong() const { return wrong_; }

 private:
  /// A node starts a message when its previous message has left and arrived.
  void drive() {
    reset.write(cycle_++ < 3);
    if (cycle_ < 5) return;
    std::uint32_t starts = 0;
    std::uint32_t routes = route.read();
    std::uint32_t lengths = phits.read();
    std::uint64_t numbers = sequences.read();
    for (unsigned node = 0; node < nodes; ++node) {
      Message& message = messages_[node];
      if (message.left != message.started || message.arrived != message.started || random_() % 4 != 0) continue;
      ++message.started;
      message.destination = static_cast<unsigned>(random_() % nodes);
      starts |= 1U << node;
      routes = replaced(routes, node * dim, dim, node ^ message.destination);
      lengths = replaced(lengths, node * count_bits, count_bits, 1 + static_cast<unsigned>(random_() % 5));
      const std::uint64_t mask = std::uint64_t{0xffff} << (16 * node);
      numbers = (numbers & ~mask) | (std::uint64_t{message.started} << (16 * node) & mask);
    }
    start.write(starts);
    route.write(routes);
    phits.write(lengths);
    sequences.write(numbers);
  }

  void sample() {
    for (unsigned node = 0; node < nodes; ++node) {
      if ((sent.read() >> node & 1U) != 0) ++messages_[node].left;
      if ((received_tail.read() >> node & 1U) != 0) arrive(node);
    }
    if (arrived_ >= wanted_) sc_core::sc_stop();
  }

  void arrive(unsigned node) {
    const sc_dt::sc_bv<nodes* width>& all = probe.read();
    const unsigned base = node * width;
    const unsigned source = all.range(base + 2 * dim - 1, base + dim).to_uint();
    const unsigned number = all.range(base + sequence + 15, base + sequence).to_uint();
    Message& message = messages_[source];
    ++message.arrived;
    ++arrived_;
    if (message.destination == node && message.arrived == message.started && number == (message.started & 0xffffU))
      return;
    wrong_ = true;
    std::printf("wrong: message %u of node %u arrived at node %u; message %u was sent to node %u\n", number, source,
                node, message.started, message.destination);
  }

  static std::uint32_t replaced(std::uint32_t word, unsigned at, unsigned bits, unsigned value) {
    const std::uint32_t mask = ((1U << bits) - 1) << at;
    return (word & ~mask) | (value << at & mask);
  }

  template <typename Value>
  using Signal = sc_core::sc_signal<Value>;

  Vecube_fabric fabric{"fabric"};
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  Signal<bool> reset{"reset"}, together_only{"together_only"}, moving{"moving"};
  Signal<std::uint32_t> route_delay{"route_delay"}, accept_delay{"accept_delay"}, phit_cycles{"phit_cycles"},
      extra_num{"extra_num"}, extra_den{"extra_den"}, setup{"setup"}, together{"together"}, start{"start"},
      route{"route"}, phits{"phits"}, engine{"engine"}, granted{"granted"}, released{"released"}, refused{"refused"},
      sent_first{"sent_first"}, sent_tail{"sent_tail"}, sent{"sent"}, probe_seen{"probe_seen"}, accepted{"accepted"},
      received_first{"received_first"}, received_tail{"received_tail"}, serialised{"serialised"}, report{"report"};
  Signal<std::uint64_t> sequences{"sequences"}, owners{"owners"}, asking{"asking"};
  Signal<sc_dt::sc_bv<nodes * width>> probe{"probe"};

  std::mt19937 random_{1};
  std::array<Message, nodes> messages_;
  unsigned wanted_;
  unsigned arrived_ = 0;
  unsigned cycle_ = 0;
  bool wrong_ = false;
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  const unsigned wanted = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1000;
  Bench bench("bench", wanted);
  sc_core::sc_start(sc_core::sc_time(100.0 * wanted * 10, sc_core::SC_NS));
  if (bench.arrived() < wanted) {
    std::printf("stalled: %u of %u messages arrived\n", bench.arrived(), wanted);
  } else {
    std::printf("%u messages arrived\n", bench.arrived());
  }
  return bench.arrived() < wanted || bench.wrong() ? 1 : 0;
}
