// SPDX-License-Identifier: Apache-2.0
// Points in, results out.
#include "testbench/sweep/worker.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "testbench/run_commands.h"
#include "testbench/usage_error.h"

namespace ecube {

namespace {

/// What a run says on standard error, kept for its point.
class CapturedErrors {
 public:
  CapturedErrors() : file_(memfd_create("errors", MFD_CLOEXEC)) {
    if (file_ >= 0) dup2(file_, STDERR_FILENO);
  }
  ~CapturedErrors() {
    if (file_ >= 0) close(file_);
  }
  CapturedErrors(const CapturedErrors&) = delete;
  CapturedErrors& operator=(const CapturedErrors&) = delete;

  void clear() const {
    if (ftruncate(file_, 0) == 0) lseek(file_, 0, SEEK_SET);
  }
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
};

nlohmann::ordered_json run_point(const nlohmann::ordered_json& point, Benches& benches, const CapturedErrors& errors) {
  Invocation invocation{.arguments = {"ecube", "run"}, .benches = &benches};
  for (const auto& word : point["arguments"]) invocation.arguments.push_back(word.get<std::string>());
  invocation.arguments.emplace_back("--quiet");
  nlohmann::ordered_json answer = {{"number", point["number"]}};
  invocation.deliver = [&](const nlohmann::ordered_json& result) { answer["result"] = result; };
  errors.clear();
  const auto begin = std::chrono::steady_clock::now();
  CLI::App app;
  add_run(app, invocation);
  std::string error;
  int status = 0;
  try {
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend() - 1);
    app.parse(std::move(reversed));
    status = invocation.status;
    if (status != 0) error = errors.text();
  } catch (const CLI::ParseError& problem) {
    status = 2;
    error = problem.what();
  } catch (const InputError& problem) {
    status = 2;
    error = problem.what();
  } catch (const AnotherElaboration&) {
    return {{"number", point["number"]}, {"again", true}};
  } catch (const std::exception& problem) {
    status = 1;
    error = problem.what();
  }
  answer["status"] = status;
  answer["wall_s"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (status != 0) answer["error"] = error.empty() ? fmt::format("ended with status {}", status) : error;
  return answer;
}

}  // namespace

int run_worker(unsigned dim) {
  const CapturedErrors errors;
  Benches benches(dim);
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto point = nlohmann::ordered_json::parse(line, nullptr, false);
    if (point.is_discarded() || !point.contains("arguments")) return 2;
    const nlohmann::ordered_json answer = run_point(point, benches, errors);
    // Bytes that are no UTF-8 come from what the user typed.
    std::cout << answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
    if (answer.contains("again")) return 0;
  }
  return 0;
}

}  // namespace ecube
