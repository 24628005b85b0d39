// SPDX-License-Identifier: Apache-2.0
// Reading --sizes.
#include "testbench/exchange/unequal_request.h"

#include <fmt/core.h>

#include <limits>

#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "testbench/text/number_line.h"

namespace ecube {

namespace {

constexpr std::string_view valid_sizes =
    "zipf:EXPONENT | zipf:EXPONENT:SEED | uniform | uniform:SEED | a file with lines \"from to bytes\"";
constexpr Bytes most_bytes = Bytes{1} << 30;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw ErrorText(fmt::format("--sizes {} {}", ecube::quoted(text), why)).valid(valid_sizes).error();
}

/// What stands behind the first `words` colons: "" where there are fewer.
std::string field(const std::string& text, unsigned number) {
  std::size_t from = 0;
  for (; number > 0; --number) {
    from = text.find(':', from);
    if (from == std::string::npos) return {};
    ++from;
  }
  return text.substr(from, text.find(':', from) - from);
}

std::uint64_t seed_of(const std::string& text, unsigned number) {
  const std::string seed = field(text, number);
  if (!field(text, number + 1).empty()) refuse(text, "has a word too many");
  if (seed.empty()) return 1;
  const auto parsed = parse_ratio(seed);
  if (!parsed || (*parsed).den != 1) refuse(text, "has a seed that is no whole number");
  return (*parsed).num;
}

BlockSizes read_sizes(const std::string& file, unsigned dim) {
  constexpr std::string_view format = "from to bytes, as 0 5 100";
  std::istringstream stream = open_text(file, "file of sizes");
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  BlockSizes sizes(dim);
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, format);
    if (line.blank()) continue;
    const auto from = static_cast<NodeId>(line.number("node", last));
    const auto to = static_cast<NodeId>(line.number("node", last));
    sizes.of(from, to) = line.number("number of bytes", most_bytes);
    line.end("three");
  }
  return sizes;
}

void refuse_options(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  const auto refuse_option = [](const std::string& option, std::string_view valid) {
    throw ErrorText(option + " is for blocks of one size").valid(valid).error();
  };
  if (dim > max_unequal_dim) {
    throw ErrorText(fmt::format("--dim {} is too large to follow every block of --sizes", dim))
        .valid(fmt::format("1 .. {}", max_unequal_dim))
        .error();
  }
  if (machine.node.ports != Ports{}) refuse_option("an exchange on several ports", "--ports one");
  if (arguments.schedule != "xor") refuse_option("--schedule " + arguments.schedule, "--schedule xor");
  if (machine.library.barrier == Barrier::clock) refuse_option("--barrier clock", "--barrier none | phase | step");
  if (arguments.payload == "tags") refuse_option("--payload tags", "--payload bytes | none");
}

}  // namespace

void add_sizes_option(Command& app, ExchangeArguments& arguments) {
  app.add_option("--sizes", arguments.sizes,
                 "Blocks of different sizes, of --bytes on average: zipf:1.1, uniform, either with a :SEED; or a file "
                 "with lines \"from to bytes\"");
}

BlockSizes block_sizes_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim) {
  refuse_options(arguments, machine, dim);
  const std::string& text = arguments.sizes;
  const std::string name = field(text, 0);
  const Bytes mean = block_bytes(arguments);
  if (name == "uniform") return BlockSizes::uniform(dim, mean, seed_of(text, 1));
  if (name != "zipf") return read_sizes(text, dim);
  const auto exponent = parse_ratio(field(text, 1));
  if (!exponent || (*exponent).value() > 10) refuse(text, "has no exponent of 0 to 10");
  return BlockSizes::zipf(dim, static_cast<double>(mean), (*exponent).value(), seed_of(text, 2));
}

}  // namespace ecube
