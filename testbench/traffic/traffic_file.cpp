// SPDX-License-Identifier: Apache-2.0
// Reading lines of four numbers.
#include "testbench/traffic/traffic_file.h"

#include <fmt/core.h>

#include "testbench/text/number_line.h"

namespace ecube {

std::vector<TrafficMessage> read_traffic(const std::string& file, unsigned dim) {
  constexpr std::string_view format = "source destination bytes cycle, as 0 5 100 0";
  std::istringstream stream = open_text(file, "file of messages");
  const std::uint64_t last = (std::uint64_t{1} << dim) - 1;
  std::vector<TrafficMessage> messages;
  std::string text;
  for (std::uint32_t number = 1; std::getline(stream, text); ++number) {
    NumberLine line(text, {.where = file, .line = number, .text = text}, format);
    if (line.blank()) continue;
    TrafficMessage message;
    message.source = static_cast<NodeId>(line.number("source", last));
    message.destination = static_cast<NodeId>(line.number("destination", last));
    message.bytes = line.number("number of bytes", std::uint64_t{1} << 30);
    message.cycle = line.number("cycle", std::uint64_t{1} << 40);
    line.end("four");
    messages.push_back(message);
    if (messages.size() > most_traffic_messages) {
      throw ErrorText(fmt::format("{} has more than {} messages", ecube::quoted(file), most_traffic_messages)).error();
    }
  }
  if (messages.empty()) throw ErrorText(fmt::format("{} has no messages", ecube::quoted(file))).hint(format).error();
  return messages;
}

}  // namespace ecube
