// SPDX-License-Identifier: Apache-2.0
// Commands that nobody would type: each ends by itself with 0, 1, 2 or 3, and one that is refused writes nothing.
#include "tests/fuzz/bounded_run.h"
#include "tests/fuzz/mutator.h"
#include "tests/test.h"

namespace commands_test {
namespace {

namespace fs = std::filesystem;

/// Commands that end in a moment whatever small numbers their options have.
const std::vector<std::string>& commands() {
  static const std::vector<std::string> all = listed("commands");
  return all;
}

struct KnownOption {
  std::string name;
  std::vector<std::string> values;
};

/// Each in words.json with its values behind it.
const std::vector<KnownOption>& known_options() {
  static const std::vector<KnownOption> all = [] {
    std::vector<KnownOption> options;
    for (const std::string& row : listed("options")) {
      const std::size_t end = std::min(row.find(" | "), row.size());
      KnownOption& option = options.emplace_back(KnownOption{.name = row.substr(0, end), .values = {}});
      for (std::size_t at = end; at < row.size();) {
        const std::size_t next = std::min(row.find(" | ", at + 3), row.size());
        option.values.push_back(row.substr(at + 3, next - at - 3));
        at = next;
      }
    }
    return options;
  }();
  return all;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A command with up to six options; about one value in three is damaged.
std::vector<std::string> drawn_command(Draws& draws) {
  std::vector<std::string> words = words_of(commands()[draws.up_to(commands().size() - 1)]);
  for (auto count = draws.up_to(6); count > 0; --count) {
    const KnownOption& option = known_options()[draws.up_to(known_options().size() - 1)];
    words.push_back(option.name);
    if (draws.up_to(15) == 0) words.back() = damaged(words.back(), "--dim", draws).substr(0, 40);
    if (option.values.empty() && draws.up_to(15) != 0) continue;
    std::string value = option.values.empty() ? "1" : option.values[draws.up_to(option.values.size() - 1)];
    // Names of files stay: a run into a directory elsewhere is no defect.
    if (draws.up_to(2) == 0 && words.back() != "-o") value = damaged(value, "16", draws).substr(0, 400);
    words.push_back(value.substr(0, value.find('\0')));
  }
  for (std::string& word : words) word = word.substr(0, word.find('\0'));
  return words;
}

std::string printable(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += " '";
    for (const char letter : word) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(letter));
      line += letter >= ' ' && letter < 127 && letter != '\'' && letter != '\\' ? std::string(1, letter) : code.data();
    }
    line += "'";
  }
  return line;
}

/// A directory with one good file of every kind.
void fill(const std::string& directory) {
  fs::create_directory(directory);
  std::ofstream(directory + "/machine.toml") << "name = \"mine\"\nbase = \"ipsc860\"\n";
  std::ofstream(directory + "/messages.txt") << "0 1 16 0\n1 0 16 40\n";
  std::ofstream(directory + "/sizes.txt") << "0 1 16\n1 0 40\n";
  std::ofstream(directory + "/study.toml")
      << "name = \"s\"\nrun = \"exchange\"\n[workload]\ndim = 2\n[[axis]]\nkey = \"bytes\"\nvalues = [1, 2]\n";
  ASSERT_EQ(bounded_run(ecube_program(), {"run", "exchange", "--dim", "2", "-o", "run"}, directory).status, 0);
}

TEST(Commands, EndByThemselvesWhateverIsTyped) {
  const std::uint64_t cases = given("ECUBE_CASES", random_cases(400));
  const std::uint64_t seed = given("ECUBE_SEED", 1);
  const Directory parent;
  const std::string directory = parent / "here";
  ASSERT_NO_FATAL_FAILURE(fill(directory));
  auto before = contents(directory);
  std::map<int, int> endings;
  for (std::uint64_t number = seed; number < seed + cases; ++number) {
    Draws draws(number);
    const std::vector<std::string> words = drawn_command(draws);
    const Ending ending = bounded_run(ecube_program(), words, directory);
    auto after = contents(directory);
    const std::string fault = fault_of(ending, after != before);
    EXPECT_EQ(fault, "") << "ECUBE_SEED=" << number << " ECUBE_CASES=1:" << printable(words) << "\n"
                         << ending.output.substr(0, 2000);
    ++endings[WIFSIGNALED(ending.status) ? -WTERMSIG(ending.status) : WEXITSTATUS(ending.status)];
    if (after == before) continue;
    fs::remove_all(directory);
    ASSERT_NO_FATAL_FAILURE(fill(directory));
    before = contents(directory);
  }
  std::printf("commands from seed %llu, counts: %llu commands", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  for (const auto& [code, count] : endings) std::printf(" %d exit:%d", count, code);
  std::printf("\n");
  if (cases < 100) return;
  // Commands that are all refused, or all run, are no test of the others.
  EXPECT_GT(endings[0], static_cast<int>(cases / 50));
  EXPECT_GT(endings[2], static_cast<int>(cases / 50));
}

/// Planted faults: each of them is told from a command that ends as it should.
TEST(Commands, ThatEndOtherwiseAreFound) {
  const Directory parent;
  const std::string directory = parent / "here";
  fs::create_directory(directory);
  const auto sh = [&](const std::string& line) { return bounded_run("/bin/sh", {"-c", line}, directory); };
  EXPECT_EQ(fault_of(sh("echo 'error: refused'; exit 2"), false), "");
  EXPECT_EQ(fault_of(sh("kill -SEGV $$"), false), "ended by signal 11");
  EXPECT_EQ(fault_of(sh("exit 4"), false), "exit code 4");
  EXPECT_EQ(fault_of(sh("echo 'error: refused'; exit 2"), true), "refused, but written");
  EXPECT_EQ(fault_of(sh("exit 2"), false), "refused without a reason");
  EXPECT_EQ(fault_of(sh("echo \"terminate called after throwing\""), false), "an exception that nothing caught");
  EXPECT_EQ(fault_of(sh("ulimit -t 1; while :; do :; done"), false).rfind("ended by signal", 0), 0U);
}

}  // namespace
}  // namespace commands_test
