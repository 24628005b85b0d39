// SPDX-License-Identifier: Apache-2.0
// What the program keeps between runs: strangers put nothing there, damage is mended, faults of the machine leave no
// half files; more in transcripts/cache.txt.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tests/command/shell.h"
#include "tests/command/system_calls.h"

namespace cache_test {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); }
void set_mode(const fs::path& path, unsigned mode) { fs::permissions(path, static_cast<fs::perms>(mode)); }

/// What CMake remembers in the build tree of the program.
std::string remembered(const std::string& key) {
  for (const std::string& line : file_lines(in_build("CMakeCache.txt"))) {
    if (line.rfind(key + ":INTERNAL=", 0) == 0) return line.substr(key.size() + 10);
  }
  return "";
}

void put_program(const fs::path& to) {
  std::error_code elsewhere;
  fs::create_directories(to.parent_path());
  fs::create_hard_link(ecube_program(), to, elsewhere);
  if (elsewhere) fs::copy_file(ecube_program(), to);
}

/// Whether the last 64 characters are the SHA-256 of all before.
bool is_whole(const std::string& file) {
  const Outcome sum = shell("head -c -64 '" + file + "' | sha256sum | head -c 64");
  const std::string text = file_text(file);
  return text.size() > 64 && text.substr(text.size() - 64) == sum.output;
}

/// A copy of the program that is neither installed nor in its build tree, a cache of its own, and a schedule that takes
/// 275 cycles: 1,000 ns are 40 cycles, then 100 + 2 x 4 + 4 + 63 for 64 bytes over one link.
struct Alone {
  Alone() {
    put_program(directory / "ecube");
    std::ofstream(directory / "s.goal") << "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 64b to 1\nb requires a\n}\n"
                                           "rank 1 {\nrecv 64b from 0\n}\n";
  }
  [[nodiscard]] std::string line(const std::string& before = "") const {
    return "cd " + (directory / "") + " && XDG_CACHE_HOME=" + (directory / "cache") + " " + before +
           " ./ecube run goal s.goal --dim 1 --json 2>&1";
  }
  [[nodiscard]] Outcome run() const { return shell(line()); }
  /// Of the schedule that is kept; empty where none is.
  [[nodiscard]] std::string kept() const {
    std::string file;
    if (!fs::exists(goal)) return file;
    for (const auto& entry : fs::directory_iterator(goal)) {
      if (entry.is_regular_file()) file = entry.path().string();
    }
    return file;
  }

  const Directory directory;
  const std::string goal = directory / "cache/ecube/goal";
  const std::string right = "\"cycles\": 215,";
};

/// A build tree of the program: what CMake remembers of it, and a `cmake` that links libraries of its own.
struct Tree {
  explicit Tree(const std::string& number = remembered("ECUBE_TREE")) {
    put_program(here + "/testbench/ecube");
    std::ofstream(here + "/CMakeCache.txt")
        << "CMAKE_HOME_DIRECTORY:INTERNAL=" << in_tree() << "\nECUBE_TREE:INTERNAL=" << number << "\n";
    fs::create_directory(here + "/tools");
    // Links slowly: a part of the library is there until `go` is.
    const std::string linked = in_build("rtl/linked/$file ");
    write_tool("cmake", "[[ $1 == --build ]] || exit 0\ntarget=$4 file=$4_" + remembered("ECUBE_RTL_HASH") +
                            ".so linked=$2/rtl/linked\n" +
                            "[[ ! -e $linked/$file ]] || exit 1\nmkdir -p $linked\n"
                            "head -c 5000 " +
                            linked +
                            ">$linked/$file; touch $(dirname $0)/../begun\n"
                            "for i in {1..500}; do [[ ! -e $(dirname $0)/../go ]] || break; sleep 0.01; done\n"
                            "cp " +
                            linked +
                            "$linked/$file\nexec " ECUBE_CMAKE " -D LINKED=$linked/$file -D KEPT=$2/rtl/$file -P " +
                            in_tree("cmake/EcubeSealed.cmake\n"));
  }
  void write_tool(const std::string& name, const std::string& script) const {
    std::ofstream(here + "/tools/" + name) << "#!/bin/bash\n" << script;
    set_mode(here + "/tools/" + name, 0755);
  }
  [[nodiscard]] std::string line(const std::string& words) const {
    return "cd " + here + " && CXX= PATH=" + here + "/tools:$PATH XDG_CACHE_HOME=" + (directory / "cache") +
           " testbench/ecube run " + words + " 2>&1";
  }
  [[nodiscard]] Outcome run(const std::string& words) const { return shell(line(words)); }

  const Directory directory;
  const std::string here = directory / "tree";
  const std::string rtl = "traffic --dim 3 --messages 2 --engine rtl";
  const std::string library = here + "/rtl/ecube_rtl_d3_one_" + remembered("ECUBE_RTL_HASH") + ".so";
};

TEST(BuildTree, OfAStrangerIsNotTrusted) {
  for (const bool own : {true, false}) {
    const Tree tree(own ? remembered("ECUBE_TREE") : "0123456789abcdef0123456789abcdef");
    fs::create_directories(tree.here + "/rtl");
    std::ofstream(tree.here + "/evil.c") << "#include <stdio.h>\n__attribute__((constructor)) static void evil() { "
                                            "fclose(fopen(\"loaded\", \"w\")); }\n";
    expect(shell("cd " + tree.here + " && gcc -shared -fPIC evil.c -o evil.so && { cat evil.so && sha256sum evil.so |" +
                 " head -c 64; } >" + tree.library),
           0);
    const Outcome outcome = expect(tree.run(tree.rtl), 2);
    // In the tree that the program was built in, the library would be its own.
    EXPECT_EQ(fs::exists(tree.here + "/loaded"), own) << outcome.output;
    EXPECT_EQ(has(outcome, "the program is neither installed nor in its build tree"), !own) << outcome.output;
  }
}

TEST(BuildTree, ThatOthersCanWriteIsRefused) {
  const Tree tree;
  fs::create_directories(tree.here + "/rtl");
  for (const std::string& folder : {tree.here + "/rtl", tree.here}) {
    const unsigned before = mode_of(folder);
    set_mode(folder, 0775);
    expect(tree.run(tree.rtl), 2, {"keeps its files in " + folder + ", where others can write"});
    set_mode(folder, before);
  }
}

/// A copy of the program in a directory that has all that an installation has: sources that are built and loaded.
TEST(Installation, OfAnotherUserOrThatOthersCanWriteIsNotTrusted) {
  const Directory directory;
  const std::string files = directory / "share/ecube";
  const std::string headers = directory / "include/ecube";
  put_program(directory / "bin/ecube");
  for (const std::string& folder : {files + "/rtl", headers + "/models", headers + "/sw/program"}) {
    fs::create_directories(folder);
  }
  std::ofstream(files + "/rtl/CMakeLists.txt") << "file(WRITE " << directory / "loaded"
                                               << " \"\")\n";
  std::ofstream(headers + "/sw/program/program.h") << "#error loaded\n";
  std::ofstream(directory / "p.cpp") << "#include \"sw/program/program.h\"\n";
  const auto run = [&](const std::string& words) {
    return shell("cd " + (directory / "") + " && XDG_CACHE_HOME=" + (directory / "cache") + " bin/ecube run " + words +
                 " 2>&1");
  };
  const auto loads = [&] {
    fs::remove(directory / "loaded");
    const Outcome rtl = run("traffic --dim 3 --messages 2 --engine rtl");
    const Outcome program = run("program p.cpp --dim 1");
    EXPECT_EQ(rtl.status, 2) << rtl.output;
    EXPECT_EQ(program.status, 2) << program.output;
    const bool any = fs::exists(directory / "loaded") || has(program, "#error loaded");
    for (const Outcome& outcome : {rtl, program}) {
      EXPECT_EQ(has(outcome, "belongs to another user than the program, or others can write there"), !any)
          << outcome.output;
    }
    return any;
  };
  EXPECT_TRUE(loads());
  for (const unsigned mode : {0775U, 0757U}) {
    set_mode(files, mode);
    EXPECT_FALSE(loads()) << mode;
    set_mode(files, 0755);
  }
  set_mode(headers, 0775);
  EXPECT_TRUE(has(run("program p.cpp --dim 1"), headers + " belongs to another user"));
  set_mode(headers, 0755);
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(files.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(loads());
}

/// Two processes need a library that does not exist, the second while the first is linking it.
TEST(BuiltLibraries, AppearWholeAndAreLinkedAnewWhereTheyAreNot) {
  const Tree tree;
  const auto in_background = [&](const std::string& out) {
    return "{ { " + tree.line(tree.rtl) + "; } >" + tree.here + "/" + out + "; echo exit $? >>" + tree.here + "/" +
           out + "; } & ";
  };
  const auto wait_for = [&](const std::string& condition) {
    return "for i in $(seq 1000); do " + condition + " 2>/dev/null && break; sleep 0.01; done; ";
  };
  shell(in_background("first") + wait_for("[ -e " + tree.here + "/begun ]") + in_background("second") +
        wait_for("grep -q waiting " + tree.here + "/second") + "touch " + tree.here + "/go; wait");
  const std::string first = file_text(tree.here + "/first");
  const std::string second = file_text(tree.here + "/second");
  EXPECT_HAS(first, "exit 0");
  EXPECT_HAS(second, "exit 0");
  EXPECT_LACKS(second, "verilating");
  EXPECT_TRUE(is_whole(tree.library));
  EXPECT_EQ(mode_of(tree.here + "/rtl"), 0700U);
  const std::string whole = file_text(tree.library);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5000}, whole.size() - 1}) {
    std::ofstream(tree.library, std::ios::binary) << whole.substr(0, size);
    expect(tree.run(tree.rtl), 0, {"verilating"});
    EXPECT_EQ(file_text(tree.library), whole);
  }
  EXPECT_FALSE(has(tree.run(tree.rtl), "verilating"));
}

TEST(OwnRouters, AreNamedBySha256AndLinkedAnewWhereTheyAreNotWhole) {
  const Tree tree;
  std::ofstream(tree.here + "/go").close();
  tree.write_tool("verilator", "exit 0\n");
  const std::string text = "module ecube_router; endmodule\n";
  std::ofstream(tree.here + "/mine.sv") << text;
  const std::string run = tree.rtl + " --router mine.sv";
  expect(tree.run(run), 0);
  // Module, path, sources of the other modules, and text, each behind its length.
  const std::string path = tree.here + "/mine.sv";
  const Outcome name = shell("{ printf 12:ecube_router" + std::to_string(path.size()) + ":" + path +
                             "64:" + remembered("ECUBE_RTL_HASH") + "%s: " + std::to_string(text.size()) + "; cat " +
                             path + "; } | sha256sum | head -c 64");
  const std::string folder = tree.directory / "cache/ecube/routers/" + name.output;
  const std::string router = folder + "/ecube_rtl_d3_one.so";
  ASSERT_TRUE(is_whole(router)) << router;
  EXPECT_FALSE(has(tree.run(run), "verilating"));
  const std::string whole = file_text(router);
  std::ofstream(router, std::ios::binary) << whole.substr(0, 5000);
  expect(tree.run(run), 0, {"verilating"});
  EXPECT_EQ(file_text(router), whole);
}

/// The compiler makes an object without programs, which the program says when it has loaded it.
struct ProgramTree : Tree {
  ProgramTree() {
    write_tool("g++",
               "[[ $1 != --version ]] || exec echo g++ of a test\n"
               "while (($# > 1)); do [[ $1 != -MF ]] || rule=$2; [[ $1 != -o ]] || object=$2; shift; done\n"
               "echo \"object: $1\" >$rule\ncp " +
                   here + "/object.so $object\n");
    expect(shell("cd " + here + " && echo 'void ecube_programs(void* list) {}' >object.c && echo >mine.cpp &&" +
                 " gcc -shared -fPIC object.c -o object.so"),
           0);
  }
  [[nodiscard]] Outcome run() const { return Tree::run("program ./mine.cpp --dim 1"); }
  [[nodiscard]] std::vector<std::string> kept(const std::string& ending) const {
    std::vector<std::string> files;
    if (!fs::exists(here + "/programs")) return files;
    for (const auto& entry : fs::directory_iterator(here + "/programs")) {
      if (entry.path().extension() == ending) files.push_back(entry.path().string());
    }
    return files;
  }
  const std::string loaded = "mine.cpp' has several programs";
};

TEST(CompiledPrograms, AreMadeAnewWhereTheyAreNotWhole) {
  const ProgramTree tree;
  const Outcome first = tree.run();
  EXPECT_TRUE(has(first, "compiling") && has(first, tree.loaded)) << first.output;
  const Outcome second = tree.run();
  EXPECT_TRUE(!has(second, "compiling") && has(second, tree.loaded)) << second.output;
  ASSERT_EQ(tree.kept(".so").size(), 1U);
  const std::string object = tree.kept(".so").front();
  EXPECT_TRUE(is_whole(object));
  // Named by the digest of compiler and source, and the digests of all files that were read.
  ASSERT_EQ(tree.kept(".inputs").size(), 1U);
  const std::string list = tree.kept(".inputs").front();
  const std::string key = fs::path(list).stem().string();
  EXPECT_EQ(key.size(), 64U);
  const Outcome name = shell("{ printf " + key + "; cat " + list + "; } | sha256sum | head -c 64");
  EXPECT_EQ(fs::path(object).stem().string(), name.output);
  EXPECT_TRUE(file_text(list).find(shell("sha256sum <" + tree.here + "/mine.cpp | head -c 64").output) == 0);
  const std::string whole = file_text(object);
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 1);
  for (const std::string& damaged :
       {whole.substr(0, 0), whole.substr(0, 4096), whole.substr(0, whole.size() - 1), flipped}) {
    std::ofstream(object, std::ios::binary) << damaged;
    const Outcome again = tree.run();
    EXPECT_TRUE(has(again, "compiling") && has(again, tree.loaded)) << again.output;
    EXPECT_EQ(file_text(object), whole);
  }
  EXPECT_EQ(mode_of(tree.here + "/programs"), 0700U);
}

bool is_expected(int status, const std::string& fault, const std::set<int>& endings) {
  constexpr int killed = 128 + SIGKILL;
  return fault == "signal=KILL" ? status == killed : endings.count(status) == 1;
}

/// Where the program keeps something, and how a line of the shell runs it, with other words before the program.
struct Keeping {
  std::string folder;
  std::function<std::string(const std::string&)> line;
  std::set<int> endings;  ///< what the program may return when a call fails
  std::string right;      ///< what it says when none does
};

/// While an entry is made, calls from the first that names `begin` on fail or end the program.
void for_faults(const Keeping& keeping, const std::string& begin, unsigned one_of,
                const std::function<void(const Outcome& hurt)>& look) {
  const Directory directory;
  const std::string log = directory / "calls";
  EXPECT_HAS(shell(keeping.line("strace -qq -o " + log + " -e trace=%file,%desc ")).output, keeping.right);
  Sample sample(one_of);
  int taken = 0;
  for (const SystemCall& call : calls_between(log, begin, ".ecube.part-"))
    for (const char* const fault : {"signal=KILL", "error=ENOSPC", "error=EIO"}) {
      if (!sample.takes()) continue;
      ++taken;
      SCOPED_TRACE(call.with(fault) + ", " + sample.name());
      fs::remove_all(keeping.folder);
      const Outcome hurt = shell(keeping.line("strace -qq -o /dev/null " + call.with(fault) + " "));
      ASSERT_TRUE(is_expected(hurt.status, fault, keeping.endings)) << hurt.status << " " << hurt.output;
      look(hurt);
    }
  EXPECT_GT(taken, 0);
}

/// The entry is whole or not there, what is reported is right or an error, and the next process does its work and
/// leaves the entry.
TEST(Caches, HoldWholeEntriesWhereverAProcessIsKilledOrTheDiskFails) {
  const Alone alone;
  const Keeping keeping = {
      alone.directory / "cache", [&](const auto& before) { return alone.line(before); }, {0, 1, 2}, alone.right};
  for_faults(keeping, "cache/ecube", 40, [&](const Outcome& hurt) {
    EXPECT_TRUE(hurt.status != 0 || has(hurt, alone.right)) << hurt.output;
    EXPECT_TRUE(alone.kept().empty() || is_whole(alone.kept()));
    expect(alone.run(), 0, {alone.right});
    EXPECT_TRUE(is_whole(alone.kept()));
    // Who makes an entry removes what killed processes have left.
    fs::remove(alone.kept());
    EXPECT_EQ(alone.run().status, 0);
    EXPECT_EQ(alone.directory.files("cache/ecube/goal").size(), 1U);
  });
}

TEST(CompiledPrograms, AreWholeWhereverAProcessIsKilledOrTheDiskFails) {
  const ProgramTree tree;
  const auto line = [&](const std::string& before) {
    std::string all = tree.line("program ./mine.cpp --dim 1");
    return all.insert(all.find("testbench/ecube run"), before);
  };
  for_faults({tree.here + "/programs", line, {1, 2}, tree.loaded}, "/programs", 80, [&](const Outcome&) {
    for (const std::string& object : tree.kept(".so")) EXPECT_TRUE(is_whole(object));
    EXPECT_HAS(tree.run().output, tree.loaded);
    ASSERT_FALSE(tree.kept(".so").empty());
    for (const std::string& object : tree.kept(".so")) EXPECT_TRUE(is_whole(object));
  });
}

}  // namespace
}  // namespace cache_test
