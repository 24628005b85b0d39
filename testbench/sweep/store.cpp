// SPDX-License-Identifier: Apache-2.0
// Tables, rows and locks.
#include "testbench/sweep/store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "testbench/machine_file.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

/// Columns of the view, and where they are in the JSON object of a run.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> measures{{
    {"measured_cycles", "$.measured.cycles"},
    {"measured_us", "$.measured.us"},
    {"predicted_us", "$.predicted.us"},
    {"error_percent", "$.error_percent"},
    {"circuits", "$.network.circuits"},
    {"payload_bytes", "$.network.payload_bytes"},
    {"blocked_circuits", "$.network.blocked_circuits"},
    {"blocked_cycles", "$.network.blocked_cycles"},
    {"port_blocked_cycles", "$.network.port_blocked_cycles"},
    {"serialised_circuits", "$.network.serialised_circuits"},
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

/// Holds a study's directory for one process, which releases it however it ends.
int lock_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  const std::string lock = directory + "/.lock";
  const int descriptor = error ? -1 : open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw ErrorText(fmt::format("cannot write into {}: {}", ecube::quoted(directory),
                                error ? error.message() : std::strerror(errno)))
        .hint("give a directory that can be made or written with -o")
        .error();
  }
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor);
    throw ErrorText(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
        .hint("wait for it, or give another directory with -o; shards of one study have directories of their own")
        .error();
  }
  return descriptor;
}

InputError unreadable(const std::string& file, const SQLite::Exception& problem) {
  return ErrorText(fmt::format("{} cannot be opened: {}", ecube::quoted(file), problem.what()))
      .hint("is it an SQLite file? give another directory with -o")
      .error();
}

void prepare(SQLite::Database& database) {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");
}

constexpr std::string_view tables =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE axes(place INTEGER PRIMARY KEY, key TEXT NOT NULL, unit TEXT NOT NULL, numeric INTEGER NOT NULL);"
    "CREATE TABLE points(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, axis TEXT NOT NULL,"
    " seed INTEGER NOT NULL, repetition INTEGER NOT NULL, arguments TEXT NOT NULL, wall_s REAL NOT NULL,"
    " result TEXT);";

/// True for a database that was killed before its tables were there, too: they come in one transaction.
bool is_empty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

std::string meta_of(SQLite::Database& database, const std::string& key) {
  SQLite::Statement query(database, "SELECT value FROM meta WHERE key = ?");
  query.bind(1, key);
  return query.executeStep() ? query.getColumn(0).getString() : std::string();
}

void set_meta(SQLite::Database& database, const std::string& key, const std::string& value) {
  SQLite::Statement insert(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)");
  insert.bind(1, key);
  insert.bind(2, value);
  insert.exec();
}

void check_schema(SQLite::Database& database, const std::string& file) {
  const std::string schema = database.tableExists("meta") ? meta_of(database, "schema") : "of something else";
  if (schema == std::to_string(store_schema)) return;
  throw ErrorText(fmt::format("{} has schema {}, and this program has {}", ecube::quoted(file), schema, store_schema))
      .hint("read it with the version that wrote it, or give another directory with -o")
      .error();
}

void mark_ended(SQLite::Database& database, std::vector<bool>& points, bool again) {
  SQLite::Statement query(database,
                          again ? "SELECT number FROM points WHERE status = 'done'" : "SELECT number FROM points");
  while (query.executeStep()) {
    const auto number = static_cast<std::uint64_t>(query.getColumn(0).getInt64());
    if (number < points.size()) points[number] = true;
  }
}

std::uint64_t count_of(SQLite::Database& database, const std::string& status) {
  SQLite::Statement query(database, "SELECT count(*) FROM points WHERE status = ?");
  query.bind(1, status);
  query.executeStep();
  return static_cast<std::uint64_t>(query.getColumn(0).getInt64());
}

/// Whole numbers without a fraction.
nlohmann::ordered_json number_json(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(number) < exact && number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

/// InputError when a derived column is no expression of the others, or has the name of one of them.
void create_view(SQLite::Database& database, const Study& study, const std::vector<AxisScale>& scales) {
  std::vector<std::string> names{"number", "id", "seed", "repetition", "wall_s"};
  std::string columns = "number, id, seed, repetition, wall_s";
  for (const AxisScale& axis : scales) {
    names.push_back(axis.key);
    columns += fmt::format(", json_extract(axis, '$.\"{}\"') AS {}", axis.key, quoted_name(axis.key));
  }
  for (const auto& [name, path] : measures) {
    names.emplace_back(name);
    columns += fmt::format(", json_extract(result, '{}') AS {}", path, name);
  }
  std::string derived = "*";
  for (const DerivedColumn& column : study.derived) {
    if (std::find(names.begin(), names.end(), column.name) != names.end()) {
      throw ErrorText(fmt::format("a derived column cannot be called {}: there is one", ecube::quoted(column.name)))
          .hint("give it another name")
          .error();
    }
    derived += fmt::format(", ({}) AS {}", column.expression, quoted_name(column.name));
  }
  try {
    database.exec(fmt::format("CREATE VIEW results AS SELECT {} FROM (SELECT {} FROM points WHERE status = 'done')",
                              derived, columns));
    SQLite::Statement(database, "SELECT * FROM results LIMIT 1").executeStep();
  } catch (const SQLite::Exception& problem) {
    throw ErrorText(fmt::format("a derived column is no SQL expression of the others: {}", problem.what()))
        .hint("as us_per_byte = \"measured_us / bytes\"; names with dots in [brackets]")
        .error();
  }
}

/// The file in a directory, or the file itself.
std::string store_file(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? (fs::path(path) / "results.sqlite").string() : path;
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

void check_columns(const Study& study) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(std::string(tables));
  create_view(database, study, axis_scales(study));
}

Store::Store(const std::string& directory, const Study& study)
    : file_(directory + "/results.sqlite"), scales_(axis_scales(study)) {
  check_columns(study);
  lock_ = lock_directory(directory);
  try {
    open(study);
  } catch (const SQLite::Exception& problem) {
    close(lock_);
    throw unreadable(file_, problem);
  } catch (...) {
    close(lock_);
    throw;
  }
}

Store::~Store() {
  insert_.reset();
  database_.reset();
  close(lock_);
}

void Store::open(const Study& study) {
  database_ = std::make_unique<SQLite::Database>(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
  const bool there = !is_empty(*database_);
  if (there) {
    check_schema(*database_, file_);
    if (meta_of(*database_, "study_hash") != study_hash(study)) {
      throw ErrorText(fmt::format("{} has the results of another study, or of this one before it was changed",
                                  ecube::quoted(file_)))
          .hint("its points have other ids; give another directory with -o. What ran is in its study.toml")
          .error();
    }
    if (const std::string version = meta_of(*database_, "program_version"); version != program_version) {
      throw ErrorText(
          fmt::format("{} has the results of ecube {}, and this is {}", ecube::quoted(file_), version, program_version))
          .hint("other versions may take other cycles; give another directory with -o")
          .error();
    }
  }
  prepare(*database_);
  // Derived columns may have changed since; they are no part of the points.
  SQLite::Transaction whole(*database_);
  if (!there) make(study);
  set_meta(*database_, "study_text", study.text);
  database_->exec("DROP VIEW IF EXISTS results");
  create_view(*database_, study, scales_);
  whole.commit();
  std::ofstream(fs::path(file_).parent_path() / "study.toml", std::ios::binary) << study.text;
  insert_ = std::make_unique<SQLite::Statement>(*database_,
                                                "INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
}

void Store::make(const Study& study) {
  database_->exec(std::string(tables));
  set_meta(*database_, "schema", std::to_string(store_schema));
  set_meta(*database_, "study", study.name);
  set_meta(*database_, "study_hash", study_hash(study));
  set_meta(*database_, "points", std::to_string(count_points(study)));
  set_meta(*database_, "program_version", program_version);
  for (std::size_t place = 0; place < scales_.size(); ++place) {
    SQLite::Statement insert(*database_, "INSERT INTO axes VALUES (?, ?, ?, ?)");
    insert.bind(1, static_cast<std::int64_t>(place));
    insert.bind(2, scales_[place].key);
    insert.bind(3, scales_[place].unit);
    insert.bind(4, scales_[place].numeric ? 1 : 0);
    insert.exec();
  }
}

void Store::ended(std::vector<bool>& points, bool again) { mark_ended(*database_, points, again); }

void Store::add(const StudyPoint& point, const PointResult& result) {
  if (!open_) database_->exec("BEGIN");
  open_ = true;
  nlohmann::ordered_json axis = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < point.axis.size(); ++i) {
    const std::string& text = point.axis[i].value;
    const std::optional<ScaledValue> number = scales_[i].numeric ? scaled(text) : std::nullopt;
    axis[point.axis[i].key] = number ? number_json(number->number) : nlohmann::ordered_json(text);
  }
  SQLite::Statement& insert = *insert_;
  insert.reset();
  insert.clearBindings();
  insert.bind(1, static_cast<std::int64_t>(point.number));
  insert.bind(2, point.id);
  insert.bind(3, result.done ? "done" : "failed");
  if (!result.done) insert.bind(4, result.error);
  insert.bind(5, axis.dump());
  insert.bind(6, static_cast<std::int64_t>(point.seed));
  insert.bind(7, static_cast<std::int64_t>(point.repetition));
  insert.bind(8, nlohmann::ordered_json(point.arguments).dump());
  insert.bind(9, result.wall_s);
  if (result.done) insert.bind(10, result.result);
  insert.exec();
}

void Store::commit() {
  if (!open_) return;
  database_->exec("COMMIT");
  open_ = false;
}

std::uint64_t Store::done() { return count_of(*database_, "done"); }
std::uint64_t Store::failed() { return count_of(*database_, "failed"); }

// --- Reading -------------------------------------------------------------------------------------------------------

StoreReader::StoreReader(const std::string& path) : file_(store_file(path)) {
  std::error_code error;
  if (!fs::is_regular_file(file_, error)) {
    throw ErrorText(fmt::format("there is no store {}", ecube::quoted(file_)))
        .hint("ecube sweep STUDY.toml -o DIR makes one, DIR/results.sqlite")
        .error();
  }
  try {
    database_ = std::make_unique<SQLite::Database>(file_, SQLite::OPEN_READONLY, 5000);
    check_schema(*database_, file_);
  } catch (const SQLite::Exception& problem) {
    throw unreadable(file_, problem);
  }
}

StoreReader::~StoreReader() = default;

std::string StoreReader::meta(const std::string& key) { return meta_of(*database_, key); }

std::vector<AxisScale> StoreReader::axes() {
  std::vector<AxisScale> result;
  SQLite::Statement query(*database_, "SELECT key, numeric, unit FROM axes ORDER BY place");
  while (query.executeStep()) {
    result.push_back(
        {query.getColumn(0).getString(), query.getColumn(1).getInt() != 0, query.getColumn(2).getString()});
  }
  return result;
}

std::uint64_t StoreReader::count(const std::string& status) { return count_of(*database_, status); }

void StoreReader::ended(std::vector<bool>& points, bool again) { mark_ended(*database_, points, again); }

void StoreReader::results(const std::function<void(const std::vector<std::string>&)>& columns,
                          const std::function<void(const std::vector<nlohmann::ordered_json>&)>& row) {
  SQLite::Statement query(*database_, "SELECT * FROM results ORDER BY number");
  std::vector<std::string> names;
  for (int i = 0; i < query.getColumnCount(); ++i) names.emplace_back(query.getColumnName(i));
  columns(names);
  std::vector<nlohmann::ordered_json> values(names.size());
  while (query.executeStep()) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const SQLite::Column column = query.getColumn(static_cast<int>(i));
      if (column.isNull()) {
        values[i] = nullptr;
      } else if (column.isInteger()) {
        values[i] = column.getInt64();
      } else if (column.isFloat()) {
        values[i] = column.getDouble();
      } else {
        values[i] = column.getString();
      }
    }
    row(values);
  }
}

void StoreReader::failures(std::size_t most, const std::function<void(const nlohmann::ordered_json&)>& take) {
  SQLite::Statement query(*database_,
                          "SELECT number, axis, error FROM points WHERE status = 'failed' ORDER BY number LIMIT ?");
  query.bind(1, static_cast<std::int64_t>(most));
  while (query.executeStep()) {
    take({{"number", query.getColumn(0).getInt64()},
          {"axis", nlohmann::ordered_json::parse(query.getColumn(1).getString())},
          {"error", query.getColumn(2).getString()}});
  }
}

void StoreReader::points(const std::function<void(const nlohmann::ordered_json&)>& take) {
  SQLite::Statement query(*database_,
                          "SELECT number, id, status, error, axis, seed, repetition, arguments, wall_s, result"
                          " FROM points ORDER BY number");
  const auto json = [&query](int column) {
    return query.getColumn(column).isNull() ? nlohmann::ordered_json()
                                            : nlohmann::ordered_json::parse(query.getColumn(column).getString());
  };
  while (query.executeStep()) {
    nlohmann::ordered_json point = {{"number", query.getColumn(0).getInt64()},
                                    {"id", query.getColumn(1).getString()},
                                    {"status", query.getColumn(2).getString()},
                                    {"axis", json(4)},
                                    {"seed", query.getColumn(5).getInt64()},
                                    {"repetition", query.getColumn(6).getInt64()},
                                    {"arguments", json(7)},
                                    {"wall_s", query.getColumn(8).getDouble()}};
    if (!query.getColumn(3).isNull()) point["error"] = query.getColumn(3).getString();
    if (!query.getColumn(9).isNull()) point["result"] = json(9);
    take(point);
  }
}

// --- Merging -------------------------------------------------------------------------------------------------------

MergeOutcome merge_stores(const std::string& directory, const std::vector<std::string>& from) {
  const std::string file = directory + "/results.sqlite";
  // Sources first: nothing is made for the sake of one that cannot be read.
  std::string hash;
  for (const std::string& source : from) {
    StoreReader reader(source);
    if (hash.empty()) hash = reader.meta("study_hash");
    if (hash == reader.meta("study_hash")) continue;
    throw ErrorText(
        fmt::format("{} and {} are of different studies", ecube::quoted(from.front()), ecube::quoted(source)))
        .hint("merge shards of one study, all of them made before it was changed, or all after")
        .error();
  }
  const int lock = lock_directory(directory);
  MergeOutcome outcome;
  try {
    SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
    const bool there = !is_empty(database);
    if (there) {
      check_schema(database, file);
      if (meta_of(database, "study_hash") != hash) {
        throw ErrorText(fmt::format("{} has the results of another study than {}", ecube::quoted(file),
                                    ecube::quoted(from.front())))
            .hint("give another directory")
            .error();
      }
    }
    prepare(database);
    for (std::size_t i = 0; i < from.size(); ++i) {
      SQLite::Statement attach(database, "ATTACH ? AS shard");
      attach.bind(1, store_file(from[i]));
      attach.exec();
      database.exec("BEGIN");
      if (!there && i == 0) {
        database.exec(std::string(tables));
        database.exec("INSERT INTO meta SELECT * FROM shard.meta; INSERT INTO axes SELECT * FROM shard.axes;");
        database.exec(
            database.execAndGet("SELECT sql FROM shard.sqlite_master WHERE type = 'view' AND name = 'results'")
                .getString());
      }
      outcome.disagreeing += static_cast<std::uint64_t>(
          database
              .execAndGet("SELECT count(*) FROM points AS mine JOIN shard.points AS other USING (number)"
                          " WHERE mine.status = 'done' AND other.status = 'done' AND"
                          " json_extract(mine.result, '$.measured.cycles') IS NOT"
                          " json_extract(other.result, '$.measured.cycles')")
              .getInt64());
      database.exec(
          "DELETE FROM points WHERE status = 'failed' AND number IN"
          " (SELECT number FROM shard.points WHERE status = 'done');"
          "INSERT OR IGNORE INTO points SELECT * FROM shard.points;");
      database.exec("COMMIT");
      database.exec("DETACH shard");
    }
    outcome.points = std::stoull(meta_of(database, "points"));
    outcome.done = count_of(database, "done");
    outcome.failed = count_of(database, "failed");
    std::ofstream(fs::path(directory) / "study.toml", std::ios::binary) << meta_of(database, "study_text");
  } catch (const SQLite::Exception& problem) {
    close(lock);
    throw unreadable(file, problem);
  } catch (...) {
    close(lock);
    throw;
  }
  close(lock);
  return outcome;
}

}  // namespace ecube
