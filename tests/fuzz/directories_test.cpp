// SPDX-License-Identifier: Apache-2.0
// Run directories whose files, links and markers are hostile: nothing outside them is touched, and readers change
// nothing in them either.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "models/machine/error.h"
#include "testbench/command_line/command.h"
#include "testbench/publication/publication.h"
#include "testbench/publication/published_files.h"
#include "testbench/report/page.h"
#include "testbench/report/run_data.h"
#include "testbench/run/commands.h"
#include "testbench/system/staged_files.h"
#include "tests/fuzz/bounded_run.h"
#include "tests/fuzz/mutator.h"
#include "tests/test.h"

namespace directories_test {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;  // text by name

constexpr const char* secret = "words of the canary";

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// What a stranger gives us, and beside it what is ours.
struct Place {
  std::string run;
  std::string canary;
};

/// The files of a traced run that its readers read, with a manifest that lists them.
Files files_of_a_run(const std::string& directory) {
  const std::string run = directory + "/run";
  const Ending made = bounded_run(ecube_program(),
                                  {"run", "traffic", "--dim", "1", "--messages", "2", "--rate", "5", "--circuits",
                                   "--trace", "waves.fst", "-o", run},
                                  directory);
  if (made.status != 0) throw std::runtime_error("no run to damage: " + made.output);
  Files files;
  nlohmann::json manifest = nlohmann::json::parse(file_text(run + "/provenance.json"));
  nlohmann::json& listed = manifest.at("files");
  for (std::size_t i = listed.size(); i-- > 0;) {
    const std::string name = listed[i].at("name");
    if (name.ends_with(".filter") || name.ends_with(".pftrace") || name == "programs.csv") {
      listed.erase(i);
    } else {
      files[name] = file_text(fmt::format("{}/{}", run, name));
    }
  }
  files["provenance.json"] = manifest.dump();
  fs::remove_all(run);
  return files;
}

/// A run, a document and an empty folder. Who reads them through a link shows the secret.
void make_canary(const std::string& canary, const Files& files) {
  fs::create_directories(canary + "/folder");
  write(canary + "/thesis.tex", secret);
  for (const auto& [name, text] : files) {
    std::string ours = text;
    for (std::size_t at = 0; (at = ours.find("\"ideal\"", at)) != std::string::npos;) ours.replace(at + 1, 5, secret);
    write(fmt::format("{}/{}", canary, name), ours);
  }
}

/// All that is below a directory: kinds, modes, owners, times, contents; how many names a file has unless `names` is
/// false.
Files state_of(const std::string& directory, bool names) {
  constexpr std::int64_t largest_read = 1 << 22;
  Files state;
  const auto add = [&](const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return;
    std::string& text = state[path];
    if (!names) status.st_nlink = 0;
    text = fmt::format("{:o} {} {} {} {}.{} ", status.st_mode, status.st_uid, status.st_nlink, status.st_size,
                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    std::error_code none;
    if (S_ISLNK(status.st_mode)) text += fs::read_symlink(path, none).string();
    if (!S_ISREG(status.st_mode) || status.st_size > largest_read) return;
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const std::size_t end = text.size();
    text.resize(end + static_cast<std::size_t>(status.st_size));
    if (file < 0 || read(file, text.data() + end, text.size() - end) != status.st_size) text += "not read";
    close(file);
  };
  add(directory);
  constexpr auto skipped = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(directory, skipped)) add(entry.path().string());
  return state;
}

/// Names that a run directory has, or that a reader, a terminal or GTKWave might obey.
const std::vector<std::string> names = listed("names");

/// Places that a link or a manifest may name, seen from the run directory.
const std::vector<std::string> targets = listed("targets");

/// One run directory, made and damaged at random.
class Hostile {
 public:
  Hostile(const Place& place, const Files& files, Draws& draws) : place_(place), files_(files), draws_(draws) {
    clear();
    fs::create_directory(place.run);
    for (const auto& [name, text] : files) write(place.run + "/" + name, text);
    write(place.run + "/notes.txt", "no run's");
    (void)symlink("loop", (place.run + "/loop").c_str());
    // An earlier version's manifest has no generation, and its readers look at no hash: damage reaches them.
    if (draws.up_to(1) == 0) {
      std::string manifest = files.at("provenance.json");
      manifest.replace(manifest.find("\"generation\""), 12, "\"earlier\"");
      write(place.run + "/provenance.json", manifest);
    }
    for (std::uint64_t left = 1 + draws.up_to(3); left > 0; --left) damage();
    if (draws.up_to(15) == 0) chmod(place.run.c_str(), 0500);
  }

  [[nodiscard]] const std::string& done() const { return done_; }
  /// Whether a name in the directory is a file of the canary's, so that its words and its number of names are shared.
  [[nodiscard]] bool shares() const { return shares_; }

 private:
  /// Removes the run before, folders included that nobody can enter.
  void clear() const {
    std::error_code none;
    fs::permissions(place_.run, fs::perms::owner_all, none);
    for (fs::recursive_directory_iterator entry(place_.run, none), end; entry != end; entry.increment(none)) {
      if (entry->symlink_status().type() == fs::file_type::directory)
        fs::permissions(*entry, fs::perms::owner_all, none);
    }
    fs::remove_all(place_.run);
  }

  /// A free place of a drawn name; the folder above it is a folder and no link, as we are not to follow it ourselves.
  [[nodiscard]] std::string cleared() {
    const std::string name = draws_.of(names);
    const fs::path path = place_.run + "/" + name;
    std::error_code none;
    if (!fs::is_directory(fs::symlink_status(path.parent_path(), none))) fs::remove_all(path.parent_path(), none);
    fs::create_directories(path.parent_path(), none);
    fs::remove_all(path, none);
    done_ += " " + nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return path.string();
  }

  void damage() {
    const std::string path = cleared();
    const std::string target = draws_.of(targets);
    const std::string real = target.starts_with("/") ? target : place_.run + "/" + target;
    switch (draws_.up_to(8)) {
      case 0:
      case 1:
        done_ += " -> " + target;
        (void)symlink((draws_.up_to(1) == 0 ? target : real).c_str(), path.c_str());
        break;
      case 2:
        done_ += " pipe";
        (void)mkfifo(path.c_str(), 0600);
        break;
      case 3:
        done_ += " huge";
        write(path, "begin");
        (void)truncate(path.c_str(), off_t{1} << 40);
        break;
      case 4:
        done_ += " hard link " + target;
        shares_ = link(real.c_str(), path.c_str()) == 0 || shares_;
        break;
      case 5:
        done_ += " folder";
        (void)mkdir(path.c_str(), draws_.up_to(3) == 0 ? 0 : 0700);
        if (draws_.up_to(1) == 0) (void)symlink(real.c_str(), (path + "/summary.json").c_str());
        break;
      case 6:
        list(target, real);
        break;
      case 7:
        commit();
        break;
      default: {
        done_ += " damaged";
        const std::string& good = std::next(files_.begin(), static_cast<long>(draws_.up_to(files_.size() - 1)))->second;
        write(path, good.size() > 20'000 ? good : damaged(good, good, draws_));
        if (draws_.up_to(3) == 0) chmod(path.c_str(), 0);
      }
    }
  }

  /// The manifest claims files of others.
  void list(const std::string& target, const std::string& real) {
    done_ += " listed " + target;
    nlohmann::json json = nlohmann::json::parse(files_.at("provenance.json"));
    if (draws_.up_to(1) == 0) json["generation"] = "0";
    for (const std::string& name : {target, real, std::string("notes.txt"), std::string("../canary/thesis.tex")}) {
      json["files"].push_back({{"name", name}, {"bytes", draws_.up_to(20)}, {"xxh3", "0"}});
    }
    const std::string file = place_.run + "/provenance.json";
    std::error_code none;
    fs::remove_all(file, none);
    write(file, json.dump());
  }

  /// A run that was killed behind its commit.
  void commit() {
    done_ += " committed";
    const std::string folder = place_.run + "/.ecube.next";
    std::error_code none;
    fs::remove_all(folder, none);
    fs::create_directory(folder, none);
    for (const auto& [name, text] : files_) {
      if (draws_.up_to(7) != 0) write(fmt::format("{}/{}", folder, name), text);
    }
    if (draws_.up_to(1) == 0) (void)symlink("../../canary/thesis.tex", (folder + "/links.csv").c_str());
  }

  const Place& place_;
  const Files& files_;
  Draws& draws_;
  std::string done_;
  bool shares_ = false;
};

enum class Writes : std::uint8_t { nothing, page, run };

/// What is done to a run directory. Returns what it has shown.
struct Act {
  std::function<std::string(const Place& place, Draws& draws)> act;
  Writes writes = Writes::nothing;  ///< what it may change; never files of others
};

/// A command in this process.
std::string command(const std::vector<std::string>& words) {
  ecube::Command app("ecube", "");
  ecube::Invocation invocation;
  add_compare(app, invocation);
  add_view(app, invocation);
  app.run(words);
  return {};
}

std::string read_all(const Place& place, Draws& /*draws*/) {
  std::string shown;
  ecube::reading(place.run, [&] {
    const ecube::RunFiles run = ecube::read_run(place.run, ecube::RunPart::everything);
    shown = command_of(run) + run_data(run).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  return shown;
}

std::string publish(const Place& place, Draws& draws) {
  const std::vector<std::string> written = {"summary.json", "links.csv", "waves.fst"};
  ecube::Publication publication(place.run);
  publication.claim(written, draws.up_to(1) == 0);
  for (const std::string& name : written) publication.files().write(name, "new");
  publication.publish({{"schema", 1}});
  const ecube::PublishedFiles files(place.run, [](std::string_view) { return true; });
  for (const std::string& name : written) {
    if (file_text(files.path(name)) != "new") throw std::logic_error(name + " is not as it was published");
  }
  return {};
}

std::string put_page(const Place& place, Draws& /*draws*/) {
  ecube::write_file(ecube::place_of_page(place.run), "page", ecube::OutputFile::Links::replaced);
  return {};
}

const std::vector<Act>& acts() {
  static const std::vector<Act> all = {{read_all},
                                       {publish, Writes::run},
                                       {put_page, Writes::page},
                                       {[](const Place& place, Draws&) {
                                         return command({"view", place.run});
                                       }},
                                       {[](const Place& place, Draws&) {
                                         return command({"compare", place.run, place.run});
                                       }}};
  return all;
}

/// The first difference that the act should not have made; empty when there is none.
std::string trespass(const Files& before, const Files& after, const Place& place, Writes writes) {
  const auto allowed = [&](const std::string& path) {
    if (writes == Writes::nothing || path == place.run + "/notes.txt") return false;
    return path == place.run || path == place.run + "/report.html" ||
           (writes == Writes::run && path.starts_with(place.run + "/"));
  };
  for (const auto& [path, text] : before) {
    if (allowed(path)) continue;
    const auto found = after.find(path);
    if (found == after.end()) return path + " is gone";
    if (found->second != text) return path + " has changed";
  }
  for (const auto& [path, text] : after) {
    if (!allowed(path) && !before.contains(path)) return path + " is new";
  }
  return {};
}

struct Counts {
  std::uint64_t seed = 0;  ///< of the present case
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
};

/// The cases, in this process; the first fault, with the seed that repeats it.
std::string campaign(const Place& place, const Files& files, const std::vector<Act>& all, std::uint64_t cases,
                     Counts& counts) {
  constexpr unsigned longest_s = 20;
  for (const std::uint64_t first = counts.seed; counts.seed < first + cases; ++counts.seed) {
    alarm(longest_s);  // a pipe that waits, a file without an end
    Draws draws(counts.seed);
    const Act& act = all[draws.up_to(all.size() - 1)];
    const Hostile hostile(place, files, draws);
    const auto fault = [&](const std::string& what) {
      return "ECUBE_SEED=" + std::to_string(counts.seed) + " ECUBE_CASES=1: " + what + ", after" + hostile.done();
    };
    const auto state = [&] { return state_of(fs::path(place.run).parent_path().string(), !hostile.shares()); };
    const Files before = state();
    try {
      const std::string shown = act.act(place, draws);
      if (!hostile.shares() && shown.find(secret) != std::string::npos) return fault("the canary's words are shown");
      ++counts.done;
    } catch (const std::runtime_error&) {  // bad input, or a fault of the machine
      ++counts.refused;
    } catch (const std::exception& problem) {
      return fault(problem.what());
    }
    if (const std::string what = trespass(before, state(), place, act.writes); !what.empty()) return fault(what);
  }
  return {};
}

/// The campaign in a process of its own, whose user has no rights beyond these directories.
std::string as_a_stranger(const std::vector<Act>& all, std::uint64_t cases, Counts& counts) {
  const Directory directory(fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path());
  const std::string here = directory / "";
  const Files files = files_of_a_run(here);
  const Place place{directory / "run", directory / "canary"};
  make_canary(place.canary, files);
  if (geteuid() == 0) {
    for (const std::string& path : {here, place.canary}) chmod(path.c_str(), 0777);
    for (const auto& [path, state] : state_of(here, true)) (void)lchown(path.c_str(), 65534, 65534);
  }
  auto* const shared =
      static_cast<Counts*>(mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *shared = counts;
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return "no pipe";
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(99);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), stream);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    std::string fault;
    try {
      fault = campaign(place, files, all, cases, *shared);
    } catch (const std::exception& problem) {
      fault = problem.what();
    }
    _exit(::write(ends[1], fault.data(), fault.size()) == static_cast<ssize_t>(fault.size()) ? 0 : 99);
  }
  close(ends[1]);
  std::string fault(1 << 12, '\0');
  const ssize_t length = read(ends[0], fault.data(), fault.size());
  fault.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  counts = *shared;
  munmap(shared, sizeof(Counts));
  if (status == 0) return fault;
  return "ECUBE_SEED=" + std::to_string(counts.seed) + " ECUBE_CASES=1: the process ended with status " +
         std::to_string(status);
}

TEST(RunDirectories, OfStrangersTouchNothingOutsideThem) {
  const std::uint64_t seed = given("ECUBE_SEED", 1);
  const std::uint64_t cases = given("ECUBE_CASES", random_cases(1000));
  Counts counts{.seed = seed};
  EXPECT_EQ(as_a_stranger(acts(), cases, counts), "");
  std::printf("run directories from seed %llu, counts: %llu directories %llu taken %llu refused\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(counts.done), static_cast<unsigned long long>(counts.refused));
  if (cases < 500) return;
  EXPECT_GT(counts.done, cases / 20);
  EXPECT_GT(counts.refused, cases / 20);
}

// Those that the campaign has to find.

int open_through_links(const Place& place, const std::string& name, int flags) {
  return open((place.run + "/" + name).c_str(), flags | O_NONBLOCK | O_CLOEXEC, 0644);
}

std::string read_through_links(const Place& place, const std::string& name) {
  std::string text(1 << 14, '\0');
  const int file = open_through_links(place, name, O_RDONLY);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(file, text.data(), text.size()), 0)));
  close(file);
  return text;
}

std::string write_through_links(const Place& place, Draws& /*draws*/) {
  close(open_through_links(place, "summary.json", O_WRONLY | O_CREAT | O_TRUNC));
  return {};
}

std::string remove_what_is_listed(const Place& place, Draws& /*draws*/) {
  std::error_code none;
  const auto manifest = nlohmann::json::parse(read_through_links(place, "provenance.json"), nullptr, false);
  if (!manifest.is_object() || !manifest.contains("files")) return {};
  for (const auto& file : manifest["files"]) {
    if (file.is_object()) fs::remove(place.run + "/" + file.value("name", "none"), none);
  }
  return {};
}

TEST(RunDirectories, FindWhoFollowsALinkOrBelievesAManifest) {
  const auto fault_of = [](const Act& act) {
    Counts counts{.seed = 1};
    return as_a_stranger({act}, 1000, counts);
  };
  const std::string writer = fault_of({write_through_links, Writes::run});
  EXPECT_HAS(writer, "/canary");
  EXPECT_HAS(writer, "ECUBE_SEED=");
  const std::string reader =
      fault_of({[](const Place& place, Draws&) { return read_through_links(place, "summary.json"); }});
  EXPECT_HAS(reader, "the canary's words are shown");
  const std::string remover = fault_of({remove_what_is_listed, Writes::run});
  EXPECT_HAS(remover, "/canary");
}

}  // namespace
}  // namespace directories_test
