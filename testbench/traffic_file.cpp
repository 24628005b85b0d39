// SPDX-License-Identifier: Apache-2.0
// Reading lines of four numbers.
#include "testbench/traffic_file.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <fstream>

#include "models/error.h"

namespace ecube {

namespace {

constexpr std::string_view format = "source destination bytes cycle, as 0 5 100 0";

class Line {
 public:
  Line(std::string_view text, Place place) : rest_(text), place_(std::move(place)) {}

  [[nodiscard]] bool blank() {
    skip();
    return rest_.empty();
  }
  [[nodiscard]] std::uint64_t number(std::string_view what, std::uint64_t most) {
    skip();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    mark(word.size());
    if (word.empty()) refuse(fmt::format("no {}", what), "a line has " + std::string(format));
    if (problem != std::errc() || end != word.data() + word.size() || value > most) {
      refuse(fmt::format("{} is no {}", ecube::quoted(word), what), fmt::format("0 .. {}", most));
    }
    column_ += word.size();
    rest_.remove_prefix(word.size());
    return value;
  }
  void end() {
    if (blank()) return;
    mark(rest_.size());
    refuse(fmt::format("more than four numbers: {}", ecube::quoted(rest_)), "a line has " + std::string(format));
  }

 private:
  void skip() {
    const std::size_t blanks = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    column_ += blanks;
    rest_.remove_prefix(blanks);
  }
  void mark(std::size_t length) {
    place_.column = static_cast<std::uint32_t>(column_ + 1);
    place_.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& valid) const {
    throw ErrorText(what).at(place_, valid).error();
  }

  std::string_view rest_;
  std::size_t column_ = 0;
  Place place_;
};

}  // namespace

std::vector<TrafficMessage> read_traffic(const std::string& file, unsigned dim) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) {
    throw ErrorText(fmt::format("{} is a directory, not a file of messages", ecube::quoted(file))).error();
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ErrorText(fmt::format("cannot read {}", ecube::quoted(file))).error();
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  std::vector<TrafficMessage> messages;
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    Line line(std::string_view(text).substr(0, text.find('#')), {.where = file, .line = number, .text = text});
    if (line.blank()) continue;
    TrafficMessage message;
    message.source = static_cast<NodeId>(line.number("source", last));
    message.destination = static_cast<NodeId>(line.number("destination", last));
    message.bytes = line.number("number of bytes", std::uint64_t{1} << 30);
    message.cycle = line.number("cycle", std::uint64_t{1} << 40);
    line.end();
    messages.push_back(message);
    if (messages.size() > max_traffic_messages) {
      throw ErrorText(fmt::format("{} has more than {} messages", ecube::quoted(file), max_traffic_messages)).error();
    }
  }
  if (messages.empty()) throw ErrorText(fmt::format("{} has no messages", ecube::quoted(file))).hint(format).error();
  return messages;
}

}  // namespace ecube
