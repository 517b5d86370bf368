// fanin import csv|nsys|kineto|deepep|nccl|kernels
#include <cstdio>
#include <memory>

#include "fanin/calibrate/csv.hpp"
#include "fanin/calibrate/log_import.hpp"
#include "fanin/calibrate/trace_import.hpp"
#include "fanin/hw/error.hpp"
#include "import_output.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string out;
  bool json = false;
  std::vector<std::string> map;
  std::vector<std::string> set;
  std::string separator = ",";
  std::string kernels;
  std::string anchor;
  std::string timeline;
  int last = 20;
};

/// "field=value" of an option.
std::vector<std::pair<std::string, std::string>> pairs(const std::vector<std::string>& texts,
                                                       const std::string& option) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError(option, "'" + text + "'", "FIELD=VALUE, with the files before the options");
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
  const std::string& file = options.files.front();
  output.finish(calibrate::import_csv(file, csv, output.sink()), file);
  return 0;
}

using LogImporter = calibrate::ImportReport (*)(const std::string&, const calibrate::StatedFields&,
                                                const calibrate::RecordSink&);

int import_log(const Options& options, LogImporter importer) {
  ImportOutput output(options.out, options.json);
  const std::string& file = options.files.front();
  output.finish(importer(file, pairs(options.set, "--set"), output.sink()), file);
  return 0;
}

using TraceImporter = calibrate::TraceImport (*)(const std::vector<std::string>&,
                                                 const calibrate::TraceOptions&,
                                                 const calibrate::RecordSink&);

int import_trace(const Options& options, TraceImporter importer) {
  calibrate::TraceOptions trace;
  trace.kernels = options.kernels;
  trace.anchor = options.anchor;
  trace.last = options.last;
  trace.set = pairs(options.set, "--set");
  ImportOutput output(options.out, options.json);
  const calibrate::TraceImport result = importer(options.files, trace, output.sink());
  if (!options.timeline.empty()) {
    std::string text;
    for (const std::string& row : result.timeline) text += row + "\n";
    write_file(options.timeline, text);
  }
  output.finish(result.report, options.files.front());
  return 0;
}

CLI::App* add_format(CLI::App& verb, const std::shared_ptr<Options>& options, const char* name,
                     const char* text, bool many) {
  CLI::App* command = verb.add_subcommand(name, text);
  CLI::Option* files = command->add_option("file", options->files, "What to import");
  files->required()->type_name("FILE");
  if (!many) files->expected(1);
  command
      ->add_option("--out", options->out,
                   "Where the records go: JSONL, or a table when the name ends in .csv "
                   "(default: JSONL on stdout)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Summary as one JSON object on stdout");
  command
      ->add_option("--set", options->set,
                   "A field that the file does not state, the same for every record, "
                   "such as transport_sms=24")
      ->type_name("FIELD=VALUE");
  return command;
}

void add_trace_options(CLI::App& command, const std::shared_ptr<Options>& options) {
  command
      .add_option("--kernels", options->kernels,
                  "Rows PART LABEL [anchor] [ffn|attention] that come before those of "
                  "`fanin import kernels`")
      ->type_name("FILE");
  command
      .add_option("--anchor", options->anchor,
                  "Name, or part of it, of the kernel that starts an exchange")
      ->type_name("NAME");
  command
      .add_option("--last", options->last,
                  "Medians over this many exchanges at the end (default 20)")
      ->check(CLI::Range(1, 10000));
  command
      .add_option("--timeline", options->timeline,
                  "Also write start and end of every kernel, as `calibrate --timelines` takes them")
      ->type_name("FILE");
}

}  // namespace

std::pair<CLI::App*, Runner> add_import_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("import", "Turns other programs' measurements into records");
  verb->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  CLI::App* csv =
      add_format(*verb, options, "csv",
                 "A table with a header line; columns that are named like record fields "
                 "need no --map",
                 false);
  csv->add_option(
         "--map", options->map,
         "Which column holds a field, as tokens=ntok; columns joined by + are added up, by "
         "| they make a list. Times are converted when the header states their unit, as in "
         "'latency (ms)'")
      ->type_name("FIELD=COLUMN");
  csv->add_option("--separator", options->separator,
                  "Between cells: a character, or tab (default ,)")
      ->type_name("CHARACTER");
  CLI::App* nsys =
      add_format(*verb, options, "nsys", "Export by `nsys export --type sqlite`", true);
  add_trace_options(*nsys, options);
  CLI::App* kineto =
      add_format(*verb, options, "kineto",
                 "Chrome trace of PyTorch's profiler, plain or gzip, one file a rank", true);
  add_trace_options(*kineto, options);
  CLI::App* deepep = add_format(*verb, options, "deepep",
                                "Output of DeepEP's test_ep.py or test_low_latency.py", false);
  CLI::App* nccl =
      add_format(*verb, options, "nccl", "Output of NCCL's ep_bench or of nccl-tests", false);
  CLI::App* kernels =
      verb->add_subcommand("kernels", "Prints the table of kernel names, to extend with --kernels");
  return {verb, [=] {
            if (csv->parsed()) return import_csv(*options);
            if (nsys->parsed()) return import_trace(*options, calibrate::import_nsys);
            if (kineto->parsed()) return import_trace(*options, calibrate::import_chrome);
            if (deepep->parsed()) return import_log(*options, calibrate::import_deepep_log);
            if (nccl->parsed()) return import_log(*options, calibrate::import_nccl_log);
            if (kernels->parsed()) std::printf("%s", calibrate::kernel_table().c_str());
            return 0;
          }};
}

}  // namespace fanin::experiments
