// SPDX-License-Identifier: Apache-2.0
// Compiled schedules: a head, the first operation of every rank, the operations, their dependents.
#include "testbench/goal/goal_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "models/machine/error.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

/// Of compiled files. It changes with their layout and with what a text means.
constexpr int layout = 3;

/// The least memory that reading a line takes beside its text: operations are in memory twice.
constexpr std::uint64_t bytes_of_a_line = 64;

std::size_t bytes_of_first(const GoalCounts& head) { return (head.ranks + 2) / 2 * sizeof(std::uint64_t); }

std::size_t bytes_of(const GoalCounts& head) {
  return sizeof head + bytes_of_first(head) + head.operations * sizeof(GoalOperation) +
         head.dependents * sizeof(std::uint32_t);
}

void append(std::string& text, const void* data, std::size_t bytes) {
  text.append(static_cast<const char*>(data), bytes);
}

std::string compiled(const GoalText& schedule) {
  const GoalCounts& head = schedule.counts;
  std::string text;
  text.reserve(bytes_of(head) + seal_bytes);
  append(text, &head, sizeof head);
  append(text, schedule.first.data(), schedule.first.size() * sizeof(std::uint32_t));
  text.resize(sizeof head + bytes_of_first(head));
  append(text, schedule.operations.data(), schedule.operations.size() * sizeof(GoalOperation));
  append(text, schedule.dependents.data(), schedule.dependents.size() * sizeof(std::uint32_t));
  return text;
}

/// Bytes of what a text of this size is compiled into, at most: a line of at least 7 characters has 32 bytes, every
/// rank has 4, and there are at most 2^20 ranks.
std::uint64_t most_compiled(std::uint64_t text_size) { return 5 * text_size + (std::uint64_t{8} << 20); }

std::string schedule_text(const std::string& file) { return read_text(file, "schedule", most_schedule_text); }

/// The name under which the schedule of a text with this digest is kept: another one for every version of ecube.
std::string kept_name(const std::string& digest) {
  return digest_of(fmt::format("ecube {}, schedule {}, {}\n", program_version, layout, digest));
}

const GoalCounts& head_of(const std::string& contents) { return *reinterpret_cast<const GoalCounts*>(contents.data()); }

/// Every count is below the size, so that the sum of the parts does not wrap around.
bool is_schedule(const std::string& contents) {
  const std::size_t size = contents.size();
  if (size < sizeof(GoalCounts)) return false;
  const GoalCounts& head = head_of(contents);
  return head.ranks < size && head.operations < size && head.dependents < size && bytes_of(head) == size;
}

/// The next process compiles what could not be kept.
void keep_schedule(const std::filesystem::path& folder, const std::string& name, const std::string& contents) {
  try {
    StagedFiles staged(folder.string());
    staged.write(name, contents);
    staged.move_each();
  } catch (const std::runtime_error& problem) {
    const std::string_view what = problem.what();
    fmt::print(stderr, "ecube: the compiled schedule is not kept: {}\n", what.substr(0, what.find('\n')));
  }
}

}  // namespace

GoalFile::GoalFile(const std::string& file, bool quiet) {
  const std::filesystem::path folder = cache_folder("goal");
  std::uint64_t size = 0;
  {  // the text is not in memory together with the compiled schedule that was kept
    const std::string text = schedule_text(file);
    hash_ = digest_of(text);
    size = text.size();
  }
  contents_ = unsealed((folder / kept_name(hash_)).string(), most_compiled(size)).value_or("");
  if (is_schedule(contents_)) return;
  const std::string text = schedule_text(file);
  hash_ = digest_of(text);
  const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  require_memory(text.size() + lines * bytes_of_a_line, fmt::format("compiling {} needs", ecube::quoted(file)),
                 "a schedule of fewer lines");
  contents_ = sealed(compiled(parse_goal(text, file, quiet)));
  keep_schedule(folder, kept_name(hash_), contents_);
}

GoalSchedule GoalFile::schedule() {
  const GoalCounts& head = head_of(contents_);
  char* const first = contents_.data() + sizeof head;
  char* const operations = first + bytes_of_first(head);
  char* const dependents = operations + head.operations * sizeof(GoalOperation);
  return {.operations = {reinterpret_cast<GoalOperation*>(operations), head.operations},
          .dependents = {reinterpret_cast<const std::uint32_t*>(dependents), head.dependents},
          .first = {reinterpret_cast<const std::uint32_t*>(first), head.ranks + 1}};
}

const GoalCounts& GoalFile::counts() const { return head_of(contents_); }

}  // namespace ecube
