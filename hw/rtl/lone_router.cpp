// SPDX-License-Identifier: Apache-2.0
// The shared library of one verilated router alone.
#include "hw/rtl/lone_router.h"

#include ECUBE_RTL_ROUTER_HEADER

#include "hw/rtl/stop.h"
#include "hw/rtl/vectors.h"

namespace {

using ecube::rtl::field;
constexpr unsigned lines = ECUBE_RTL_DIM + ECUBE_RTL_PORTS;
constexpr unsigned wire_bits = 2 * ECUBE_RTL_DIM + 3 + 16 + 2;

class Alone final : public ecube::LoneRouter {
 public:
  explicit Alone(int seed) : context_(seed), model_(&context_.context) {
    ecube::rtl::failed_assertion().clear();
    (void)evaluated({}, false);
  }
  Outputs rise(const Inputs& inputs) override { return evaluated(inputs, true); }
  Outputs fall(const Inputs& inputs) override { return evaluated(inputs, false); }
  [[nodiscard]] const std::string& failed() const override { return ecube::rtl::failed_assertion(); }

 private:
  struct Context {
    VerilatedContext context;
    explicit Context(int seed) {
      context.randReset(2);
      context.randSeed(seed);
    }
  };

  Outputs evaluated(const Inputs& inputs, bool clock) {
    model_.clk_i = clock;
    model_.rst_i = inputs.reset;
    model_.route_delay_i = static_cast<IData>(inputs.route_delay);
#if ECUBE_RTL_BUFFER
    model_.phit_cycles_i = static_cast<IData>(inputs.phit_cycles);
#endif
    model_.acknowledge_i = static_cast<SData>(inputs.back);
    for (unsigned i = 0; i < lines; ++i) {
      ecube::rtl::set_field(model_.wire_i, i * wire_bits, wire_bits, inputs.wire[i]);
    }
    model_.eval();
    Outputs outputs{.back = model_.acknowledge_o,
                    .granted = model_.granted_o,
                    .released = model_.released_o,
                    .refused = model_.refused_o,
                    .moving = model_.moving_o != 0};
    for (unsigned i = 0; i < lines; ++i) {
      outputs.wire[i] = field(model_.wire_o, i * wire_bits, wire_bits);
      outputs.owners[i] = static_cast<std::uint32_t>(field(model_.owners_o, i * lines, lines));
      outputs.asking[i] = static_cast<std::uint32_t>(field(model_.asking_o, i * lines, lines));
    }
    return outputs;
  }

  Context context_;
  ECUBE_RTL_ROUTER model_;
};

}  // namespace

extern "C" [[gnu::visibility("default")]] ecube::LoneRouter* ecube_lone_router(int seed) { return new Alone(seed); }
