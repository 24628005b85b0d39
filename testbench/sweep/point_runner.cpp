// SPDX-License-Identifier: Apache-2.0
// From a point's arguments to its outcome.
#include "testbench/sweep/point_runner.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "testbench/text/text_file.h"
#include "testbench/workloads/run_commands.h"

namespace ecube {

namespace {

/// Keeps what is said on standard error from there, while it lives.
class CapturedErrors {
 public:
  CapturedErrors() : file_(memfd_create("errors", MFD_CLOEXEC)), before_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    if (file_ >= 0 && before_ >= 0) dup2(file_, STDERR_FILENO);
  }
  ~CapturedErrors() {
    std::fflush(stderr);
    if (before_ >= 0) {
      dup2(before_, STDERR_FILENO);
      close(before_);
    }
    if (file_ >= 0) close(file_);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  [[nodiscard]] std::string text() const {
    std::fflush(stderr);
    constexpr std::size_t most = 4000;
    std::string result(most, '\0');
    const ssize_t length = pread(file_, result.data(), most, 0);
    result.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    while (!result.empty() && result.back() == '\n') result.pop_back();
    return result;
  }

 private:
  int file_;
  int before_;
};

}  // namespace

PointOutcome PointRunner::parse(const std::vector<std::string>& arguments, Invocation& invocation) {
  PointOutcome outcome;
  const CapturedErrors errors;
  const auto fails = [&outcome](int status, const char* why) {
    outcome.status = status;
    outcome.error = why;
  };
  try {
    Command program("ecube", "");
    add_run(program, invocation, arguments.empty() ? std::string_view() : std::string_view(arguments.front()));
    program.run(std::span(invocation.arguments).subspan(1));
    outcome.status = invocation.status;
    if (outcome.status != 0) outcome.error = errors.text();
  } catch (const ContentError& problem) {
    fails(2, problem.discreet().c_str());
  } catch (const InputError& problem) {
    fails(2, problem.what());
  } catch (const AnotherElaboration&) {
    outcome.wants_another_elaboration = true;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    fails(1, problem.what());
  }
  if (outcome.status != 0 && outcome.error.empty()) outcome.error = fmt::format("ended with status {}", outcome.status);
  return outcome;
}

PointOutcome PointRunner::run(const std::vector<std::string>& arguments) {
  nlohmann::ordered_json result;
  Invocation invocation{.arguments = {"ecube", "run"},
                        .benches = &benches_,
                        .deliver = [&result](const nlohmann::ordered_json& json) { result = json; }};
  invocation.arguments.insert(invocation.arguments.end(), arguments.begin(), arguments.end());
  invocation.arguments.emplace_back("--quiet");
  const auto begin = std::chrono::steady_clock::now();
  PointOutcome outcome = parse(arguments, invocation);
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.result = std::move(result);
  return outcome;
}

PointSize PointRunner::size(const std::vector<std::string>& arguments) {
  PointSize size;
  Invocation invocation{.arguments = {"ecube", "run"}, .benches = &benches_, .estimate = [&size](const RunSize& run) {
                          size.size = run;
                        }};
  invocation.arguments.insert(invocation.arguments.end(), arguments.begin(), arguments.end());
  const PointOutcome outcome = parse(arguments, invocation);
  size.status = outcome.status;
  size.error = outcome.error;
  return size;
}

}  // namespace ecube
