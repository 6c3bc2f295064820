#include "sim/cluster/dispatch_tables.h"

#include <initializer_list>

namespace muster::cluster {
namespace {

// Priorities that share all but the one they fall to.
struct Group {
  int first;
  int last;
  int quantum;
  int slept;
  int maxwait;
  int lwait;
};

// Solaris 2's and its successors': config_ts_dptbl in uts/common/disp/ts_dptbl.c of OpenSolaris and illumos,
// the same in all their versions; `dispadmin -c TS -g` shows it. A process that has run through its
// quantum falls by ten, but not below 0.
constexpr std::initializer_list<Group> kSolarisGroups = {
    {0, 9, 20, 50, 0, 50},  {10, 19, 16, 51, 0, 51},   {20, 29, 12, 52, 0, 52},
    {30, 34, 8, 53, 0, 53}, {35, 39, 8, 54, 0, 54},    {40, 44, 4, 55, 0, 55},
    {45, 45, 4, 56, 0, 56}, {46, 46, 4, 57, 0, 57},    {47, 48, 4, 58, 0, 58},
    {49, 58, 4, 58, 0, 59}, {59, 59, 2, 59, 32000, 59}};

// System V Release 4's: the example of Solaris' ts_dptbl(4) and of Goodheart & Cox, "The Magic Garden
// Explained", 1994, chapter 4. Priority 23, which the manual page leaves out, is as its neighbours are.
DispatchTable svr4() {
  DispatchTable out{};
  for (int i = 0; i < kPriorities; ++i) {
    const int quantum = i < 10 ? 100 : i < 20 ? 80 : i < 30 ? 60 : i < 40 ? 40 : i < 50 ? 20 : 10;
    const int slept = i < 40 ? i + 10 : 50 + (i - 40) / 2;
    const int expired = i < 20 ? i / 2 : i - 10;
    out[static_cast<std::size_t>(i)] = {quantum, expired, slept, 5, slept};
  }
  return out;
}

DispatchTable solaris() {
  DispatchTable out{};
  for (const Group& group : kSolarisGroups) {
    for (int i = group.first; i <= group.last; ++i) {
      const int expired = i < 10 ? 0 : i - 10;
      out[static_cast<std::size_t>(i)] = {group.quantum, expired, group.slept, group.maxwait,
                                          group.lwait};
    }
  }
  return out;
}

}  // namespace

const DispatchTable& dispatch_table(Table table) {
  static const DispatchTable of_solaris = solaris();
  static const DispatchTable of_svr4 = svr4();
  return table == Table::kSolaris ? of_solaris : of_svr4;
}

}  // namespace muster::cluster
