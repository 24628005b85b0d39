// SPDX-License-Identifier: Apache-2.0
// Reading, applying and factoring dimension permutations.
#include "models/dimension_permutation.h"

#include <algorithm>

#include "models/error.h"

namespace ecube {
namespace {

std::uint64_t bit_of(const Address& address, const AddressDimension& dimension) {
  return (dimension.storage ? address.local : std::uint64_t{address.node}) >> dimension.bit & 1U;
}

void set_bit(Address& address, const AddressDimension& dimension, std::uint64_t value) {
  if (dimension.storage) {
    const std::uint64_t mask = std::uint64_t{1} << dimension.bit;
    address.local = (address.local & ~mask) | (value << dimension.bit);
  } else {
    const NodeId mask = NodeId{1} << dimension.bit;
    address.node = (address.node & ~mask) | static_cast<NodeId>(value << dimension.bit);
  }
}

/// What is being read, for errors.
struct Reading {
  std::string_view option;
  std::string_view text;
  unsigned dim;
  std::uint64_t elements;

  [[nodiscard]] InputError refuse(std::string_view token, const std::string& what) const {
    Place place;
    place.where = std::string(option);
    place.line = 1;
    place.text = std::string(text);
    place.column = static_cast<std::uint32_t>(token.data() - text.data()) + 1;
    place.length = static_cast<std::uint32_t>(std::max<std::size_t>(token.size(), 1));
    unsigned bits = 0;
    while (bits < max_storage_dimensions && elements % (std::uint64_t{2} << bits) == 0) ++bits;
    const std::string storage = bits == 0 ? "" : bits == 1 ? " | s0" : " | s0 .. s" + std::to_string(bits - 1);
    const std::string processor = dim == 1 ? "p0" : "p0 .. p" + std::to_string(dim - 1);
    return ErrorText(what).at(place).valid(processor + storage + ", each once, from a_sigma down to a_0").error();
  }
};

AddressDimension parse_dimension(std::string_view token, const Reading& reading) {
  const std::string quoted_token = quoted(token);
  if (token.size() < 2 || (token.front() != 'p' && token.front() != 's')) {
    throw reading.refuse(token, quoted_token + " is not a dimension");
  }
  unsigned bit = 0;
  for (const char digit : token.substr(1)) {
    if (digit < '0' || digit > '9' || bit > 10'000) throw reading.refuse(token, quoted_token + " is not a dimension");
    bit = 10 * bit + static_cast<unsigned>(digit - '0');
  }
  const AddressDimension dimension{.storage = token.front() == 's', .bit = bit};
  if (!dimension.storage && bit >= reading.dim) {
    throw reading.refuse(token, quoted_token + " is no dimension of a cube with --dim " + std::to_string(reading.dim));
  }
  if (dimension.storage && (bit >= max_storage_dimensions || reading.elements % (std::uint64_t{2} << bit) != 0)) {
    throw reading.refuse(token, quoted_token + " is no bit that every local address has: --elements " +
                                    std::to_string(reading.elements) + " is not a multiple of 2^" +
                                    std::to_string(bit + 1));
  }
  return dimension;
}

std::vector<AddressDimension> parse_list(const Reading& reading, std::vector<AddressDimension>& seen) {
  std::vector<AddressDimension> result;
  for (std::size_t begin = 0; begin <= reading.text.size();) {
    const std::size_t end = std::min(reading.text.find(',', begin), reading.text.size());
    const std::string_view token = trimmed(reading.text.substr(begin, end - begin));
    const AddressDimension dimension = parse_dimension(token.empty() ? reading.text.substr(begin, 0) : token, reading);
    if (std::find(seen.begin(), seen.end(), dimension) != seen.end()) {
      throw reading.refuse(token, quoted(token) + " is named twice");
    }
    seen.push_back(dimension);
    result.push_back(dimension);
    begin = end + 1;
  }
  return result;
}

}  // namespace

DimensionPermutation::DimensionPermutation(std::vector<Cycle> cycles, std::vector<AddressDimension> complemented)
    : cycles_(std::move(cycles)), complemented_(std::move(complemented)) {
  std::vector<AddressDimension> seen;
  for (const Cycle& cycle : cycles_) {
    if (cycle.size() < 2) throw InputError("a cycle has two dimensions or more");
    for (const AddressDimension& dimension : cycle) {
      if (std::find(seen.begin(), seen.end(), dimension) != seen.end())
        throw InputError("dimension " + dimension.name() + " is in two places");
      seen.push_back(dimension);
    }
  }
  for (const AddressDimension& dimension : complemented_) {
    if (std::find(seen.begin(), seen.end(), dimension) == seen.end())
      throw InputError("dimension " + dimension.name() + " is to be complemented, but is in no cycle");
  }
}

DimensionPermutation DimensionPermutation::parse(std::span<const std::string> cycles, std::string_view complemented,
                                                 unsigned dim, std::uint64_t elements) {
  std::vector<Cycle> parsed;
  std::vector<AddressDimension> seen;
  for (const std::string& text : cycles) {
    const Reading reading{"--cycle", text, dim, elements};
    parsed.push_back(parse_list(reading, seen));
    if (parsed.back().size() < 2) throw reading.refuse(text, "a cycle has two dimensions or more");
  }
  std::vector<AddressDimension> complements;
  if (!complemented.empty()) {
    const Reading reading{"--complement", complemented, dim, elements};
    std::vector<AddressDimension> named;
    complements = parse_list(reading, named);
    for (const AddressDimension& dimension : complements) {
      if (std::find(seen.begin(), seen.end(), dimension) == seen.end())
        throw reading.refuse(complemented, dimension.name() + " is in no cycle");
    }
  }
  return {std::move(parsed), std::move(complements)};
}

bool DimensionPermutation::complements(const AddressDimension& dimension) const {
  return std::find(complemented_.begin(), complemented_.end(), dimension) != complemented_.end();
}

Address DimensionPermutation::destination(const Address& from) const {
  Address to = from;
  for (const Cycle& cycle : cycles_) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const AddressDimension& source = cycle[(i + 1) % cycle.size()];
      set_bit(to, cycle[i], bit_of(from, source) ^ (complements(cycle[i]) ? 1U : 0U));
    }
  }
  return to;
}

unsigned DimensionPermutation::real_order() const {
  unsigned order = 0;
  for (const Cycle& cycle : cycles_) {
    for (const AddressDimension& dimension : cycle) order += dimension.storage ? 0 : 1;
  }
  return order;
}

unsigned DimensionPermutation::storage_bits() const {
  unsigned bits = 0;
  for (const Cycle& cycle : cycles_) {
    for (const AddressDimension& dimension : cycle) {
      if (dimension.storage) bits = std::max(bits, dimension.bit + 1);
    }
  }
  return bits;
}

std::string DimensionPermutation::name() const {
  std::string text;
  for (const Cycle& cycle : cycles_) {
    text += "(";
    for (const AddressDimension& dimension : cycle) {
      text += std::string(text.back() == '(' ? "" : " ") + (complements(dimension) ? "~" : "") + dimension.name();
    }
    text += ")";
  }
  return text.empty() ? "identity" : text;
}

std::uint64_t Factors::local(std::uint64_t address) const {
  std::uint64_t result = address;
  for (const LocalBit& bit : virtual_bits) {
    const std::uint64_t value = (address >> bit.from & 1U) ^ (bit.complement ? 1U : 0U);
    result = (result & ~(std::uint64_t{1} << bit.to)) | (value << bit.to);
  }
  return result;
}

Factors factor(const DimensionPermutation& permutation) {
  Factors factors;
  for (const DimensionPermutation::Cycle& cycle : permutation.cycles()) {
    const auto first_storage =
        std::find_if(cycle.begin(), cycle.end(), [](const AddressDimension& dimension) { return dimension.storage; });
    if (first_storage == cycle.end()) {
      RealConstituent& real = factors.real.emplace_back();
      for (std::size_t i = cycle.size(); i-- > 0;) {
        real.dims.push_back(cycle[i].bit);
        real.complement.push_back(permutation.complements(cycle[i]));
      }
      continue;
    }
    // From the right end of each block of processor dimensions, next to a storage dimension, to its left end.
    DimensionPermutation::Cycle turned(first_storage + 1, cycle.end());
    turned.insert(turned.end(), cycle.begin(), first_storage + 1);
    std::vector<AddressDimension> block;
    std::vector<AddressDimension> storage;
    for (const AddressDimension& dimension : turned) {
      if (!dimension.storage) {
        block.push_back(dimension);
        continue;
      }
      storage.push_back(dimension);
      if (block.empty()) continue;
      Constituent& mixed = factors.mixed.emplace_back();
      mixed.control = dimension.bit;
      for (std::size_t i = block.size(); i-- > 0;) {
        mixed.dims.push_back(block[i].bit);
        mixed.complement.push_back(permutation.complements(block[i]));
      }
      block.clear();
    }
    for (std::size_t i = 0; i < storage.size(); ++i) {
      const LocalBit bit{.to = storage[i].bit,
                         .from = storage[(i + 1) % storage.size()].bit,
                         .complement = permutation.complements(storage[i])};
      if (bit.to != bit.from || bit.complement) factors.virtual_bits.push_back(bit);
    }
  }
  return factors;
}

}  // namespace ecube
