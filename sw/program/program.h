// SPDX-License-Identifier: Apache-2.0
// The one header that a user's program includes (README.md of this folder).
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/api/barrier.h"
#include "sw/api/node.h"
#include "sw/program/job.h"

namespace ecube {

/// All node objects of a program after its run, for its check.
template <class P>
class NodesOf {
 public:
  explicit NodesOf(const std::vector<std::unique_ptr<P>>& objects) : objects_(objects) {}
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  [[nodiscard]] const P& operator[](NodeId node) const { return *objects_[node]; }

 private:
  const std::vector<std::unique_ptr<P>>& objects_;
};

/// One run of a program, independent of its class, for the test bench.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// The program of one node.
  [[nodiscard]] virtual Task<> run(Node& node) = 0;
  /// The time that the program expects, in microseconds; nothing without a prediction.
  [[nodiscard]] virtual std::optional<double> predict() const = 0;
  /// After a run that finished: empty when all results are right, else the reason why not; nothing without a check.
  [[nodiscard]] virtual std::optional<std::string> check() const = 0;
  /// After a run that finished: the nodes' figures, added up.
  [[nodiscard]] virtual Sums sums() const = 0;

 protected:
  ProgramRunner() = default;
};

/// A program by name.
struct ProgramEntry {
  std::string name;
  std::string help;
  std::vector<Parameter> parameters{};
  bool predicts = false;
  std::unique_ptr<ProgramRunner> (*make)(const Job& job) = nullptr;
};

using ProgramList = std::vector<ProgramEntry>;

namespace detail {

struct Nothing {
  explicit Nothing(const Job&) {}
};

template <class P>
struct SharedOf {
  using Type = Nothing;
};
template <class P>
requires requires { typename P::Shared; }
struct SharedOf<P> {
  using Type = typename P::Shared;
};

/// Objects of class P on all nodes. Their shared data are made once, from the job, and are read-only.
template <class P>
class RunnerOf final : public ProgramRunner {
 public:
  explicit RunnerOf(const Job& job) : job_(job), shared_(job) {
    nodes_.reserve(job.nodes());
    for (NodeId node = 0; node < job.nodes(); ++node) {
      if constexpr (std::constructible_from<P, const Job&, const Shared&>) {
        nodes_.push_back(std::make_unique<P>(job_, shared_));
      } else if constexpr (std::constructible_from<P, const Job&>) {
        nodes_.push_back(std::make_unique<P>(job_));
      } else {
        nodes_.push_back(std::make_unique<P>());
      }
    }
  }

  [[nodiscard]] Task<> run(Node& node) override { return nodes_[node.id()]->run(node); }

  [[nodiscard]] std::optional<double> predict() const override {
    if constexpr (requires(const Job& job, const Shared& shared) { P::predict(job, shared); }) {
      return P::predict(job_, shared_);
    } else if constexpr (requires(const Job& job) { P::predict(job); }) {
      return P::predict(job_);
    } else {
      return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<std::string> check() const override {
    if constexpr (requires(const NodesOf<P>& nodes, const Shared& shared) { P::check(nodes, shared); }) {
      return P::check(NodesOf<P>(nodes_), shared_);
    } else if constexpr (requires(const NodesOf<P>& nodes) { P::check(nodes); }) {
      return P::check(NodesOf<P>(nodes_));
    } else {
      return std::nullopt;
    }
  }

  [[nodiscard]] Sums sums() const override {
    Sums sums;
    if constexpr (requires(const P& node, Sums& into) { node.sum(into); }) {
      for (const std::unique_ptr<P>& node : nodes_) node->sum(sums);
    }
    return sums;
  }

 private:
  using Shared = typename SharedOf<P>::Type;
  Job job_;
  const Shared shared_;
  std::vector<std::unique_ptr<P>> nodes_;
};

template <class P>
ProgramEntry entry_of() {
  static_assert(
      requires(P & program, Node & node) {
        { program.run(node) } -> std::same_as<Task<>>;
      },
      "a program has a function Task<> run(Node& node)");
  static_assert(
      requires {
        std::string(P::name);
        std::string(P::help);
      },
      "a program has static constexpr std::string_view name and help");
  ProgramEntry entry{
      .name = std::string(P::name),
      .help = std::string(P::help),
      .make = [](const Job& job) -> std::unique_ptr<ProgramRunner> { return std::make_unique<RunnerOf<P>>(job); }};
  if constexpr (requires { P::parameters(); }) entry.parameters = P::parameters();
  entry.predicts = requires(const Job& job) { P::predict(job); }
  || requires(const Job& job, const typename SharedOf<P>::Type& shared) { P::predict(job, shared); };
  return entry;
}

}  // namespace detail

template <class... P>
[[nodiscard]] ProgramList program_list() {
  return {detail::entry_of<P>()...};
}

}  // namespace ecube

/// Ends a file of programs: ECUBE_PROGRAMS(Ring, Tree)
#define ECUBE_PROGRAMS(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) void ecube_programs(ecube::ProgramList& list) { \
    list = ecube::program_list<__VA_ARGS__>();                                                      \
  }
