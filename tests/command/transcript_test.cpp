// SPDX-License-Identifier: Apache-2.0
// Each test of the transcripts, under the name that its transcript gives it; and that a wrong row is found.
#include "tests/command/transcript.h"

namespace transcript_test {
namespace {

class Holds : public ::testing::Test {
 public:
  explicit Holds(std::shared_ptr<const transcript::Test> test) : test_(std::move(test)) {}
  void TestBody() override {
    for (const std::string& complaint : transcript::complaints(*test_)) ADD_FAILURE() << complaint;
  }

 private:
  std::shared_ptr<const transcript::Test> test_;
};

const bool registered = [] {
  for (const auto& entry : std::filesystem::directory_iterator(in_tree("tests/command/transcripts"))) {
    if (entry.path().extension() != ".txt") continue;
    for (transcript::Test& one : transcript::read(file_text(entry.path().string()), entry.path().string())) {
      const auto test = std::make_shared<const transcript::Test>(std::move(one));
      ::testing::RegisterTest(test->suite.c_str(), test->name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [test]() -> ::testing::Test* { return new Holds(test); });
    }
  }
  return true;
}();

std::size_t complaints_of(const std::string& rows) {
  std::size_t number = 0;
  for (const transcript::Test& test : transcript::read("== A.Test\n" + rows, "rows")) {
    number += transcript::complaints(test).size();
  }
  return number;
}

TEST(Transcript, FindsEveryRowThatIsWrong) {
  const std::string json = "$ echo '{\"a\": {\"b\": 5, \"c\": [1, 2]}, \"d\": \"some words\"}'\n";
  EXPECT_EQ(
      complaints_of(
          json + "@ /a/b = 5\n@ /a/b ~ 5.1 0.2\n@ /a/b >= 5\n@ /a/b < 6\n@ /a/c size 2\n@ /a/c = [1,2]\n"
                 "@ /d has words\n@ /e none\n: one\n@ /a/b = one:/a/b\n@ /a/b != one:/d\n? some\n! none\n"
                 "@ /a/c/* < 3\n@ /a/c/* = one:/a/c/*\n? {one:/d}\n$ echo {one:/a/c} {one:/d}\n? 1,2 some words\\n\n"),
      0U);
  for (const char* const wrong : {"@ /a/b = 6\n",
                                  "@ /a/b ~ 5.1 0.05\n",
                                  "@ /a/b > 5\n",
                                  "@ /a/b < 5\n",
                                  "@ /a/b <= 4\n",
                                  "@ /a/b >= 6\n",
                                  "@ /a/c size 3\n",
                                  "@ /a/c = [1]\n",
                                  "@ /d has word of\n",
                                  "@ /d > 1\n",
                                  "@ /a none\n",
                                  "@ /e = 5\n",
                                  "@ /a/b != 5\n",
                                  "@ /a/b = none:/a/b\n",
                                  ": one\n@ /a/b = one:/a/d\n",
                                  "@ /a/b\n",
                                  "@ /a/b = \n",
                                  "@ a = 5\n",
                                  "@ /a/c/* < 2\n",
                                  "@ /a/b/* < 9\n",
                                  ": one\n? {one:/a/c}, 3\n",
                                  "? none\n",
                                  "! some\n",
                                  "= 1\n",
                                  "; unknown\n",
                                  "unknown\n"}) {
    EXPECT_EQ(complaints_of(json + wrong), 1U) << wrong;
  }
  EXPECT_EQ(complaints_of("$ echo no object\n@ /a none\n"), 1U);
  EXPECT_EQ(complaints_of("$ exit 3\n$ exit 0\n"), 1U) << "the status of a command that is not the last";
  EXPECT_EQ(complaints_of(""), 1U) << "a test without rows";
}

TEST(Transcript, RunsEachTurnInAFolderOfItsOwnWithItsFiles) {
  EXPECT_EQ(complaints_of("> f\n| one\n|   two\n$ cat f\n? one\\n  two\\n\n$ ls\n! said\n"), 0U);
  EXPECT_EQ(complaints_of(
                "* word f | g h\n* number 1 | 2 | 3\n$ ls | wc -l; touch '{word}'; echo {number}\n? 0\\n\n! 2\\n\n"),
            2U);
  EXPECT_EQ(complaints_of("$ echo said >&2\n! said\n& echo said >&2\n? said\n"), 0U);
}

}  // namespace
}  // namespace transcript_test
