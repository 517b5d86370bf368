#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "csv_table.hpp"
#include "fanin/calibrate/csv.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

std::string cell_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  const bool numbers =
      value.is_array() && !value.empty() &&
      std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_number(); });
  if (!numbers) return value.dump();
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : ";") + item.dump();
  return text;
}

}  // namespace

std::string to_csv(const std::vector<Record>& records) {
  std::vector<std::string> columns;
  std::map<std::string, std::size_t> index;
  std::vector<std::vector<std::string>> rows;
  for (const Record& record : records) {
    const Json line = Json::parse(to_json_line(record));
    std::vector<std::string>& row = rows.emplace_back();
    for (const auto& item : line.items()) {
      const auto [it, fresh] = index.try_emplace(item.key(), columns.size());
      if (fresh) columns.push_back(item.key());
      if (row.size() <= it->second) row.resize(it->second + 1);
      row[it->second] = cell_of(item.value());
    }
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + (i < cells.size() ? csv_cell(cells[i], ',') : std::string{});
    }
    text += '\n';
  };
  append(columns);
  for (const auto& row : rows) append(row);
  return text;
}

}  // namespace fanin::calibrate
