// SPDX-License-Identifier: Apache-2.0
// Reading --sizes.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "testbench/exchange/unequal/unequal_run.h"
#include "testbench/text/number_line.h"

namespace ecube {

namespace {

constexpr std::string_view valid_sizes =
    "zipf:EXPONENT | zipf:EXPONENT:SEED | uniform | uniform:SEED | a file with lines \"from to bytes\"";
constexpr Bytes most_bytes = Bytes{1} << 30;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("--sizes {} {}", ecube::quoted(text), why)).valid(valid_sizes);
}

/// The seed in the last of `most` fields; 1 if it is left out.
std::uint64_t seed_of(const std::string& text, const std::vector<std::string_view>& fields, std::size_t most) {
  if (fields.size() < most) return 1;
  const auto seed = whole_number(fields[most - 1]);
  if (!seed) refuse(text, "has a seed that is no whole number");
  return *seed;
}

void check_fields(const std::string& text, const std::vector<std::string_view>& fields, std::size_t most) {
  if (fields.size() > most) refuse(text, "has a word too many");
  if (std::find(fields.begin(), fields.end(), "") != fields.end()) refuse(text, "has nothing where a number belongs");
}

BlockSizes read_sizes(const std::string& file, unsigned dim) {
  constexpr std::string_view format = "from to bytes, as 0 5 100";
  const bool may_be_word = file.find('/') == std::string::npos && file.find('.') >= file.find(':');
  std::istringstream stream = open_text(file, "file of sizes", may_be_word ? valid_sizes : std::string_view{});
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  BlockSizes sizes(dim);
  std::vector<bool> named(std::size_t{1} << (2 * dim), false);
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, format);
    if (line.blank()) continue;
    const auto from = static_cast<NodeId>(line.number("node", last));
    const auto to = static_cast<NodeId>(line.number("node", last));
    const std::size_t pair = std::size_t{from} << dim | to;
    if (named[pair]) {
      line.refuse(fmt::format("the block from {} to {} has a size already", from, to), "one line for each block");
    }
    named[pair] = true;
    sizes.of(from, to) = line.number("number of bytes", most_bytes);
    line.end("three");
  }
  return sizes;
}

void refuse_options(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  const auto refuse_option = [](const std::string& option, std::string_view valid) {
    throw InputError(option + " is for blocks of one size").valid(valid);
  };
  if (dim > max_unequal_dim) {
    throw InputError(fmt::format("--dim {} is too large to follow every block of --sizes", dim))
        .valid(fmt::format("1 .. {}", max_unequal_dim));
  }
  if (machine.node.ports != Ports{}) refuse_option("an exchange on several ports", "--ports one");
  if (arguments.schedule.value() != Schedule::xor_pairs)
    refuse_option("--schedule " + arguments.schedule.text(), "--schedule xor");
  if (machine.library.barrier == Barrier::clock)
    refuse_option("library.barrier=clock", "library.barrier=none | phase | step");
  if (arguments.payload.value() == Payload::checks) refuse_option("--payload checks", "--payload bytes | none");
}

}  // namespace

BlockSizes block_sizes_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  refuse_options(arguments, machine, dim);
  const std::string& text = arguments.sizes.value();
  const Bytes mean = arguments.bytes.value();
  if (sizes_from_file(arguments)) return read_sizes(text, dim);
  const std::vector<std::string_view> fields = split(text, ':');
  const bool uniform = fields[0] == "uniform";
  const std::size_t most = uniform ? 2 : 3;
  check_fields(text, fields, most);
  const std::uint64_t seed = seed_of(text, fields, most);
  if (uniform) return BlockSizes::uniform(dim, mean, seed);
  const auto exponent = parse_ratio(fields.size() > 1 ? fields[1] : "");
  if (!exponent || (*exponent).value() > 10) refuse(text, "has no exponent of 0 to 10");
  return BlockSizes::zipf(dim, static_cast<double>(mean), (*exponent).value(), seed);
}

bool sizes_from_file(const ExchangeArguments& arguments) {
  const std::string_view name = split(arguments.sizes.value(), ':').front();
  return name != "uniform" && name != "zipf";
}

}  // namespace ecube
