// Where the actors of a measured exchange sat, as the simulator takes it.
#pragma once

#include <string>
#include <string_view>

#include "fanin/model/exchange.hpp"

namespace fanin::calibrate {

/// From the line's `placement` ([{"kernel", "rank", "sms": of each CTA}]) and `machine.sms`: all
/// ranks on one GPU, whose SMs Attention's dispatch shares but for those that FFN kernels and the
/// NIC hold, and the grids of the epilogues. What the line states itself stays. Does nothing where
/// the line has no such fields, or domains of several GPUs. Throws InputError with `where` in front
/// for a placement of another form.
void take_placement(model::Exchange& exchange, std::string_view line, const std::string& where);

}  // namespace fanin::calibrate
