#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "fanin/calibrate/trace_import.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "trace_summary.hpp"

namespace fanin::calibrate {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

std::string text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr
             ? std::string{}
             : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

class Database {
 public:
  explicit Database(std::string path) : path_(std::move(path)) {
    require_readable(path_);
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path_.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) fail();
    // An export is data from elsewhere: nothing in its schema may run functions or write.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 64 << 20);
    const Statement tables = prepare("SELECT name FROM sqlite_master WHERE type = 'table'");
    while (step(tables)) tables_.insert(text_of(tables.get(), 0));
  }

  bool has(const std::string& table) const { return tables_.contains(table); }
  const std::string& path() const { return path_; }

  std::set<std::string> columns(const std::string& table) const {
    std::set<std::string> names;
    const Statement info = prepare("PRAGMA table_info(" + table + ")");
    while (step(info)) names.insert(text_of(info.get(), 1));
    return names;
  }

  Statement prepare(const std::string& sql) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) fail();
    return Statement(raw);
  }

  bool step(const Statement& statement) const {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail();
    return false;
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError(path_, std::string("not readable as SQLite: ") + sqlite3_errmsg(handle_.get()),
                     "an export by `nsys export --type sqlite`");
  }

  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
  std::set<std::string> tables_;
};

/// The first of `choices` that the table has; throws when a needed one is missing.
std::string pick(const std::set<std::string>& columns, std::initializer_list<const char*> choices) {
  for (const char* name : choices) {
    if (columns.contains(name)) return name;
  }
  return {};
}

std::string kernel_query(const Database& database) {
  std::string table;
  for (const char* name : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"}) {
    if (database.has(name)) table = name;
  }
  if (table.empty()) {
    const bool graphs = database.has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
    throw InputError(
        database.path(),
        graphs ? "holds whole CUDA graphs without their kernels" : "holds no kernels",
        graphs ? "a trace with --cuda-graph-trace=node" : "a table CUPTI_ACTIVITY_KIND_KERNEL");
  }
  const std::set<std::string> columns = database.columns(table);
  const std::string name = pick(columns, {"demangledName", "shortName", "name", "mangledName"});
  const bool strings = database.has("StringIds");
  if (!strings && !database.has("StringTable"))
    throw InputError(database.path(), "holds no names of kernels", "a table StringIds");
  const std::string names = strings ? "StringIds" : "StringTable";
  const std::set<std::string> keys = database.columns(names);
  const std::string key = pick(keys, {"id", "_id_"});
  const std::string value = pick(keys, {"value"});
  for (const char* needed : {"start", "end"}) {
    if (!columns.contains(needed))
      throw InputError(database.path() + ": " + table, "no column " + std::string(needed),
                       "start and end in ns");
  }
  if (name.empty() || key.empty() || value.empty()) {
    throw InputError(database.path() + ": " + table, "no column with the kernel's name",
                     "demangledName or shortName, and StringIds(id, value)");
  }
  const auto optional = [&](const char* column) {
    return columns.contains(column) ? "k." + std::string(column) : std::string("NULL");
  };
  return "SELECT k.start, k.\"end\", s." + value + ", " + optional("deviceId") + ", " +
         optional("globalPid") + ", " + optional("gridX") + ", " + optional("gridY") + ", " +
         optional("gridZ") + ", " + optional("blockX") + ", " + optional("blockY") + ", " +
         optional("blockZ") + " FROM " + table + " k LEFT JOIN " + names + " s ON s." + key +
         " = k." + name + " ORDER BY k.start";
}

int product(sqlite3_stmt* statement, int first) {
  double result = 1.0;
  for (int i = first; i < first + 3; ++i) {
    if (sqlite3_column_type(statement, i) == SQLITE_NULL) return 0;
    result *= sqlite3_column_double(statement, i);
  }
  return result >= 0.0 && result < 2e9 ? static_cast<int>(result) : 0;
}

}  // namespace

TraceImport import_nsys(const std::vector<std::string>& paths, const TraceOptions& options,
                        const RecordSink& sink) {
  const KernelTable table(options.kernels, options.anchor);
  ExchangeFinder finder(table, options.last);
  std::map<std::pair<std::size_t, std::int64_t>, int> processes;
  for (std::size_t file = 0; file < paths.size(); ++file) {
    const Database database(paths[file]);
    const Statement rows = database.prepare(kernel_query(database));
    while (database.step(rows)) {
      sqlite3_stmt* row = rows.get();
      KernelEvent event;
      event.start_ns = sqlite3_column_int64(row, 0);
      event.end_ns = sqlite3_column_int64(row, 1);
      event.device = static_cast<int>(sqlite3_column_int64(row, 3) & 0xFFFF);
      const auto process = std::pair(file, static_cast<std::int64_t>(sqlite3_column_int64(row, 4)));
      event.process =
          processes.try_emplace(process, static_cast<int>(processes.size())).first->second;
      event.grid = product(row, 5);
      event.threads = product(row, 8);
      finder.add(text_of(row, 2), event);
    }
  }
  finder.finish();
  return summarise(finder, table, paths, "nsys", options, sink);
}

}  // namespace fanin::calibrate
