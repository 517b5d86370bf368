#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace fanin::experiments {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 take no column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string print_with(const char* format, int digits, double value) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, digits, value);
  return buffer;
}

}  // namespace

Table::Table(std::vector<std::string> headings, std::string alignment)
    : headings_(std::move(headings)), alignment_(std::move(alignment)) {
  alignment_.resize(headings_.size(), 'r');
}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() > headings_.size()) throw std::logic_error("table: row with too many cells");
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(width_of(heading));
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(cells[i]));
    }
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += alignment_[i] == 'l' ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(headings_);
  std::string rule;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    rule += std::string(i > 0 ? 2 : 0, ' ') + std::string(widths[i], '-');
  }
  rule.erase(rule.find_last_not_of(' ') + 1);
  text += rule + '\n';
  for (const auto& cells : rows_) append(cells);
  return text;
}

void Table::print() const { std::fputs(text().c_str(), stdout); }

std::string fixed(double value, int digits) {
  return std::isfinite(value) ? print_with("%.*f", digits, value) : "-";
}

std::string significant(double value, int digits) {
  return std::isfinite(value) ? print_with("%.*g", digits, value) : "-";
}

std::string interval(double low, double high, int digits) {
  return "[" + significant(low, digits) + ", " + significant(high, digits) + "]";
}

}  // namespace fanin::experiments
