// SPDX-License-Identifier: Apache-2.0
// Machines drawn at random: a preset with some of its settings changed, as by options of the command line.
#pragma once

#include "models/presets/presets.h"
#include "testbench/run/run_arguments.h"
#include "tests/test.h"

namespace ecube {

/// Whether the settings are those of a machine, and for cubes of its dimension.
inline bool resolves(const RunArguments& run) {
  try {
    check_dimension(resolve(settings_of(run)), static_cast<unsigned>(run.dim.value()));
    return true;
  } catch (const InputError&) {
    return false;  // a distance without its set-up time or with one that is too short, a threshold above its buffer
  }
}

/// Presets whose loops cost the same for every byte, which the equations take for granted.
inline std::vector<std::string_view> with_rates() {
  std::vector<std::string_view> names;
  for (const Preset& each : presets()) {
    if (resolve(preset_settings(each)).node.model == NodeModel::rates) names.push_back(each.name);
  }
  return names;
}

class MachineDraws {
 public:
  explicit MachineDraws(std::uint64_t seed) : draws_(seed) {}

  /// least .. most
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + draws_() % (most - least + 1); }
  bool once_in(std::uint64_t count) { return draws_() % count == 0; }
  template <class Choices>
  const auto& of(const Choices& choices) {
    return *(std::begin(choices) + static_cast<std::ptrdiff_t>(draws_() % std::size(choices)));
  }
  /// 0 .. most, small numbers as often as large ones.
  std::uint64_t size(std::uint64_t most) {
    const double share = static_cast<double>(draws_() % (1 << 20)) / (1 << 20);
    return static_cast<std::uint64_t>(std::pow(static_cast<double>(most) + 2, share)) - 1;
  }

  /// A machine that resolves, with changes by --set; `adapt` may change it too.
  template <class Adapt>
  RunArguments machine(unsigned dim, const Adapt& adapt) {
    for (;;) {
      RunArguments run;
      run.machine = std::string(of(with_rates()));
      run.dim = dim;
      run.quiet = true;
      change(run);
      adapt(run);
      if (resolves(run)) return run;
    }
  }
  RunArguments machine(unsigned dim) {
    return machine(dim, [](RunArguments&) {});
  }

 private:
  void change(RunArguments& run) {
    const auto sets = [&](std::string_view key, const std::string& value) {
      if (once_in(4)) run.set.push_back(std::string(key) + "=" + value);
    };
    using Words = std::array<const char*, 3>;
    const auto words = [&](std::string_view key, const Words& choices) { sets(key, of(choices)); };
    const auto cycles = [&](std::string_view key, std::uint64_t least, std::uint64_t most) {
      sets(key, std::to_string(least + size(most - least)) + " cycles");
    };
    if (!once_in(3)) run.set.push_back(std::string("node.ports=") + of(std::array{"one", "2", "3", "n", "n"}));
    words("node.startups", {"queued", "overlapped", "queued"});
    words("node.transfer", {"dma", "programmed", "dma"});
    words("node.overlap", {"on", "off", "off"});
    words("network.switching", {"circuit", "wormhole", "store-and-forward"});
    words("network.duplex", {"full", "together", "together"});
    words("library.protocol", {"none", "forced", "unforced"});
    words("library.combining", {"received", "arriving", "arriving"});
    words("library.barrier", {"none", "phase", "step"});
    words("library.identity_shuffle", {"charge", "skip", "skip"});
    words("core.loops", {"compiled", "tuned", "tuned"});
    cycles("network.together", 0, 4000);
    cycles("network.accept", 1, 100);
    cycles("router.route", 1, 500);
    cycles("link.cycles_per_phit", 1, 100);
    sets("link.phit", std::to_string(1 << between(0, 3)) + " B");
    sets("router.buffer", std::to_string(1 << between(0, 10)) + " B");
    sets("network.packet", std::to_string(1 << between(8, 13)) + " B");
    for (const char* key : {"library.send", "library.send_zero", "library.receive", "library.receive_zero",
                            "library.control_send", "library.control_receive", "library.signal_send",
                            "library.signal_receive", "library.forward", "library.call"}) {
      cycles(key, 0, 8000);
    }
    sets("library.call_byte", std::to_string(between(0, 4)) + " cycles/byte");
    sets("library.threshold", std::to_string(size(2000)) + " B");
    sets("library.buffer", std::to_string(size(1 << 20)) + " B");
    sets("core.permute", std::to_string(size(40)) + " cycles/byte");
    sets("core.copy", std::to_string(size(8)) + " cycles/byte");
    sets("core.combine", std::to_string(size(200)) + " cycles/item");
    cycles("memory.transfer", 0, 8);
  }

  std::mt19937_64 draws_;
};

}  // namespace ecube
