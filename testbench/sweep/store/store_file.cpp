// SPDX-License-Identifier: Apache-2.0
// Opening and copying stores, and the checks of every file before its contents are used.
#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>

#include <cstring>
#include <fstream>
#include <set>

#include "models/machine/spelling.h"
#include "testbench/run/progress_line.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"
#include "testbench/text/text_hash.h"
#include "testbench/text/toml_text.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr int busy_ms = 5000;
constexpr int reader_ms = 500;  ///< then it says that it waits

/// SQLite would read and delete a further file that a rollback journal names.
bool names_another_file(const std::string& journal) {
  constexpr std::string_view magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::array<char, magic.size()> end{};
  std::ifstream file(journal, std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end).read(end.data(), end.size());
  return std::string_view(end.data(), end.size()) == magic;
}

std::string plain(const std::string& file) { return file.starts_with("file:") ? "./" + file : file; }

/// SQLite's way to lock a file: empty for its usual one, or one without locks where the file system has none.
std::string locks_for(const std::string& file, int flags) {
  constexpr mode_t mode = 0644;
  const FileDescriptor descriptor(open(file.c_str(), flags | O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, mode));
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  if (!descriptor.is_open() || fcntl(descriptor.number(), F_GETLK, &wanted) == 0) return {};
  return errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP ? "unix-none" : "";
}

/// The copy's pages are SQLite's: in memory, and beyond that in a file of TMPDIR without a name.
SQLite::Database copy_of(SQLite::Database& source, ProgressLine& line) {
  SQLite::Database copy("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const SQLite::Transaction unchanged(source);  // nobody writes between two parts of the copy
  (void)source.execAndGet("SELECT count(*) FROM sqlite_master");
  SQLite::Backup backup(copy, source);
  constexpr int pages_of_a_part = 4096;
  for (;;) {
    const int result = backup.executeStep(pages_of_a_part);
    if (result == SQLITE_DONE) return copy;
    if (result != SQLITE_OK) throw SQLite::Exception(sqlite3_errstr(result), result);
    if (!line.due()) continue;
    const int pages = backup.getTotalPageCount();
    line.show(fmt::format("{} of {} pages of the store read  {:.0f} s", pages - backup.getRemainingPageCount(), pages,
                          line.seconds()));
  }
}

void refuse_link(const std::string& file) {
  std::error_code none;
  if (!fs::is_symlink(fs::symlink_status(file, none))) return;
  throw InputError(fmt::format("{} is a symbolic link", ecube::quoted(file)))
      .hint("a store is a file in its directory; give another directory, or name the file itself");
}

/// SQLite restores the state before a change in the directory of the file: for a reader, in a private one.
SQLite::Database restored_copy(const std::string& file, ProgressLine& line) {
  const PrivateFolder folder;
  const std::string own = folder.file("store");
  fs::copy_file(file, own);
  fs::permissions(own, fs::perms::owner_read | fs::perms::owner_write);
  for (const char* const ending : {"-journal", "-wal"}) {
    if (fs::is_regular_file(fs::symlink_status(file + ending))) fs::copy_file(file + ending, own + ending);
  }
  SQLite::Database database = open_store(own);
  return copy_of(database, line);
}

/// The file itself, or a copy where SQLite would have to write before it can read.
SQLite::Database look_into(const std::string& file, ProgressLine& line) {
  try {
    SQLite::Database database(plain(file), SQLite::OPEN_READONLY, reader_ms, locks_for(file, 0));
    (void)database.execAndGet("PRAGMA schema_version");  // reads no table
    return database;
  } catch (const SQLite::Exception& problem) {
    const int code = problem.getErrorCode();
    if (code != SQLITE_READONLY && code != SQLITE_CANTOPEN) throw;
  }
  return restored_copy(file, line);
}

/// The path of the store in a directory; of a file its own path, of a link that of the file behind it.
std::string store_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return (fs::path(path) / "results.sqlite").string();
  return fs::is_symlink(fs::symlink_status(path, error)) ? fs::weakly_canonical(path, error).string() : path;
}

/// A copy of its own: nobody who writes into the store waits for a reader longer than the copy takes, and no reader
/// changes anything. Of a store whose writer was ended in the midst of a change, the copy has the state before. Waits
/// while another program writes. InputError for a symbolic link.
SQLite::Database copy_store(const std::string& file, bool quiet) {
  refuse_link(file);
  ProgressLine line(quiet);
  for (bool told = false;; told = true) {
    try {
      SQLite::Database source = look_into(file, line);
      return copy_of(source, line);
    } catch (const SQLite::Exception& problem) {
      if (problem.getErrorCode() != SQLITE_BUSY) throw;
    }
    if (interrupt_wanted()) throw Interrupted(fmt::format("while another program was writing {}", ecube::quoted(file)));
    if (!told) line.show(fmt::format("waiting for another program that is writing {}", ecube::quoted(file)));
  }
}

std::string existing_store(const std::string& path) {
  std::string file = store_file(path);
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error) && has_store(file)) return file;
  throw InputError(fmt::format("there is no store {}", ecube::quoted(file)))
      .hint("ecube sweep STUDY.toml -o DIR makes one, DIR/results.sqlite");
}

int only_selects(void*, int action, const char* first, const char* second, const char* database, const char*) {
  const auto is_table = [first, database](const StoreTable& table) {
    return first == table.name && (database == nullptr || std::strcmp(database, "main") == 0);
  };
  switch (action) {
    case SQLITE_SELECT:
      return SQLITE_OK;
    case SQLITE_READ:
      return first != nullptr && std::ranges::any_of(store_tables, is_table) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION: {
      const std::string_view name = second != nullptr ? second : "";
      const bool own = name == "json_extract" || name == "count";
      return own || std::ranges::find(derived_functions, name) != derived_functions.end() ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void StoreDatabase::check() {
  check_meta_table();
  const std::string schema = meta("schema");
  if (schema != std::to_string(store_schema)) {
    const bool number = !schema.empty() && schema.size() < 10 && schema.find_first_not_of("0123456789") == schema.npos;
    refuse(fmt::format("has schema {}, and this program has {}", number ? schema : ecube::quoted(schema), store_schema),
           "read it with the version that wrote it, or give another directory with -o");
  }
  check_tables();
  ProgressLine line(quiet_);
  check_pages(line);
  check_meta();
  std::uint64_t checked = 0;
  points([&](const StoredPoint&) {
    ++checked;
    if (line.due()) line.show(fmt::format("{} points checked  {:.0f} s", grouped(checked), line.seconds()));
  });
}

/// Stores of all schemas have this table.
void StoreDatabase::check_meta_table() {
  SQLite::Statement query(database_, "SELECT type, sql FROM sqlite_master WHERE name = 'meta'");
  if (!step(query)) refuse("is a database of something else", "a store is DIR/results.sqlite, which ecube sweep makes");
  if (query.getColumn(0).getString() == "table" && query.getColumn(1).getString() == store_tables[0].statement) return;
  refuse("is no store: its meta is not the table that a store has", "give another directory with -o");
}

/// Views are never read, so further views of the user do no harm.
void StoreDatabase::check_tables() {
  SQLite::Statement query(database_, "SELECT type, name, sql FROM sqlite_master");
  std::size_t found = 0;
  while (step(query)) {
    const std::string type = query.getColumn(0).getString();
    const std::string name = query.getColumn(1).getString();
    const std::string statement = query.getColumn(2).getString();
    const auto* const table = std::ranges::find(store_tables, std::string_view(name), &StoreTable::name);
    if (type == "table" && table != store_tables.end() && statement == table->statement) {
      ++found;
      continue;
    }
    const bool own_index = type == "index" && query.getColumn(2).isNull() && name.starts_with("sqlite_autoindex_");
    if (own_index || (type == "view" && table == store_tables.end())) continue;
    refuse(fmt::format("holds the {} {}, which no store has", ecube::quoted(type), ecube::quoted(name)),
           "somebody has changed it: use it with another program, or give another directory with -o");
  }
  if (found != store_tables.size()) {
    refuse("is no store: it lacks one of the tables meta, axes and points", "give another directory with -o");
  }
}

/// Without a limit of steps: the check reads every page and every row once.
void StoreDatabase::check_pages(ProgressLine& line) {
  const auto tell = [](void* of_check) {
    ProgressLine& shown = *static_cast<ProgressLine*>(of_check);
    if (shown.due()) shown.show(fmt::format("pages of the store checked  {:.0f} s", shown.seconds()));
    return 0;
  };
  SQLite::Statement query(database_, "PRAGMA quick_check(1)");
  sqlite3_progress_handler(database_.getHandle(), steps_between, tell, &line);
  const bool told = query.executeStep();
  limit_steps();
  const std::string found = told ? query.getColumn(0).getString() : "nothing";
  if (found == "ok") return;
  refuse(fmt::format("is damaged: {}", ecube::quoted(found)), "take a copy that is whole, or run the study again");
}

void StoreDatabase::check_meta() {
  if (meta("checksum") != checksum_of_meta()) {
    refuse("is damaged: what it says of its study is not what was written",
           "take a copy that is whole, or run the study again");
  }
  if (meta("study_text").size() > max_toml_bytes) refuse("has a study of more than 1 MB", "no study has that much");
  (void)points_of_study();
  // Keys become names of columns, and parts of paths in JSON.
  constexpr std::string_view in_keys = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  constexpr std::size_t most_axes = 100;
  const std::vector<AxisScale> all = axes();
  std::set<std::string> names;
  for (const std::string& name : result_columns({})) names.insert(name);
  for (const AxisScale& axis : all) {
    const bool plain_key = !axis.key.empty() && axis.key.find_first_not_of(in_keys) == std::string::npos;
    if (!plain_key || !names.insert(axis.key).second || all.size() > most_axes) {
      refuse(fmt::format("has an axis {}, which no study has", ecube::quoted(axis.key)), "it is no store of ecube");
    }
  }
}

std::uint64_t StoreDatabase::points_of_study() {
  const std::string text = meta("points");
  const auto points = whole_number(text);
  if (!points || *points > max_study_points) {
    refuse(fmt::format("is of a study of {} points, which no study has", ecube::quoted(text)),
           "it is no store of ecube");
  }
  return *points;
}

std::string StoreDatabase::checksum_of_meta() {
  std::string all;
  const auto append_rows = [&](const char* text) {
    SQLite::Statement query(database_, text);
    while (step(query)) {
      for (int column = 0; column < query.getColumnCount(); ++column) {
        // A text and a blob of the same bytes look alike here, but are different keys.
        append_text(all, std::to_string(query.getColumn(column).getType()));
        append_text(all, query.getColumn(column).getString());
      }
    }
  };
  append_rows("SELECT key, value FROM meta WHERE key <> 'checksum' ORDER BY key");
  all += ';';
  append_rows("SELECT place, key, unit, numeric FROM axes ORDER BY place");
  return hash_of(all);
}

StoreReader::StoreReader(const std::string& path, bool quiet) try
    : StoreDatabase(copy_store(existing_store(path), quiet), store_file(path), quiet) {
  check();
  sqlite3_set_authorizer(sql().getHandle(), only_selects, nullptr);
} catch (const SQLite::Exception& problem) {
  throw unreadable(store_file(path), problem);
}

SQLite::Database open_store(const std::string& file) {
  refuse_link(file);
  if (names_another_file(file + "-journal")) {
    throw InputError(fmt::format("{} names another file, which ecube never writes", ecube::quoted(file + "-journal")))
        .hint("delete it, or give another directory with -o");
  }
  return {plain(file), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_ms, locks_for(file, O_CREAT)};
}

bool has_store(const std::string& file) {
  std::error_code none;
  const fs::file_status status = fs::symlink_status(file, none);
  if (!fs::is_regular_file(status)) return fs::exists(status);
  try {
    ProgressLine line(true);
    return StoreDatabase(look_into(file, line)).sql().execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0;
  } catch (const SQLite::Exception&) {
    return true;  // whoever opens it says what is wrong
  }
}

InputError unreadable(const std::string& file, const SQLite::Exception& problem) {
  switch (problem.getErrorCode()) {
    case SQLITE_FULL:
      throw std::runtime_error(fmt::format("{} could not be written: the disk is full", ecube::quoted(file)));
    case SQLITE_IOERR:
      throw std::runtime_error(fmt::format("{} could not be written or read: {}", ecube::quoted(file), problem.what()));
    case SQLITE_BUSY:
      return InputError(fmt::format("{} is in use by another program", ecube::quoted(file)))
          .hint("wait until it has been read or written");
    default:
      return InputError(fmt::format("{} cannot be read: {}", ecube::quoted(file), problem.what()))
          .hint("is it an SQLite file, and whole? give another directory with -o");
  }
}

}  // namespace ecube
