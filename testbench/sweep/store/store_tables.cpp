// SPDX-License-Identifier: Apache-2.0
#include "testbench/sweep/store/store_tables.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "testbench/text/text_hash.h"

namespace ecube {
namespace {

void append_if_any(std::string& all, const std::optional<std::string>& text) {
  if (text) append_text(all, *text);
  all += ';';
}

}  // namespace

std::string checksum(const StoredPoint& point) {
  std::string all;
  fmt::format_to(std::back_inserter(all), "{} {} {} {:x} ", point.number, point.seed, point.repetition,
                 std::bit_cast<std::uint64_t>(point.wall_s));
  append_text(all, point.id);
  append_text(all, point.status);
  append_if_any(all, point.error);
  append_text(all, point.axis);
  append_text(all, point.arguments);
  append_if_any(all, point.result);
  return hash_of(all);
}

}  // namespace ecube
