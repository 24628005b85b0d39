// SPDX-License-Identifier: Apache-2.0
// Reading, applying and factoring dimension permutations, and permutations as products.
#include "models/shuffle/dimension_permutation.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {
namespace {

using Cycle = DimensionPermutation::Cycle;

std::uint64_t bit_at(const Address& address, const AddressDimension& dimension) {
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

/// The text being read, for errors.
struct Reading {
  std::string_view option;
  std::string_view text;
  unsigned dim;
  std::uint64_t elements;

  [[nodiscard]] InputError refuse(std::string_view token, const std::string& what) const {
    const Place place{.where = std::string(option),
                      .line = 1,
                      .column = static_cast<std::uint32_t>(token.data() - text.data()) + 1,
                      .length = static_cast<std::uint32_t>(std::max<std::size_t>(token.size(), 1)),
                      .text = std::string(text)};
    unsigned bits = 0;
    while (bits < max_storage_dimensions && elements % (std::uint64_t{2} << bits) == 0) ++bits;
    const std::string storage = bits == 0 ? "" : bits == 1 ? " | s0" : " | s0 .. s" + std::to_string(bits - 1);
    const std::string processor = dim == 1 ? "p0" : "p0 .. p" + std::to_string(dim - 1);
    return InputError(what).at(place).valid(processor + storage + ", each once, from a_sigma down to a_0");
  }
};

AddressDimension parse_dimension(std::string_view token, const Reading& reading) {
  const std::string quoted_token = quoted(token);
  const bool named = token.starts_with('p') || token.starts_with('s');
  const auto number = named ? whole_number(token.substr(1)) : std::nullopt;
  if (!number || *number > 100'009) throw reading.refuse(token, quoted_token + " is not a dimension");
  const auto bit = static_cast<unsigned>(*number);
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
  for (const std::string_view part : split(reading.text, ',')) {
    const std::string_view token = trimmed(part);
    const AddressDimension dimension = parse_dimension(token.empty() ? part.substr(0, 0) : token, reading);
    if (std::find(seen.begin(), seen.end(), dimension) != seen.end()) {
      throw reading.refuse(token, quoted(token) + " is named twice");
    }
    seen.push_back(dimension);
    result.push_back(dimension);
  }
  return result;
}

/// Processor dimensions in the order of the paper, a_sigma first.
Constituent constituent_of(const DimensionPermutation& permutation, std::span<const AddressDimension> dimensions,
                           unsigned control = 0) {
  Constituent result{.dims = {}, .complement = {}, .control = control};
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    result.dims.push_back(dimensions[i].bit);
    result.complement.push_back(permutation.complements(dimensions[i]));
  }
  return result;
}

/// The cycles of these dimensions, each of which takes the value of its source.
std::vector<Cycle> cycles_of(const std::vector<AddressDimension>& dimensions,
                             const std::map<AddressDimension, AddressDimension>& sources) {
  std::vector<Cycle> cycles;
  std::set<AddressDimension> done;
  for (const AddressDimension& begin : dimensions) {
    if (done.contains(begin)) continue;
    Cycle& cycle = cycles.emplace_back();
    for (AddressDimension at = begin; done.insert(at).second; at = sources.at(at)) cycle.push_back(at);
  }
  return cycles;
}

/// Adds to `rounds` the exchanges that shift the values of `part` by one place to the left, the first to the last
/// place. Returns the number of rounds that they take.
std::size_t shift(std::span<const AddressDimension> part, std::vector<std::vector<Cycle>>& rounds) {
  if (part.size() < 2) return 0;
  const std::size_t half = std::bit_ceil(part.size()) / 2;
  const std::size_t round = std::max(shift(part.first(half), rounds), shift(part.subspan(half), rounds));
  if (rounds.size() <= round) rounds.resize(round + 1);
  rounds[round].push_back({part[half - 1], part.back()});
  return round + 1;
}

}  // namespace

DimensionPermutation::DimensionPermutation(std::vector<Cycle> cycles, std::vector<AddressDimension> complemented)
    : cycles_(std::move(cycles)), complemented_(std::move(complemented)) {
  for (const Cycle& cycle : cycles_) {
    if (cycle.size() < 2 && (cycle.empty() || !complements(cycle.front())))
      throw InputError("a cycle has two dimensions or more, or one that is complemented");
  }
  const std::vector<AddressDimension> moved = dimensions();
  for (auto at = moved.begin(); at != moved.end(); ++at) {
    if (std::find(moved.begin(), at, *at) != at) throw InputError("dimension " + at->name() + " is in two places");
  }
  for (const AddressDimension& dimension : complemented_) {
    if (std::find(moved.begin(), moved.end(), dimension) == moved.end())
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
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const bool complemented_alone = std::ranges::find(complements, parsed[i].front()) != complements.end();
    if (parsed[i].size() < 2 && !complemented_alone) {
      throw Reading{"--cycle", cycles[i], dim, elements}.refuse(
          cycles[i], "a cycle has two dimensions or more, or one that is complemented");
    }
  }
  return {std::move(parsed), std::move(complements)};
}

DimensionPermutation DimensionPermutation::named(std::string_view name, unsigned dim, std::uint64_t elements) {
  static const std::vector<std::string_view> names = split(
      "shuffle|unshuffle|bit-reversal|transpose|vector-reversal|consecutive-to-cyclic|cyclic-to-consecutive", '|');
  const auto refuse = [&](const std::string& what) {
    return InputError(what).hint(did_you_mean(name, names)).valid(joined(names) + ", shuffle:2 to shuffle twice");
  };
  const std::string_view word = name.substr(0, name.find(':'));
  if (std::find(names.begin(), names.end(), word) == names.end()) throw refuse("unknown permutation " + quoted(name));
  if (!std::has_single_bit(elements))
    throw refuse("--permutation " + std::string(word) + " needs a power of 2 of --elements, not " +
                 std::to_string(elements));
  const auto storage = static_cast<unsigned>(std::countr_zero(elements));
  const unsigned bits = dim + storage;
  unsigned by = word.ends_with("shuffle") ? 1 : storage;
  if (word.size() < name.size()) {
    const auto number = whole_number(name.substr(word.size() + 1));
    if (!number || *number > 10'009 || !word.ends_with("shuffle")) throw refuse("unknown permutation " + quoted(name));
    by = static_cast<unsigned>(*number);
  }
  if (word == "transpose") {
    if (bits % 2 != 0)
      throw InputError("--permutation transpose exchanges the two halves of the address bits, and their number, " +
                       std::to_string(dim) + " of the node + " + std::to_string(storage) +
                       " of the local address, is odd")
          .hint("a matrix of 2^k rows and columns takes 2k bits")
          .valid("--elements " + std::to_string(elements * 2) +
                 (elements > 1 ? " | --elements " + std::to_string(elements / 2) : std::string()) + " | --dim " +
                 std::to_string(dim + 1) + (dim > 1 ? " | --dim " + std::to_string(dim - 1) : std::string()));
    by = bits / 2;
  }
  by %= bits;
  const bool right = word == "unshuffle" || word == "cyclic-to-consecutive";
  const auto source = [&](unsigned bit) {
    if (word == "bit-reversal") return bits - 1 - bit;
    if (word == "vector-reversal") return bit;
    return (bit + (right ? by : bits - by)) % bits;
  };
  const auto dimension = [storage](unsigned bit) {
    return AddressDimension{.storage = bit < storage, .bit = bit < storage ? bit : bit - storage};
  };
  const bool complements = word == "vector-reversal";
  std::vector<AddressDimension> changed;
  std::map<AddressDimension, AddressDimension> sources;
  for (unsigned bit = bits; bit-- > 0;) {
    sources[dimension(bit)] = dimension(source(bit));
    if (complements || source(bit) != bit) changed.push_back(dimension(bit));
  }
  return {cycles_of(changed, sources), complements ? changed : std::vector<AddressDimension>{}};
}

bool DimensionPermutation::complements(const AddressDimension& dimension) const {
  return std::find(complemented_.begin(), complemented_.end(), dimension) != complemented_.end();
}

std::vector<AddressDimension> DimensionPermutation::dimensions() const {
  std::vector<AddressDimension> all;
  for (const Cycle& cycle : cycles_) all.insert(all.end(), cycle.begin(), cycle.end());
  return all;
}

Address DimensionPermutation::moved(const Address& address, bool back) const {
  Address result = address;
  for (const Cycle& cycle : cycles_) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const AddressDimension& source = cycle[(i + 1) % cycle.size()];
      const std::uint64_t value = bit_at(address, back ? cycle[i] : source);
      set_bit(result, back ? source : cycle[i], value ^ (complements(cycle[i]) ? 1U : 0U));
    }
  }
  return result;
}

unsigned DimensionPermutation::real_order() const {
  return static_cast<unsigned>(std::ranges::count(dimensions(), false, &AddressDimension::storage));
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
      factors.real.push_back(constituent_of(permutation, cycle));
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
      factors.mixed.push_back(constituent_of(permutation, block, dimension.bit));
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

std::vector<DimensionPermutation> transpositions(const DimensionPermutation& permutation) {
  std::vector<std::vector<Cycle>> rounds;
  for (const Cycle& cycle : permutation.cycles()) shift(cycle, rounds);
  for (const Cycle& cycle : permutation.cycles()) {
    if (cycle.size() > 1) continue;  // else complemented, but not moved
    if (rounds.empty()) rounds.emplace_back();
    rounds.front().push_back(cycle);
  }
  // A dimension is complemented when it has received its value: in the last round in which it takes part.
  std::vector<DimensionPermutation> result;
  std::vector<AddressDimension> seen;
  for (std::size_t round = rounds.size(); round-- > 0;) {
    std::vector<AddressDimension> complemented;
    for (const Cycle& pair : rounds[round]) {
      for (const AddressDimension& dimension : pair) {
        if (std::find(seen.begin(), seen.end(), dimension) != seen.end()) continue;
        seen.push_back(dimension);
        if (permutation.complements(dimension)) complemented.push_back(dimension);
      }
    }
    result.emplace_back(rounds[round], complemented);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<DimensionPermutation> two_aapcs(const DimensionPermutation& permutation, std::uint64_t elements) {
  std::vector<AddressDimension> moved;
  std::vector<bool> taken(max_storage_dimensions, false);
  std::vector<AddressDimension> complemented;
  for (const AddressDimension& dimension : permutation.dimensions()) {
    if (dimension.storage) {
      taken[dimension.bit] = true;
    } else {
      moved.push_back(dimension);
    }
    if (permutation.complements(dimension)) complemented.push_back(dimension);
  }
  std::vector<Cycle> first;  // {processor dimension, the storage dimension that keeps its value}
  for (unsigned bit = 0; bit < max_storage_dimensions && first.size() < moved.size(); ++bit) {
    if (elements % (std::uint64_t{2} << bit) != 0) break;
    if (!taken[bit]) first.push_back({moved[first.size()], AddressDimension{.storage = true, .bit = bit}});
  }
  if (first.size() < moved.size()) {
    const auto used = static_cast<unsigned>(std::count(taken.begin(), taken.end(), true));
    throw InputError("two all-to-all communications of " + std::to_string(moved.size()) +
                     " processor dimensions need as many storage dimensions that are in no cycle; --elements " +
                     std::to_string(elements) + " have " + std::to_string(first.size()))
        .valid("--elements as a multiple of 2^" + std::to_string(moved.size() + used));
  }
  // After the first permutation v_j holds the value of p_j, and p_j that of v_j. Sources of the second permutation:
  //   s_k for a dimension that takes the value of s_k
  //   v_j for a dimension that takes the value of p_j
  //   p_i for v_i, which takes its own value back
  std::map<AddressDimension, AddressDimension> kept;
  std::map<AddressDimension, AddressDimension> sources;
  for (const Cycle& pair : first) {
    kept[pair[0]] = pair[1];
    sources[pair[1]] = pair[0];
  }
  for (const Cycle& cycle : permutation.cycles()) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const AddressDimension& source = cycle[(i + 1) % cycle.size()];
      sources[cycle[i]] = source.storage ? source : kept.at(source);
    }
  }
  std::vector<AddressDimension> begins = moved;
  for (const AddressDimension& dimension : permutation.dimensions()) begins.push_back(dimension);
  return {{first, {}}, {cycles_of(begins, sources), complemented}};
}

}  // namespace ecube
