// SPDX-License-Identifier: Apache-2.0
// The options that all runs share: as typed, and as checked values.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/presets/settings.h"
#include "testbench/command_line/command.h"
#include "testbench/machine/test_bench.h"
#include "testbench/system/interruption.h"
#include "testbench/trace/trace_request.h"

namespace ecube {

class Benches;

/// The input of a command besides its own options, and the program's exit status.
struct Invocation {
  std::vector<std::string> arguments;  ///< as typed, the program's name first
  Benches* benches = nullptr;          ///< where runs get their test bench
  int status = 0;
  /// From when on a signal waits until the command has put its work in order.
  std::optional<Interruptible> interruptible{};
};

enum class ParameterSource : std::uint8_t { fitted, published };

/// Options as typed, before any is checked.
struct RunArguments {
  std::string machine = "ideal";
  std::vector<std::string> set;
  std::int64_t dim = 4;
  std::string engine;  ///< empty: event, or rtl for a router of one's own
  std::string rtl_nodes;
  std::string router;
  bool mixed_routers = false;  ///< MixedRouters, of lessons and tests: no option asks for them
  std::string ports;
  std::string jitter = "0 cycles";
  std::int64_t seed = 1;
  std::vector<std::string> fail;
  std::string fold = "off";
  std::string parameters = "fitted";
  std::string directory;
  std::string trace;
  std::string trace_window;
  std::vector<std::string> trace_filter;
  std::string export_goal;
  bool contention = false;
  bool replace = false;
  bool circuits = false;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

/// Adds the options that describe the machine.
void add_machine_options(Command& app, RunArguments& arguments);
/// Adds the options that describe the machine and its run.
void add_run_options(Command& app, RunArguments& arguments);

/// Ends a command's help with examples and the option table.
void add_footer(Command& app, const std::string& text);

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

/// InputError: `typed` is not one of `words`.
[[noreturn]] void refuse_word(std::string_view option, std::string_view typed, std::span<const std::string_view> words);

/// The value a word stands for. InputError with the valid words.
template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view typed, const Word<Value> (&words)[count]) {
  std::vector<std::string_view> candidates;
  for (const Word<Value>& word : words) {
    if (word.word == typed) return word.value;
    candidates.push_back(word.word);
  }
  refuse_word(option, typed, candidates);
}

/// The word that stands for a value.
template <class Value, std::size_t count>
std::string_view word_of(Value value, const Word<Value> (&words)[count]) {
  for (const Word<Value>& word : words) {
    if (word.value == value) return word.word;
  }
  return "?";
}

inline constexpr Word<EngineChoice> engines[] = {{"event", EngineChoice::event},
                                                 {"clocked", EngineChoice::clocked},
                                                 {"rtl", EngineChoice::rtl},
                                                 {"ideal", EngineChoice::ideal}};

/// `value`, if least <= value <= most; else InputError.
std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most);

/// The options that name the machine, as typed: " --machine ipsc860 --dim 6 --set 'library.send=95 us'", and --ports
/// where `with_ports`. For commands to try next.
[[nodiscard]] std::string machine_words(const RunArguments& arguments, bool with_ports = true);

[[nodiscard]] std::vector<Setting> settings_of(const RunArguments& arguments);
/// Whether --set gives this machine parameter a value.
[[nodiscard]] bool sets(const RunArguments& arguments, std::string_view parameter);
[[nodiscard]] unsigned dim_of(const RunArguments& arguments, const Machine& machine, std::int64_t max_dim);
/// Machine, dimension, conditions and engine. InputError for whatever is wrong with them.
[[nodiscard]] RunSetup setup_of(const RunArguments& arguments, const std::vector<Setting>& settings);
/// The waveform that is asked for, if any, with the file's directory. InputError for a wrong request.
[[nodiscard]] TraceRequest trace_of(const RunArguments& arguments, const Machine& machine, unsigned dim,
                                    EngineChoice engine);
[[nodiscard]] ParameterSource parameter_source(const RunArguments& arguments);
/// InputError where there is no memory for the event engine's tables of such a cube.
void require_machine_memory(unsigned dim);
/// Thrown when a run needs another elaborated machine than the process has.
class AnotherElaboration : public std::logic_error {
 public:
  AnotherElaboration() : std::logic_error("this process has elaborated another machine") {}
};

/// The test bench of a process: SystemC elaborates once, so a process has one bench for all its runs.
class Benches {
 public:
  enum class Use : std::uint8_t {
    runs,
    sizes,  ///< nothing is run: the bench is just large enough to fit parameters on
  };

  /// Made for the first run that asks; `dim` is the largest dimension that later runs may ask for.
  explicit Benches(unsigned dim = 0, Use use = Use::runs) : dim_(dim), use_(use) {}

  /// A bench that can run this setup. AnotherElaboration when the present bench cannot.
  [[nodiscard]] TestBench& get(const RunSetup& setup);

 private:
  unsigned dim_;
  unsigned checked_dim_ = 0;  ///< there is memory for the tables of such a cube
  Use use_;
  std::optional<TestBench> bench_;
};
/// The parameters for predictions: fitted on the machine, or those printed by the paper behind the preset (InputError
/// when there is none).
[[nodiscard]] ExchangeParameters parameters_for(const RunArguments& arguments, TestBench& bench, const Machine& machine,
                                                unsigned dim, PairwiseSync sync = PairwiseSync::off);
/// True when synchronised exchanges send zero-byte messages first; on machines without protocol they cost nothing.
[[nodiscard]] bool sends_synchronisation(const Machine& machine, PairwiseSync sync);

}  // namespace ecube
