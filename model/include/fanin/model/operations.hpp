// How many operations each NIC of an exchange does: closed forms, which the simulator's counters
// equal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// Where an operation is counted: at the NIC that posts it and at the NIC that executes it.
enum class NicSide : std::uint8_t {
  ffn_inbound,
  ffn_outbound,
  attention_inbound,
  attention_outbound
};
inline constexpr std::size_t kNicSides = 4;
enum class Phase : std::uint8_t { dispatch, combine };
inline constexpr std::size_t kPhases = 2;
/// row_write and count_write are RDMA WRITEs, inline_write an 8 B WRITE that carries its data in
/// the work request.
enum class Verb : std::uint8_t { fetch_add, row_write, count_write, inline_write };
inline constexpr std::size_t kVerbs = 4;

/// "ffn.nic.inbound.dispatch" and so on.
std::string resource_name(NicSide side, Phase phase);
std::string_view to_string(Verb verb);

/// [resource][verb]; zero counts are left out.
using OperationCounts = std::map<std::string, std::map<std::string, std::int64_t>>;

/// Of one exchange on path hybrid, at the NICs of the first FFN GPU (rail 0 of FFN domain 0) and of
/// the first Attention GPU (rail 0 of source 0), with the exchange's fixes. Baseline, with n(c, s)
/// the rows of source s on channel c:
///   dispatch, FFN inbound:     Σ over (c, s) of floor(n / interval) + 1 fetch-adds, Σ n row
///   WRITEs,
///                              2·S count WRITEs;
///   dispatch, Attention outbound: the same sums over c and FFN domains, for one source;
///   combine, FFN outbound:     C·S fetch-adds, Σ n row WRITEs;
///   combine, Attention inbound: C·F_d fetch-adds, Σ n row WRITEs.
/// Other paths and protocols have the counts below. Throws InputError where the exchange cannot be
/// modelled.
OperationCounts operation_counts(const Exchange& exchange);

/// The same for protocol symmetric, with N = F_d + S domains that all send and receive:
///   dispatch, out of a NIC to each of the N − 1 others: Σ over c of floor(n / interval) + 1
///   fetch-adds, one more for the entry barrier, Σ n row WRITEs, 2 count WRITEs; as many come in
///   from each; combine: C fetch-adds, one for the barrier, and the rows' way back, to and from
///   each.
/// n is 0 but from an Attention to an FFN domain. A GPU's own finishes stay in its memory. A
/// direction that fixes 10 to 13 silence has neither finishes nor, with fixes 7 and 8, a release.
OperationCounts symmetric_operation_counts(const Exchange& exchange);

/// The same on paths nvlink and direct, at the ports of the first FFN GPU and the first Attention
/// GPU. With r(a, f) = rows of Attention GPU a for FFN GPU f (a table's, or the expected value
/// rounded):
///   dispatch: Σ over a of r(a, 0) rows into the FFN GPU, Σ over f of r(0, f) out of the Attention
///   GPU; combine:  the same rows the other way.
/// nvlink adds in dispatch A·E/F count adds and A·SMs arrivals into the FFN GPU, E and F·SMs out of
/// the Attention GPU; in combine A·SMs arrivals out of the FFN GPU and F·SMs into Attention's; one
/// arrival instead of SMs with grid_sync; symmetric A + F − 1 barrier signals a port and phase.
/// direct adds A + F − 1 fetch-adds a port and phase: the signals between all ranks of the world.
OperationCounts train_operation_counts(const Exchange& exchange);

}  // namespace fanin::model
