// fanin import csv
#include <memory>

#include "fanin/calibrate/csv.hpp"
#include "fanin/hw/error.hpp"
#include "import_output.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

struct Options {
  std::string file;
  std::string out;
  bool json = false;
  std::vector<std::string> map;
  std::vector<std::string> set;
  std::string separator = ",";
};

/// "field=value" of an option.
std::vector<std::pair<std::string, std::string>> pairs(const std::vector<std::string>& texts,
                                                       const std::string& option) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError(option, "'" + text + "'", "FIELD=VALUE");
    }
    list.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return list;
}

int import_csv(const Options& options) {
  calibrate::CsvOptions csv;
  csv.map = pairs(options.map, "--map");
  csv.set = pairs(options.set, "--set");
  const std::string separator = options.separator == "tab" ? "\t" : options.separator;
  if (separator.size() != 1 || separator == "\"" || separator == "\n") {
    throw InputError("--separator", "'" + options.separator + "'", "one character, or tab");
  }
  csv.separator = separator.front();
  ImportOutput output(options.out, options.json);
  const calibrate::ImportReport report = calibrate::import_csv(options.file, csv, output.sink());
  output.finish(report, options.file);
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_import_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("import", "Turns other programs' measurements into records");
  verb->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  const auto format = [&](const char* name, const char* text) {
    CLI::App* command = verb->add_subcommand(name, text);
    command->add_option("file", options->file, "What to import")->required()->type_name("FILE");
    command
        ->add_option("--out", options->out,
                     "Where the records go: JSONL, or a table when the name ends in .csv (default: "
                     "JSONL on stdout)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "Summary as one JSON object on stdout");
    command
        ->add_option("--set", options->set,
                     "A field that the file does not state, the same for every record, such as "
                     "transport_sms=24")
        ->type_name("FIELD=VALUE");
    return command;
  };
  CLI::App* csv = format(
      "csv", "A table with a header line; columns that are named like record fields need no --map");
  csv->add_option("--map", options->map,
                  "Which column holds a field, as tokens=ntok; columns joined by + are added up, "
                  "by | they make a list. "
                  "Times are converted when the header states their unit, as in 'latency (ms)'")
      ->type_name("FIELD=COLUMN");
  csv->add_option("--separator", options->separator,
                  "Between cells: a character, or tab (default ,)")
      ->type_name("CHARACTER");
  return {verb, [=] { return import_csv(*options); }};
}

}  // namespace fanin::experiments
