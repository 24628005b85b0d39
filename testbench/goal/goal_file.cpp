// SPDX-License-Identifier: Apache-2.0
// Compiled schedules: a head, the first operation of every rank, the operations, their dependents.
#include "testbench/goal/goal_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "models/machine/error.h"
#include "testbench/system/atomic_file.h"
#include "testbench/system/memory.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text_file.h"
#include "testbench/text/text_hash.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

/// The least memory that reading a line takes beside its text: operations are in memory twice.
constexpr std::uint64_t bytes_of_a_line = 64;

struct Head {
  std::uint64_t magic = 0x326C616F67ULL;  ///< of this layout
  std::uint64_t ranks = 0;
  std::uint64_t operations = 0;
  std::uint64_t dependents = 0;
  std::uint64_t messages = 0;
  std::uint64_t other_processors = 0;
  std::uint64_t interfaces = 0;
  std::uint64_t unused = 0;

  [[nodiscard]] std::size_t first_bytes() const { return (ranks + 2) / 2 * sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(Head) + first_bytes() + operations * sizeof(GoalOperation) + dependents * sizeof(std::uint32_t);
  }
};

void append(std::string& text, const void* data, std::size_t bytes) {
  text.append(static_cast<const char*>(data), bytes);
}

std::string compiled(const GoalText& schedule) {
  Head head;
  head.ranks = schedule.first.size() - 1;
  head.operations = schedule.operations.size();
  head.dependents = schedule.dependents.size();
  head.other_processors = schedule.other_processors;
  head.interfaces = schedule.interfaces;
  for (const GoalOperation& one : schedule.operations) head.messages += one.kind == GoalKind::send ? 1 : 0;
  std::string text;
  text.reserve(head.bytes());
  append(text, &head, sizeof head);
  append(text, schedule.first.data(), schedule.first.size() * sizeof(std::uint32_t));
  text.resize(sizeof head + head.first_bytes());
  append(text, schedule.operations.data(), schedule.operations.size() * sizeof(GoalOperation));
  append(text, schedule.dependents.data(), schedule.dependents.size() * sizeof(std::uint32_t));
  return text;
}

fs::path goal_place(const std::string& hash) {
  const fs::path tree = build_tree();
  const fs::path cache = tree.empty() ? user_cache() : tree;
  std::error_code failed;
  if (!cache.empty()) fs::create_directories(cache / "goal", failed);
  if (cache.empty() || failed) {
    throw ErrorText("there is no place for compiled schedules").hint("XDG_CACHE_HOME=DIR names one").error();
  }
  return cache / "goal" / hash;
}

const Head& head_of(const std::byte* base) { return *reinterpret_cast<const Head*>(base); }

}  // namespace

GoalFile::GoalFile(const std::string& file, bool quiet) {
  const std::string text = read_file(file, "schedule", most_schedule_text);
  hash_ = hash_of(text);
  const fs::path place = goal_place(hash_);
  for (bool fresh = false;; fresh = true) {
    const int descriptor = open(place.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found {};
    if (descriptor >= 0 && fstat(descriptor, &found) == 0 && static_cast<std::size_t>(found.st_size) >= sizeof(Head)) {
      size_ = static_cast<std::size_t>(found.st_size);
      void* const mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
      if (mapped != MAP_FAILED) base_ = static_cast<std::byte*>(mapped);
    }
    if (descriptor >= 0) close(descriptor);
    if (base_ != nullptr && head_of(base_).magic == Head().magic && head_of(base_).bytes() == size_) return;
    if (base_ != nullptr) munmap(base_, size_);
    base_ = nullptr;
    if (fresh) throw ErrorText(fmt::format("the compiled schedule {} cannot be read", place.string())).error();
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    require_memory(text.size() + lines * bytes_of_a_line, fmt::format("compiling {} needs", ecube::quoted(file)),
                   "a schedule of fewer lines");
    write_file(place.string(), compiled(parse_goal(text, file, quiet)));
  }
}

GoalFile::~GoalFile() {
  if (base_ != nullptr) munmap(base_, size_);
}

GoalSchedule GoalFile::schedule() const {
  const Head& head = head_of(base_);
  std::byte* const first = base_ + sizeof(Head);
  std::byte* const operations = first + head.first_bytes();
  std::byte* const dependents = operations + head.operations * sizeof(GoalOperation);
  return {.operations = {reinterpret_cast<GoalOperation*>(operations), head.operations},
          .dependents = {reinterpret_cast<const std::uint32_t*>(dependents), head.dependents},
          .first = {reinterpret_cast<const std::uint32_t*>(first), head.ranks + 1}};
}

std::uint64_t GoalFile::operations() const { return head_of(base_).operations; }
std::uint64_t GoalFile::messages() const { return head_of(base_).messages; }
std::uint64_t GoalFile::other_processors() const { return head_of(base_).other_processors; }
std::uint64_t GoalFile::interfaces() const { return head_of(base_).interfaces; }

}  // namespace ecube
