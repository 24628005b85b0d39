// SPDX-License-Identifier: Apache-2.0
// Readers of machine files, studies, traffic files, run directories and option values.
#include "tests/fuzz/inputs.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "models/machine/error.h"
#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "testbench/machine/machine_file.h"
#include "testbench/report/run_data.h"
#include "testbench/sweep/store/store.h"
#include "testbench/sweep/study.h"
#include "testbench/traffic/traffic_experiment.h"
#include "tests/fuzz/bounded_run.h"
#include "tests/places.h"
#include "tests/text_file.h"

namespace {

using namespace ecube;  // NOLINT(google-build-using-namespace): a test of many readers

void write(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  if (!(stream << text).flush()) throw std::runtime_error("cannot write " + file);
}

/// False for bad input, which has a message.
bool taken(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    if (std::string(error.what()).empty()) throw std::logic_error("refused without a message");
    return false;
  }
}

std::vector<std::string> machine_files(const FuzzPlace& /*place*/) {
  std::vector<std::string> files = {machine_as_toml(Machine{}),
                                    "name = \"mine\"\nbase = \"ipsc860\"\n[link]\nphit = \"4 B\"\n"};
  for (const Preset& each : presets()) files.push_back(machine_as_toml(resolve(preset_settings(each))));
  return files;
}

/// A machine that is taken is written so that it reads back as the same machine.
bool takes_machine(const std::string& text, const FuzzPlace& /*place*/) {
  return taken([&text] {
    const std::vector<Setting> settings = parse_machine_file(text, "fuzz.toml");
    check_machine(settings);
    const std::string written = machine_as_toml(resolve(settings));
    if (machine_as_toml(resolve(parse_machine_file(written, "written.toml"))) != written) {
      throw std::logic_error("the machine does not read back");
    }
  });
}

std::vector<std::string> studies(const FuzzPlace& /*place*/) {
  std::vector<std::string> files;
  for (const char* const name : {"balance", "faces", "ports", "startup", "together"}) {
    files.push_back(file_text(in_tree("testbench/studies/") + name + ".toml"));
  }
  files.emplace_back(
      "name = \"s\"\nrun = \"exchange\"\nmachine = \"ideal\"\nseed = 3\nrepetitions = 2\n[workload]\ndim = "
      "4\n[[axis]]\nkey = "
      "\"bytes\"\nlinear = { from = 1, to = 20 }\n[[axis]]\nkeys = [\"router.route\", \"partition\"]\nvalues = [[1, "
      "\"2,2\"], [\"2 cycles\", \"4\"]]\n[derived]\nper_byte = \"measured_us / 16\"\n");
  return files;
}

bool takes_study(const std::string& text, const FuzzPlace& /*place*/) {
  return taken([&text] {
    const Study study = parse_study(text, "fuzz.toml");
    (void)largest_dim(study);
    constexpr std::uint64_t most = 100;
    const std::uint64_t points = count_points(study);
    std::uint64_t passed = 0;
    for_each_point(study, [&](const StudyPoint& point) {
      if (point.number != passed || point.id.size() != 64) throw std::logic_error("a point without its number or id");
      return ++passed < most;
    });
    if (passed != std::min(points, most)) throw std::logic_error("points are not as many as they are counted");
    check_derived(study.derived, {"measured_us", "predicted_us", "bytes", "items", "dim", "measured_cycles"});
  });
}

std::vector<std::string> traffic_files(const FuzzPlace& /*place*/) {
  return {"0 5 100 0\n", "# messages\n0 1 16 0\n1 0 16 40\n\n7 7 0 1099511627776 # to itself\n3 4 1073741824 9\n",
          "0 1 16 0 as a\n1 2 8 20 as b after a\n2 0 8 1 after b\n1 0 4 300 after a b # both\n"};
}

bool takes_traffic(const std::string& text, const FuzzPlace& place) {
  const std::string file = place.directory + "/messages.txt";
  write(file, text);
  return taken([&file] {
    constexpr unsigned dim = 3;
    const TrafficList list = read_traffic(file, Topology::cube(dim));
    for (const TrafficMessage& message : list.messages) {
      if (message.source >> dim != 0 || message.destination >> dim != 0)
        throw std::logic_error("a node outside the cube");
    }
    for (const TrafficDependency& one : list.dependencies) {
      if (std::max(one.before, one.after) >= list.messages.size())
        throw std::logic_error("a message that is not there");
    }
  });
}

constexpr std::array run_files = {"summary.json", "provenance.json", "resolved.toml", "links.csv", "circuits.csv"};

/// A text is a file's number and its contents, so that each of the files is damaged.
std::vector<std::string> run_seeds(const FuzzPlace& place) {
  std::vector<std::string> seeds;
  for (std::size_t file = 0; file < run_files.size(); ++file) {
    seeds.push_back(static_cast<char>('0' + file) + file_text(place.run + "/" + run_files[file]));
  }
  return seeds;
}

bool takes_run(const std::string& text, const FuzzPlace& place) {
  if (text.empty()) return false;
  const std::string file = place.run + "/" + run_files[static_cast<unsigned char>(text[0] - '0') % run_files.size()];
  const std::string good = file_text(file);
  write(file, text.substr(1));
  struct Restore {
    const std::string& file;
    const std::string& good;
    ~Restore() { std::ofstream(file, std::ios::binary) << good; }
  } const restore{file, good};
  return taken([&place] {
    reading(place.run, [&place] {
      const RunFiles run = read_run(place.run, RunPart::everything);
      (void)command_of(run);
      (void)run_data(run).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      (void)compare(run, run).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    });
  });
}

std::vector<std::string> option_values(const FuzzPlace& /*place*/) {
  std::vector<std::string> seeds;
  for (const Option& option : options()) {
    const std::string value = option.same_as.empty() ? option.write(option, Machine{}) : "2.8 MB/s";
    seeds.push_back(std::string(option.key) + "=" + value);
    seeds.push_back(std::string(option.key) + "=" + (option.words.empty() ? "95 us" : std::string(option.words)));
  }
  return seeds;
}

bool takes_option(const std::string& text, const FuzzPlace& /*place*/) {
  return taken([&text] {
    const Machine machine = resolve({parse_set(text)});
    for (const Option& option : options()) {
      if (!option.same_as.empty()) continue;
      Machine read = machine;
      const std::string written = option.write(option, machine);
      if (option.read(option, written, read)) throw std::logic_error(std::string(option.key) + " does not read back");
      if (option.write(option, read) != written)
        throw std::logic_error(std::string(option.key) + " reads back as another");
    }
  });
}

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
  static const std::array<FuzzTarget, 5> targets = {{{"machine-file", machine_files, takes_machine},
                                                     {"study", studies, takes_study},
                                                     {"traffic-file", traffic_files, takes_traffic},
                                                     {"run-directory", run_seeds, takes_run},
                                                     {"option", option_values, takes_option}}};
  return targets;
}

FuzzPlace fuzz_place(const std::string& directory) {
  FuzzPlace place{.directory = directory, .run = directory + "/run"};
  const Ending made = bounded_run(
      ecube_program(),
      {"run", "traffic", "--dim", "2", "--messages", "2", "--rate", "5", "--circuits", "-o", place.run}, directory);
  if (made.status != 0) throw std::runtime_error("no run to damage: " + made.output);
  // As earlier versions left it: hashes would tell every change before the file is read.
  const std::string manifest = place.run + "/provenance.json";
  auto json = nlohmann::ordered_json::parse(file_text(manifest));
  json.erase("generation");
  for (auto& file : json.at("files")) file = file.at("name").get<std::string>();
  write(manifest, json.dump());
  return place;
}
