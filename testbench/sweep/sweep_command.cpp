// SPDX-License-Identifier: Apache-2.0
// Studies from the command line: their points, and running them.
#include <fmt/core.h>
#include <sched.h>

#include <set>

#include "testbench/run/commands.h"
#include "testbench/sweep/sweep_manager.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr unsigned mib_shift = 20;

struct SweepArguments {
  std::string study;
  std::string directory;
  std::string shard;
  std::int64_t workers = 0;
  bool again = false;
  bool keep_going = false;
  bool quiet = false;
  bool json = false;
  bool allow_code = false;
};

/// Cores that this process may use; a batch system may allow fewer than the machine has.
std::int64_t cores() {
  cpu_set_t set{};
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

CodeInStudies code_in(bool allowed) { return allowed ? CodeInStudies::allowed : CodeInStudies::refused; }

constexpr const char* allow_code_help =
    "The study may compile and run the program that it names (run = \"program\" with a file in C++), and build and run "
    "the routers that it names (router)";

std::string directory_of(const std::string& given, const Study& study) {
  return given.empty() ? "sweeps/" + study.name : given;
}

std::vector<bool> merged_points(const std::string& directory, const Study& study, bool again, bool quiet) {
  std::vector<bool> ended(count_points(study), false);
  if (!has_store(directory + "/results.sqlite")) return ended;
  StoreReader merged(directory, quiet);
  if (merged.meta("study_hash") == study_hash(study)) merged.mark_ended(ended, again);
  return ended;
}

/// The values of axes with which every point looked at is refused, as "dim=9, dim=10"; empty where there is none.
std::string excluded_values(const StudySizes& sizes) {
  std::set<std::string> told;
  std::string text;
  for (const bool refused : {false, true}) {
    for (const SizedPoint& one : sizes.sized) {
      if ((one.size.status != 0) != refused) continue;
      for (const StudyValue& value : one.point.axis) {
        const std::string pair = value.key + "=" + value.value;
        if (told.insert(pair).second && refused) text += (text.empty() ? "" : ", ") + pair;
      }
    }
  }
  return text;
}

std::string refused_text(const StudySizes& sizes) {
  std::string text = fmt::format("{} of the {} looked at cannot run; the first:\n{}", counted(sizes.refused, "point"),
                                 grouped(sizes.sized.size()), sizes.why_refused);
  const std::string values = excluded_values(sizes);
  if (!values.empty()) text += fmt::format("\nnone runs with {}", values);
  return text;
}

void check_points(const StudySizes& sizes) {
  if (sizes.refused == 0) return;
  throw InputError(refused_text(sizes)).hint("--keep-going runs the other points, and these fail");
}

constexpr const char* keep_going_help = "Run the study although some of its points cannot run";

void print_sweep(const SweepArguments& arguments, const Study& study, const std::optional<Shard>& shard, Store& store,
                 const SweepOutcome& outcome) {
  const std::uint64_t failed = store.database().count("failed");
  const std::string& file = store.database().file();
  fmt::print("{}{}: {} ran in {:.1f} s, {:.2f} cores busy; {} failed\n", study.name,
             shard ? fmt::format(", shard {}/{}", shard->index + 1, shard->count) : "", counted(outcome.ran, "point"),
             outcome.seconds, outcome.busy_cores, grouped(outcome.failed));
  fmt::print("{} holds {} and {} of {}\n", file, counted(store.database().count("done"), "result"),
             counted(failed, "failure"), counted(outcome.points, "point"));
  if (outcome.left > 0) fmt::print("{} left: the same command continues\n", grouped(outcome.left));
  if (failed > 0) {
    fmt::print("why they failed: sqlite3 {} \"SELECT number, error FROM points WHERE status = 'failed'\"\n", file);
    if (!arguments.again && outcome.failed == 0) fmt::print("failed points run again with --again\n");
  }
  if (arguments.quiet || outcome.left > 0) return;
  const std::string directory = shell_word(directory_of(arguments.directory, study));
  fmt::print("next: {}\n",
             shard ? fmt::format("{} sweep merge {}    once all shards have run", own_command(), directory)
                   : fmt::format("{1} report {0}    {1} sweep export {0} -o results.csv", directory, own_command()));
}

int sweep(const SweepArguments& arguments) {
  const Study study = read_study(arguments.study, code_in(arguments.allow_code));
  if (!arguments.keep_going) check_points(size_study(study));
  const bool quiet = arguments.quiet || arguments.json;
  SweepOptions options{.again = arguments.again, .quiet = quiet};
  options.workers =
      static_cast<unsigned>(arguments.workers == 0 ? cores() : in_range("-j", arguments.workers, 1, 1024));
  std::string directory = directory_of(arguments.directory, study);
  std::optional<Shard> shard;
  if (arguments.shard.empty()) shard = shard_of_environment(variable);
  if (!arguments.shard.empty() && arguments.shard != "none") shard = parse_shard(arguments.shard);
  if (shard) {
    options.ended = merged_points(directory, study, arguments.again, quiet);
    options.shard = *shard;
    directory += "/" + shard->directory();
  }
  const std::size_t shards = shard ? 0 : shard_directories(directory).size();
  if (shards > 0 && !quiet) {
    fmt::print(stderr,
               "{} there has been run in shards; what they have is in their own stores until {} sweep merge {}\n",
               study.name, own_command(), shell_word(directory));
  }
  Store store(directory, study, quiet);
  const SweepOutcome outcome = run_sweep(study, store, options);
  const std::uint64_t failed = store.database().count("failed");
  if (arguments.json) {
    Json json = {{"study", study.name}, {"store", store.database().file()}};
    if (shard) json["shard"] = {{"index", shard->index + 1}, {"count", shard->count}};
    json.update({{"points", outcome.points},
                 {"ran", outcome.ran},
                 {"done", store.database().count("done")},
                 {"failed", failed},
                 {"left", outcome.left},
                 {"host", {{"wall_s", outcome.seconds}, {"busy_cores", outcome.busy_cores}}}});
    print_json("sweep", json);
  } else {
    print_sweep(arguments, study, shard, store, outcome);
  }
  if (outcome.interrupted) return 130;
  return failed > 0 ? 1 : 0;
}

Json estimate_json(const StudySizes& sizes, const StudyEstimate& estimate) {
  return {
      {"points", sizes.points},        {"looked_at", sizes.sized.size()}, {"refused", sizes.refused},
      {"circuits", estimate.circuits}, {"core_s", estimate.seconds},      {"memory_bytes_a_worker", estimate.memory},
      {"point_s", estimate.point_s},   {"circuit_s", estimate.circuit_s}, {"points_run", estimate.ran}};
}

void print_estimate(const StudySizes& sizes, const StudyEstimate& estimate) {
  if (sizes.refused > 0) fmt::print("{}\n", refused_text(sizes));
  if (estimate.ran == 0 && sizes.refused < sizes.sized.size()) {
    fmt::print(
        "about {:.3g} circuits; not even the smallest point ended in 2 s here, so how long they take is not known\n",
        estimate.circuits);
    return;
  }
  fmt::print("about {:.3g} circuits; about {} on one core, {} on {} (-j); up to {} MiB a worker\n", estimate.circuits,
             duration_text(estimate.seconds), duration_text(estimate.seconds / static_cast<double>(cores())), cores(),
             grouped((estimate.memory >> mib_shift) + 1));
  fmt::print("from {} run now on this machine: {:.3g} ms a point and {:.3g} us a circuit\n",
             counted(estimate.ran, "point"), estimate.point_s * 1e3, estimate.circuit_s * 1e6);
  if (sizes.sized.size() < sizes.points) {
    fmt::print("from {} of the points, spread evenly\n", grouped(sizes.sized.size()));
  }
}

int plan(const SweepArguments& arguments) {
  const Study study = read_study(arguments.study, code_in(arguments.allow_code));
  check_columns(study);
  const StudySizes sizes = size_study(study);
  const StudyEstimate estimate = estimate_study(study, sizes);
  if (arguments.json) {
    const auto points = json_list(sizes.sized, [&estimate](const SizedPoint& one) {
      Json axis = Json::object();
      for (const StudyValue& value : one.point.axis) axis[value.key] = value.value;
      Json point = {{"number", one.point.number},
                    {"id", one.point.id},
                    {"axis", axis},
                    {"seed", one.point.seed},
                    {"circuits", one.size.size.circuits},
                    {"core_s", estimate.seconds_of(one)},
                    {"arguments", one.point.arguments}};
      if (one.size.status != 0) point["error"] = one.size.error;
      return point;
    });
    print_json("sweep plan", {{"study", study.name},
                              {"study_hash", study_hash(study)},
                              {"estimate", estimate_json(sizes, estimate)},
                              {"points", points}});
    return sizes.refused > 0 ? 2 : 0;
  }
  fmt::print("{}: {} of run {} on {}\n", study.name, counted(sizes.points, "point"), study.run, study.machine);
  if (!study.description.empty()) fmt::print("{}\n", study.description);
  // The list may be long: what is wrong and how long it takes come before it.
  print_estimate(sizes, estimate);
  fmt::print("\n{:>8}  {:<12} {:>12}  {:>8}  {}\n", "point", "id", "circuits", "time", "values");
  for (const SizedPoint& one : sizes.sized) {
    std::string values;
    for (const StudyValue& value : one.point.axis) {
      values += fmt::format("{}{}={}", values.empty() ? "" : "  ", value.key, value.value);
    }
    fmt::print("{:>8}  {:<12} {:>12}  {:>8}  {}{}\n", one.point.number, one.point.id.substr(0, 12),
               one.size.status != 0 ? "refused" : grouped(one.size.size.circuits),
               one.size.status != 0 || estimate.ran == 0 ? "-" : duration_text(estimate.seconds_of(one)), values,
               study.repetitions > 1 ? fmt::format("  seed={}", one.point.seed) : "");
  }
  return sizes.refused > 0 ? 2 : 0;
}

int submit_study(ArrayJob job, bool dry_run) {
  const Study study = read_study(job.study, code_in(job.allow_code));
  check_columns(study);
  const StudySizes sizes = size_study(study);
  if (!job.keep_going) check_points(sizes);
  const StudyEstimate estimate = estimate_study(study, sizes);
  job.name = study.name;
  job.program = fs::read_symlink("/proc/self/exe").string();
  job.study = fs::absolute(job.study).lexically_normal().string();
  job.directory = fs::absolute(directory_of(job.directory, study)).lexically_normal().string();
  (void)in_range("--minutes", job.minutes, 1, 100'000);
  const auto workers = static_cast<Bytes>(in_range("--cores", job.cores, 1, 1024));
  constexpr Bytes manager_bytes = Bytes{64} << mib_shift;  // with what the store keeps in memory
  job.memory = estimate.memory * workers + manager_bytes;
  if (job.shards == 0 && estimate.ran == 0) {
    throw InputError("how long the points take is not known: not even the smallest ended in 2 s here")
        .hint("give the number of tasks with --shards");
  }
  job.shards = job.shards == 0 ? shards_for(estimate.seconds, job.minutes, job.cores, sizes.points)
                               : in_range("--shards", job.shards, 1, max_shards);
  const std::string array = array_script(job);
  const std::string merge = merge_script(job);
  fmt::print("{}", array);
  if (dry_run) {
    fmt::print("\n# and when all tasks have ended:\n{}", merge);
    return 0;
  }
  fs::create_directories(job.directory + "/logs");
  const std::string number = submit(array);
  const std::string last = submit(merge, number);
  fmt::print("\n");
  print_estimate(sizes, estimate);
  fmt::print("job {}: {} of about {}; job {} merges them into {}/results.sqlite\n", number,
             counted(static_cast<std::uint64_t>(job.shards), "task"),
             duration_text(estimate.seconds / static_cast<double>(job.shards * job.cores)), last, job.directory);
  fmt::print("watch it: squeue -j {},{}\n", number, last);
  return 0;
}

void add_submit(Command& sweep_command, Invocation& invocation) {
  const auto job = std::make_shared<ArrayJob>();
  const auto dry_run = std::make_shared<bool>(false);
  Command& command = sweep_command.add_command("submit", "Run a study as an array of tasks on a cluster with Slurm");
  command.add_option("study", job->study, "STUDY.toml", {.required = true});
  command.add_option("-o,--output", job->directory,
                     "Directory of the results, on a file system that all machines see; sweeps/NAME when not given");
  command.add_option("--minutes", job->minutes, "About as long a task is to run", {.show_default = true});
  command.add_option("--shards", job->shards, "Tasks; by --minutes and an estimate when not given");
  command.add_option("--cores", job->cores, "Of a task", {.show_default = true});
  command.add_option("--directive", job->directives,
                     "More for the script's head, as --directive=--partition=short (repeatable)",
                     {.with_dashes = true});
  command.add_flag("--keep-going", job->keep_going, keep_going_help);
  command.add_flag("--allow-code", job->allow_code, allow_code_help);
  command.add_flag("--dry-run", *dry_run, "Print the scripts, and submit nothing");
  command.on_run([job, dry_run, &invocation] { invocation.status = submit_study(*job, *dry_run); });
}

}  // namespace

void add_sweep(Command& app, Invocation& invocation) {
  const auto arguments = std::make_shared<SweepArguments>();
  Command& command = app.add_command("sweep", "A study: many runs along axes, on all cores");
  command.add_option("study", arguments->study, "STUDY.toml");
  command.add_option("-o,--output", arguments->directory, "Directory of the results; sweeps/NAME when not given");
  command.add_option("-j", arguments->workers, "Worker processes; one for each core when not given");
  command.add_option("--shard", arguments->shard,
                     "i/N: every N-th point, into DIR/shard-i-of-N. A task of a Slurm array or of mpirun runs its own "
                     "shard by itself; none: all points");
  command.add_flag("--again", arguments->again, "Run failed points again too");
  command.add_flag("--keep-going", arguments->keep_going, keep_going_help);
  command.add_flag("--allow-code", arguments->allow_code, allow_code_help);
  command.add_flag("--quiet", arguments->quiet, "No progress");
  command.add_flag("--json", arguments->json, "One JSON object on standard output");
  command.on_run([&command, arguments, &invocation] {
    if (command.named_command()) return;
    if (arguments->study.empty()) {
      throw InputError("no study to run")
          .hint("ecube sweep STUDY.toml -o DIR; studies come with it in " + studies_folder());
    }
    invocation.status = sweep(*arguments);
  });

  const auto [plan_command, of_plan] = add_action<SweepArguments>(
      command, invocation, "plan", "The points of a study, with their ids, and an estimate of time and memory", plan);
  plan_command.add_option("study", of_plan.study, "STUDY.toml", {.required = true});
  plan_command.add_flag("--allow-code", of_plan.allow_code, allow_code_help);
  plan_command.add_flag("--json", of_plan.json, "One JSON object on standard output");

  add_sweep_merge(command, invocation);
  add_sweep_export(command, invocation);
  add_submit(command, invocation);

  const auto dim = std::make_shared<std::int64_t>(4);
  Command& worker = app.add_command("sweep-worker", "");
  app.group("", {"sweep-worker"});
  worker.add_option("--dim", *dim, "");
  worker.on_run([dim, &invocation] { invocation.status = run_worker(static_cast<unsigned>(*dim)); });
}

}  // namespace ecube
