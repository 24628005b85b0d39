// SPDX-License-Identifier: Apache-2.0
// Tables, rows and locks.
#include "testbench/sweep/store.h"

#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "testbench/machine_file.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

/// Columns of the view, and where they are in the JSON object of a run.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> measures{{
    {"measured_cycles", "$.measured.cycles"},
    {"measured_us", "$.measured.us"},
    {"predicted_us", "$.predicted.us"},
    {"error_percent", "$.error_percent"},
    {"circuits", "$.network.circuits"},
    {"payload_bytes", "$.network.payload_bytes"},
    {"blocked_circuits", "$.network.blocked_circuits"},
    {"blocked_cycles", "$.network.blocked_cycles"},
    {"port_blocked_cycles", "$.network.port_blocked_cycles"},
    {"lost_messages", "$.network.lost_messages"},
    {"utilisation_mean", "$.network.utilisation_mean"},
    {"utilisation_max", "$.network.utilisation_max"},
    {"verified", "$.verified"},
}};

std::string quoted_name(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string study_hash(const Study& study) {
  std::string text = study.run + "\n";
  for (const Setting& setting : load_machine(study.machine)) text += setting.key + "=" + setting.value + "\n";
  for (const StudyValue& fixed : study.fixed) text += fixed.key + "=" + fixed.value + "\n";
  for (const StudyAxis& axis : study.axes) {
    fmt::format_to(std::back_inserter(text), "axis {}", static_cast<int>(axis.kind));
    for (const std::string& key : axis.keys) text += " " + key;
    for (const auto& place : axis.values) {
      for (const std::string& value : place) text += "\n" + value;
    }
    text += "\n";
  }
  fmt::format_to(std::back_inserter(text), "{} {}\n", study.seed, study.repetitions);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Store::Store(const std::string& directory, const Study& study) : file_(directory + "/results.sqlite") {
  std::error_code error;
  fs::create_directories(directory, error);
  const std::string lock = directory + "/.lock";
  if (!error) lock_ = open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0) {
    throw ErrorText(fmt::format("cannot write into {}: {}", ecube::quoted(directory),
                                error ? error.message() : std::strerror(errno)))
        .hint("give a directory that can be made or written with -o")
        .error();
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    throw ErrorText(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
        .hint("wait for it, or give another directory with -o; shards of one study have directories of their own")
        .error();
  }
  try {
    const bool there = fs::exists(file_, error);
    database_ = std::make_unique<SQLite::Database>(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
    database_->exec("PRAGMA journal_mode = WAL");
    database_->exec("PRAGMA synchronous = NORMAL");
    if (!there || !database_->tableExists("meta")) {
      make(study);
      return;
    }
    const auto meta = [&](const char* key) {
      SQLite::Statement query(*database_, "SELECT value FROM meta WHERE key = ?");
      query.bind(1, key);
      return query.executeStep() ? query.getColumn(0).getString() : std::string();
    };
    if (meta("schema") != std::to_string(store_schema)) {
      throw ErrorText(fmt::format("{} has schema {}, and this program writes {}", ecube::quoted(file_), meta("schema"),
                                  store_schema))
          .hint("export it with the version that wrote it, or give another directory with -o")
          .error();
    }
    if (meta("study_hash") != study_hash(study)) {
      throw ErrorText(fmt::format("{} has the results of another study, or of this one before it was changed",
                                  ecube::quoted(file_)))
          .hint("its points have other ids; give another directory with -o. What ran is in its study.toml")
          .error();
    }
    make_view(study);
  } catch (const SQLite::Exception& problem) {
    close(lock_);
    throw ErrorText(fmt::format("{} cannot be opened: {}", ecube::quoted(file_), problem.what()))
        .hint("is it an SQLite file? give another directory with -o")
        .error();
  } catch (...) {
    close(lock_);
    throw;
  }
}

Store::~Store() {
  database_.reset();
  if (lock_ >= 0) close(lock_);
}

void Store::make(const Study& study) {
  database_->exec(
      "BEGIN;"
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE points(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
      " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, axis TEXT NOT NULL,"
      " seed INTEGER NOT NULL, repetition INTEGER NOT NULL, arguments TEXT NOT NULL, wall_s REAL NOT NULL,"
      " result TEXT);");
  const auto put = [&](const char* key, const std::string& value) {
    SQLite::Statement insert(*database_, "INSERT INTO meta VALUES (?, ?)");
    insert.bind(1, key);
    insert.bind(2, value);
    insert.exec();
  };
  put("schema", std::to_string(store_schema));
  put("study", study.name);
  put("study_hash", study_hash(study));
  put("study_text", study.text);
  put("points", std::to_string(count_points(study)));
  put("program_version", program_version);
  database_->exec("COMMIT");
  std::ofstream(fs::path(file_).parent_path() / "study.toml", std::ios::binary) << study.text;
  make_view(study);
}

void Store::make_view(const Study& study) {
  // Derived columns may have changed since; they are no part of the points.
  std::string columns = "number, id, seed, repetition, wall_s";
  for (const StudyAxis& axis : study.axes) {
    for (const std::string& key : axis.keys) {
      columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", key, quoted_name(key));
    }
  }
  for (const auto& [name, path] : measures) columns += fmt::format(", json_extract(result, '{}') AS {}", path, name);
  std::string derived = "*";
  for (const DerivedColumn& column : study.derived)
    derived += fmt::format(", ({}) AS {}", column.expression, column.name);
  database_->exec("DROP VIEW IF EXISTS results");
  try {
    database_->exec(fmt::format("CREATE VIEW results AS SELECT {} FROM (SELECT {} FROM points WHERE status = 'done')",
                                derived, columns));
    SQLite::Statement(*database_, "SELECT * FROM results LIMIT 1").executeStep();
  } catch (const SQLite::Exception& problem) {
    throw ErrorText(fmt::format("a derived column is no SQL expression of the others: {}", problem.what()))
        .hint("as us_per_byte = \"measured_us / bytes\"; names with dots in double quotes")
        .error();
  }
}

std::vector<bool> Store::ended(std::uint64_t points, bool again) {
  std::vector<bool> result(points, false);
  SQLite::Statement query(*database_,
                          again ? "SELECT number FROM points WHERE status = 'done'" : "SELECT number FROM points");
  while (query.executeStep()) {
    const auto number = static_cast<std::uint64_t>(query.getColumn(0).getInt64());
    if (number < points) result[number] = true;
  }
  return result;
}

void Store::add(const StudyPoint& point, const PointResult& result) {
  if (!open_) database_->exec("BEGIN");
  open_ = true;
  nlohmann::ordered_json axis = nlohmann::ordered_json::object();
  for (const StudyValue& value : point.axis) {
    // Numbers stay numbers, so that they sort and plot as such.
    const nlohmann::ordered_json parsed = nlohmann::ordered_json::parse(value.value, nullptr, false);
    axis[value.key] = parsed.is_number() ? parsed : nlohmann::ordered_json(value.value);
  }
  SQLite::Statement insert(*database_, "INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, static_cast<std::int64_t>(point.number));
  insert.bind(2, point.id);
  insert.bind(3, result.done ? "done" : "failed");
  if (!result.done) insert.bind(4, result.error);
  insert.bind(5, axis.dump());
  insert.bind(6, static_cast<std::int64_t>(point.seed));
  insert.bind(7, static_cast<std::int64_t>(point.repetition));
  insert.bind(8, nlohmann::ordered_json(point.arguments).dump());
  insert.bind(9, result.wall_s);
  if (result.done) insert.bind(10, result.result.dump());
  insert.exec();
}

void Store::commit() {
  if (!open_) return;
  database_->exec("COMMIT");
  open_ = false;
}

std::uint64_t Store::done() {
  return static_cast<std::uint64_t>(
      database_->execAndGet("SELECT count(*) FROM points WHERE status = 'done'").getInt64());
}

std::uint64_t Store::failed() {
  return static_cast<std::uint64_t>(
      database_->execAndGet("SELECT count(*) FROM points WHERE status = 'failed'").getInt64());
}

}  // namespace ecube
