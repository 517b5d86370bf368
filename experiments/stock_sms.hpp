// How many transport SMs stock DeepEP V2 takes when it is not told: from bandwidths alone, without
// a token count or any control operation.
#pragma once

#include "fanin/model/exchange.hpp"

namespace fanin::experiments {

struct StockBandwidths {
  double rdma = 50.0;      ///< GB/s of one NIC port
  double nvlink = 374.0;   ///< GB/s of one GPU to its peers
  double sm_read = 200.0;  ///< GB/s that stock takes one SM to read
  double sm_write = 50.0;  ///< GB/s that stock takes one SM to write
  int device_sms = 132;
};

/// Per byte that one GPU hands to its expert side over NVLink (r = 1 / expected distinct
/// destination ranks, s = expected distinct destination domains of N, U GPUs a domain):
///   N > 1: SM reads r + s·r, SM writes r + r·s/N + 1, RDMA r·s·(1 − 1/N), NVLink 1 − 1/U;
///   N = 1: SM reads r, SM writes 1, NVLink 1 − 1/U.
/// The slower link sets the rate; SMs = that rate × the larger of reads / sm_read and
/// writes / sm_write, × 1.25, rounded up to an even number, at least 4. Every rank sends and
/// receives in stock, so N counts Attention and FFN domains alike. It prefers overlap with compute
/// (the library's default; otherwise it takes at least 64).
/// Source: deep_ep/buffers/elastic.py of DeepEP, July 2026.
int stock_deepep_sms(const model::Exchange& exchange, const StockBandwidths& bandwidths = {});

}  // namespace fanin::experiments
