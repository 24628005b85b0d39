// SPDX-License-Identifier: Apache-2.0
// Cost parameters measured back from the machine by micro-benchmarks.
#pragma once

#include <optional>
#include <string>

#include "models/combine/combine_cost.h"
#include "models/exchange/exchange_cost.h"
#include "models/fit/fit.h"
#include "models/shuffle/shuffle_cost.h"

namespace ecube {

class Cube;

/// The cost of a message to, or an exchange with, a neighbour in a collective routine, with the routine's bookkeeping.
struct NeighbourFit {
  double alpha_zero_us = 0;
  double alpha_short_us = 0;  ///< alpha_us where all messages are alike
  double alpha_us = 0;
  double beta_us_per_byte = 0;
};

/// The fitted parameters of a machine. The measured times differ from these linear functions of bytes, items, hops and
/// dimensions by at most `worst_percent`.
struct Calibration {
  MessageFit message;  ///< one way, by ping-pong; of messages that reserve room, where some do
  /// Of messages up to the library's threshold, where longer ones reserve room.
  std::optional<MessageFit> short_message;
  Bytes threshold = 0;         ///< 0 where all messages are alike
  std::uint32_t channels = 1;  ///< over which a shuffle shares a packet
  Bytes packet_bytes = 0;      ///< of the longest packet, each of which has a start-up; 0 where messages are not cut up
  double rho_us_per_byte = 0;
  double copy_us_per_byte = 0;
  double gamma_us_per_item = 0;       ///< of 4 bytes
  double gamma_us_per_wide_item = 0;  ///< of 8 bytes
  double barrier_us_per_dim = 0;
  /// Start-up of an exchange over one hop, less what each's bytes take: without and with synchronisation.
  double exchange_us = 0;
  double synchronised_exchange_us = 0;
  NeighbourFit neighbour_exchange;  ///< without the routine's bookkeeping
  NeighbourFit collective_message;
  NeighbourFit collective_exchange;
  /// The processor's share of a message to a neighbour, where start-ups queue and a node has several ports.
  std::optional<ProcessorTimes> processor;
  bool combines_arriving = false;  ///< combining overlaps with communication
  double worst_percent = 0;        ///< of all samples, |fitted - measured| / measured
  double rms_percent = 0;          ///< of the message samples
  std::string unseparated;         ///< parameters that the samples leave open

  /// Parameters of the exchange equation for a cube of dimension `dim`; `synchronised` by zero-byte messages or not.
  [[nodiscard]] ExchangeParameters exchange(unsigned dim, bool synchronised = false) const;
  /// Parameters of the combine equation, for items of 4 or 8 bytes.
  [[nodiscard]] CombineParameters combine(std::uint32_t item_bytes) const;
  /// Parameters of the shuffle equation, for elements of `element_bytes` in packets of `packet`.
  [[nodiscard]] ShuffleParameters shuffle(std::uint32_t element_bytes, std::uint64_t packet) const;
};

/// Dimension the micro-benchmarks use: the least with three distances.
inline constexpr unsigned calibration_dim = 3;

/// A fit describes its samples if the error of none of them is larger, in percent.
inline constexpr double good_fit_percent = 0.5;

/// Runs ping-pong over sizes and distances, exchanges with and without synchronisation, several messages of a node at
/// once where their start-ups queue, copy, permute, combine and barrier on `cube` (elaborated for calibration_dim at
/// least), without jitter, and fits by least squares. Resets the cube. Throws std::runtime_error when a micro-benchmark
/// does not finish.
[[nodiscard]] Calibration calibrate(Cube& cube, const Machine& machine);

}  // namespace ecube
