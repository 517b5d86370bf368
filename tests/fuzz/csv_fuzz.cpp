#include "fanin/calibrate/csv.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fanin::fuzz::expect_input_errors([&] {
    std::vector<fanin::calibrate::Record> records;
    fanin::calibrate::import_csv(fanin::fuzz::file_of(data, size), {},
                                 [&](const fanin::calibrate::Record& record) {
                                   fanin::fuzz::read_back(record);
                                   records.push_back(record);
                                 });
    fanin::calibrate::to_csv(records);
  });
}
