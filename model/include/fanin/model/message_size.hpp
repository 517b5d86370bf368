// Bytes of the messages that an exchange puts on a link.
#pragma once

#include "fanin/hw/units.hpp"
#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// One token's row in dispatch: hidden values (2 B in BF16; 1 B and a 4 B scale a 128 values in
/// FP8), then 12 B an expert + 4 B, aligned to 32 B. 4,224 B at hidden 2048, top-k 8, BF16; 7,520 B
/// at hidden 7168 in FP8.
Bytes dispatch_row(const Exchange& exchange);

/// One reduced row in combine, always BF16: 2 B a value, then 8 B an expert, aligned to 32 B. 4,160
/// B at hidden 2048, top-k 8.
Bytes combine_row(const Exchange& exchange);

/// One count WRITE of the notify: a 4 B count for each expert of the destination domain.
Bytes count_write(const Exchange& exchange);

/// A fetch-add or an inline WRITE.
inline constexpr Bytes kSignal{8};

}  // namespace fanin::model
