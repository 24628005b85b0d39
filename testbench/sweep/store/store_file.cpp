// SPDX-License-Identifier: Apache-2.0
// Opening, copying and making stores.
#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "testbench/run/progress_line.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/open_files.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

constexpr int busy_ms = 5000;
constexpr int reader_ms = 500;  ///< then it says that it waits
constexpr std::array<const char*, 3> beside{"-journal", "-wal", "-shm"};

/// SQLite would read and delete a further file that a rollback journal names.
bool names_another_file(const std::string& journal) {
  static constexpr std::array<unsigned char, 8> magic{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  std::ifstream file(journal, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  if (size < static_cast<std::streamoff>(magic.size())) return false;
  file.seekg(size - static_cast<std::streamoff>(magic.size()));
  std::array<char, magic.size()> end{};
  file.read(end.data(), end.size());
  return std::memcmp(end.data(), magic.data(), magic.size()) == 0;
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

void remove_with_journals(const std::string& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
  for (const char* const ending : beside) fs::remove(file + ending, ignored);
}

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

void take_away(const std::vector<std::string>& made) {
  std::error_code none;
  for (const std::string& path : made) fs::remove(path, none);
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

void make_store(const std::string& file, const std::function<void(StoreDatabase&)>& fill) {
  const std::string part = file + ".part";
  remove_with_journals(part);
  try {
    StoreDatabase database(open_store(part), part);
    SQLite::Transaction whole(database.sql());
    fill(database);
    whole.commit();
  } catch (...) {
    remove_with_journals(part);
    throw;
  }
  // SQLite would take the journal of an earlier file of this name for one of the new file.
  remove_with_journals(file);
  const OpenDirectory directory(fs::absolute(file).parent_path().string());
  const std::string name = fs::path(file).filename().string();
  directory.move(name + ".part", directory, name);
  directory.sync();
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

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string lock = directory + "/.lock";
  for (fs::path path(directory); !path.empty() && !is_there(path.string()); path = path.parent_path()) {
    made_.push_back(path.string());
  }
  std::error_code error;
  fs::create_directories(directory, error);
  const bool locked = is_there(lock);
  for (;;) {
    lock_.emplace(directory);
    if (lock_->error() != 0) {
      const std::string why = error ? error.message() : std::strerror(lock_->error());
      take_away(made_);
      throw InputError(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why))
          .hint("give a directory that can be made or written with -o");
    }
    const LockState state = lock_->take();
    if (state == LockState::held_by_another) {
      throw InputError(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
          .hint("wait for it, or give another directory with -o; shards of one study have directories of their own");
    }
    if (state == LockState::unavailable) {
      fmt::print(stderr, "note: the file system of {} has no locks: let one sweep at a time write into it\n",
                 ecube::quoted(directory));
    }
    if (lock_->is_at_its_path()) break;
  }
  // Only now: until here another process may have written its own.
  if (!locked) made_.insert(made_.begin(), lock);
  if (std::string study = directory + "/study.toml"; !is_there(study)) made_.insert(made_.begin(), std::move(study));
}

DirectoryLock::~DirectoryLock() { take_away(made_); }

void write_study_text(const std::string& directory, const std::string& text) {
  // Writes a new file and moves it, because study.toml may be a link to another place.
  const std::string aside = ".study.toml";
  const OpenDirectory place(directory);
  place.remove(aside);
  try {
    place.make_file(aside, text);
    place.sync(aside);
    place.move(aside, place, "study.toml");
  } catch (...) {
    place.remove(aside);
    throw;
  }
}

}  // namespace ecube
