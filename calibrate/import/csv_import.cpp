#include <algorithm>
#include <filesystem>
#include <set>

#include "csv_table.hpp"
#include "fanin/calibrate/csv.hpp"
#include "fanin/calibrate/record_fields.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/hw/nearest.hpp"
#include "row_builder.hpp"
#include "time_unit.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

/// Where one field of the record comes from.
struct Origin {
  enum class Kind { single, sum, list };
  std::string field;
  Kind kind = Kind::single;
  std::vector<std::size_t> columns;
  std::vector<double> scales;  ///< to microseconds, 1 for other fields
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// Decides once, from the header and the options, what each row's cells mean.
class Plan {
 public:
  Plan(const CsvTable& table, const CsvOptions& options) : header_(table.header()) {
    for (const auto& [field, columns] : options.map) mapped(field, columns);
    two_kernels();
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (!taken_.contains(header_[i])) unmapped(i);
    }
    for (const auto& [field, text] : options.set) {
      claim(field, "--set " + field);
      set_.emplace_back(field, typed_value(field, text, "--set"));
    }
  }

  bool gives(const std::string& field) const { return fields_.contains(field); }

  /// What was assumed, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  Json row(const std::vector<std::string>& cells, const std::string& where) const {
    Json row = Json::object();
    for (const auto& [field, value] : set_) row[field] = value;
    for (const Origin& origin : origins_) {
      Json value = value_of(origin, cells, where);
      if (!value.is_null()) row[origin.field] = std::move(value);
    }
    return row;
  }

 private:
  void claim(const std::string& field, const std::string& place) {
    if (!fields_.insert(field).second)
      throw InputError(place, "the field is given twice", "one origin for each field");
  }

  std::size_t column(const std::string& name, const std::string& field) const {
    const auto it = std::find(header_.begin(), header_.end(), name);
    if (it != header_.end()) return static_cast<std::size_t>(it - header_.begin());
    const std::vector<std::string_view> names(header_.begin(), header_.end());
    throw InputError(
        "--map " + field, "no column '" + name + "'",
        "'" + std::string(nearest_name(name, names)) + "'? Columns: " + joined(header_));
  }

  double scale(const std::string& field, std::size_t index) const {
    const FieldSpec* spec = find_field(field);
    const bool time = spec != nullptr && spec->unit == "us";
    const auto heading = time_heading(header_[index]);
    return time && heading ? heading->microseconds : 1.0;
  }

  void mapped(const std::string& field, const std::string& columns) {
    Origin origin{field, Origin::Kind::single, {}, {}};
    // A heading may itself hold '+' or '|'.
    const bool whole = std::find(header_.begin(), header_.end(), columns) != header_.end();
    if (!whole && columns.find('+') != std::string::npos) origin.kind = Origin::Kind::sum;
    if (!whole && columns.find('|') != std::string::npos) origin.kind = Origin::Kind::list;
    const char separator = origin.kind == Origin::Kind::sum ? '+' : '|';
    for (const std::string& name :
         whole ? std::vector<std::string>{columns} : split(columns, separator)) {
      origin.columns.push_back(column(name, field));
      origin.scales.push_back(scale(field, origin.columns.back()));
      // The parts of a sum stay fields of their own.
      if (origin.kind != Origin::Kind::sum) taken_.insert(name);
    }
    claim(field, "--map " + field);
    origins_.push_back(std::move(origin));
  }

  /// Most published tables time the two kernels apart; their sum is the closest to an exchange.
  void two_kernels() {
    std::string columns;
    for (const std::string& name : header_) {
      if (fields_.contains("median_us") || fields_.contains("repeats_us")) return;
      const auto heading = time_heading(name);
      if (name == "median_us" || name == "repeats_us" || (heading && heading->name == "median"))
        return;
      if (!heading || (heading->name != "dispatch" && heading->name != "combine")) continue;
      columns += (columns.empty() ? "" : "+") + name;
    }
    if (columns.find('+') == std::string::npos) return;
    mapped("median_us", columns);
    notes_.push_back("median_us is " + columns +
                     ": kernels timed apart, without what lies between them");
  }

  void unmapped(std::size_t index) {
    std::string field = header_[index];
    double factor = 1.0;
    const auto heading = time_heading(field);
    // "median (ms)" is median_us in another unit; "dispatch_ms" is no known field and stays as it
    // is.
    if (heading && find_field(field) == nullptr && find_field(heading->name + "_us") != nullptr) {
      field = heading->name + "_us";
      factor = heading->microseconds;
    }
    claim(field, "column " + header_[index]);
    origins_.push_back({field, Origin::Kind::single, {index}, {factor}});
  }

  static Json scaled(const std::string& field, const std::string& cell, double factor,
                     const std::string& where) {
    Json value = typed_value(field, cell, where);
    if (factor == 1.0) return value;
    if (value.is_number()) return value.get<double>() * factor;
    for (Json& item : value) item = item.get<double>() * factor;
    return value;
  }

  static Json value_of(const Origin& origin, const std::vector<std::string>& cells,
                       const std::string& where) {
    if (origin.kind == Origin::Kind::single) {
      const std::string& cell = cells[origin.columns.front()];
      return cell.empty() ? Json(nullptr)
                          : scaled(origin.field, cell, origin.scales.front(), where);
    }
    Json list = Json::array();
    double sum = 0.0;
    for (std::size_t i = 0; i < origin.columns.size(); ++i) {
      const std::string& cell = cells[origin.columns[i]];
      if (cell.empty() && origin.kind == Origin::Kind::sum) return nullptr;
      if (cell.empty()) continue;
      const double value = number_value(origin.field, cell, where) * origin.scales[i];
      sum += value;
      list.push_back(value);
    }
    if (origin.kind == Origin::Kind::sum) return sum;
    return list.empty() ? Json(nullptr) : list;
  }

  const std::vector<std::string>& header_;
  std::set<std::string> taken_;   ///< columns with an entry in --map
  std::set<std::string> fields_;  ///< fields that have an origin
  std::vector<Origin> origins_;
  std::vector<std::pair<std::string, Json>> set_;
  std::vector<std::string> notes_;
};

/// Why no column can be the time of an exchange, for the error.
std::string no_time(const std::vector<std::string>& header) {
  const bool rates = std::any_of(header.begin(), header.end(), [](const std::string& name) {
    return name.find("GB") != std::string::npos;
  });
  return rates ? "missing median_us: the columns are rates, and without the bytes moved they give "
                 "no time"
               : "missing median_us: no column is a time of one exchange";
}

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace

ImportReport import_csv(const std::string& path, const CsvOptions& options,
                        const RecordSink& sink) {
  CsvTable table(path, options.separator);
  const Plan plan(table, options);
  if (!plan.gives("median_us") && !plan.gives("repeats_us")) {
    throw InputError(
        path, no_time(table.header()),
        "--map median_us=COLUMN, or COLUMN+COLUMN to add up; columns: " + joined(table.header()));
  }
  const std::string stem = std::filesystem::path(path).stem().string();
  ImportReport report;
  report.notes = plan.notes();
  RowWriter writer(sink, report);
  std::vector<std::string> cells;
  while (table.next(cells)) {
    Json row = Json::object();
    const Json content = plan.row(cells, table.where());
    row["id"] = stem + ":" + std::to_string(table.line());
    row["set"] = stem;
    row.update(content);
    if (!row.contains("median_us") && row.contains("repeats_us") && !row["repeats_us"].empty()) {
      row["median_us"] = median(row["repeats_us"].get<std::vector<double>>());
    }
    writer.write(row, table.where());
  }
  if (report.records == 0 && report.skipped.empty())
    throw InputError(path, "has a header but no rows", "at least one row");
  return report;
}

}  // namespace fanin::calibrate
