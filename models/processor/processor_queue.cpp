// SPDX-License-Identifier: Apache-2.0
// Start-ups and receipts, one after the other.
#include "models/processor/processor_queue.h"

#include <algorithm>

#include "models/processor/processor_timeline.h"

namespace ecube {
double queued_step_us(std::span<const QueuedMessage> messages) {
  struct Receipt {
    double due_us;
    double us;
  };
  std::vector<Receipt> receipts;
  receipts.reserve(messages.size());
  double processor_us = 0;  // until when it is busy
  for (const QueuedMessage& message : messages) {
    if (message.sends) processor_us += message.startup_us;
    const double started = message.sends ? processor_us : message.startup_us;
    receipts.push_back({started + message.wire_us, message.receipt_us});
  }
  std::stable_sort(receipts.begin(), receipts.end(),
                   [](const Receipt& a, const Receipt& b) { return a.due_us < b.due_us; });
  for (const Receipt& receipt : receipts) processor_us = std::max(processor_us, receipt.due_us) + receipt.us;
  return processor_us;
}

double queued_exchanges_us(std::uint64_t count, const QueuedMessage& each) {
  if (count == 0) return 0;
  const auto q = static_cast<double>(count);
  const double startups = q * each.startup_us;
  const double receipts = q * each.receipt_us;
  return std::max(
      {startups + receipts, startups + each.wire_us + each.receipt_us, each.startup_us + each.wire_us + receipts});
}

double met_steps_us(std::uint32_t nodes, const ProcessorTimes& processor, const MetSteps& steps) {
  std::vector<MetMessage> messages;
  return timeline_us(nodes, [&](std::uint32_t node, std::uint64_t number, TimelineStep& step) {
    messages.clear();
    if (!steps(node, number, messages)) return false;
    for (const MetMessage& message : messages) {
      step.messages.push_back({.partner = message.partner,
                               .type = message.type,
                               .sends = message.out_us >= 0,
                               .receives = message.in_us >= 0,
                               .startup_us = processor.startup_us,
                               .wire_us = message.out_us,
                               .receipt_us = processor.receipt_us});
    }
    return true;
  });
}

}  // namespace ecube
