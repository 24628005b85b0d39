// SPDX-License-Identifier: Apache-2.0
// Circuits as lines of a table.
#include "testbench/run/circuit_log.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace ecube {

CircuitLog::CircuitLog(const std::string& file, const Topology& topology)
    : stream_(file, std::ios::binary), file_(file), topology_(topology) {
  stream_ << "source,destination,phase,type,bytes,hops,probe,grants,first_data,tail,sender_ready,receiver_ready,"
             "blocked_cycles,port_blocked_cycles\n";
}

void CircuitLog::injected(CircuitId id, const CircuitRecord&) {
  if (ways_.size() <= id) ways_.resize(id + std::size_t{1});
  ways_[id] = {};
}

void CircuitLog::granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned, Cycles asked, Cycles at) {
  // Later lines belong to circuits that have an eject port now, or get one at this edge or later.
  write_until(ejecting_.empty() ? at : std::min(at, *ejecting_.begin()));
  Way& way = ways_[id];
  way.grants.push_back(at);
  (router == circuit.destination ? way.port_blocked : way.blocked) += at - asked;
  if (router == circuit.destination &&
      way.grants.size() == topology_.hops(circuit.source, circuit.destination) + std::size_t{1}) {
    way.ejected = at;
    ejecting_.insert(at);
  }
}

void CircuitLog::established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) {
  const Way& way = ways_[id];
  if (const auto ejecting = ejecting_.find(way.ejected); ejecting != ejecting_.end()) ejecting_.erase(ejecting);
  lines_.push(
      {edges.receiver_ready, circuit.destination, circuit.eject_port,
       fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", circuit.source, circuit.destination, circuit.label,
                   circuit.type, circuit.bytes, topology_.hops(circuit.source, circuit.destination), circuit.probe,
                   fmt::join(way.grants, " "), edges.data, edges.tail, edges.sender_ready, edges.receiver_ready,
                   way.blocked, way.port_blocked)});
}

void CircuitLog::write_until(Cycles limit) {
  for (; !lines_.empty() && lines_.top().received < limit; lines_.pop()) stream_ << lines_.top().text;
}

void CircuitLog::finish() {
  write_until(std::numeric_limits<Cycles>::max());
  stream_.close();
  if (!stream_) throw std::runtime_error(file_ + " is incomplete: is the disk full?");
}

}  // namespace ecube
