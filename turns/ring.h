// Whose turn it is: a pure function of the members that are at work and of the number of the turn, which is the time
// divided by the length of a turn. Processes that see the same members come to the same result, so nobody is asked and
// nothing is handed over.
//
// Members that all may use the same CPUs form a matrix (Ousterhout 1982): packed into rows, each in columns of its own.
// Larger members come first, each into the first row with room for it: teams of mixed sizes then need few rows. Rows
// have turns one after another. In the rest of a row other members have a turn, too, if their columns are free there.
// Columns stay the same for a while, because a thread that changes its CPU gets in others' way; then, if some had more
// turns by this, members of one size change places, so that they have equal shares.
//
// Members whose CPUs differ form a ring: a turn begins at one of them and takes in the ring's order all whose CPUs fit
// beside those taken before. Each takes its share evenly from what is left of its set. The next turn begins as many
// further on as fit on average.
#pragma once

#include <cstdint>
#include <numeric>

#include "turns/cpu_set.h"

namespace muster {

class TurnRing {
 public:
  static constexpr unsigned kMostMembers = 340;
  static constexpr unsigned kMostSets = 64;  // of CPUs that differ

  void clear() { count_ = sets_ = 0; }
  bool is_of_one_set() const { return sets_ == 1; }
  unsigned count() const { return count_; }

  // Adds the next member of the ring; false, without effect, if it is none that can be counted: no CPUs, or there are
  // too many different sets. A member that is not at work keeps its place: otherwise two processes that see one member
  // more or less would come to quite different turns.
  bool add(std::uint64_t wants, const CpuSet& cpus, bool works = true) {
    const unsigned most = cpus.count();
    if (wants == 0 || most == 0 || count_ == kMostMembers) return false;
    unsigned set = 0;
    while (set < sets_ && !(cpus_[set] == cpus)) ++set;
    if (set == kMostSets) return false;
    if (set == sets_) cpus_[sets_++] = cpus;
    members_[count_] = {set, wants < most ? static_cast<unsigned>(wants) : most, works};
    unsigned place = count_;
    for (; place > 0 && members_[by_size_[place - 1]].wants < members_[count_].wants; --place)
      by_size_[place] = by_size_[place - 1];
    by_size_[place] = static_cast<unsigned short>(count_++);
    return true;
  }

  // Whether all fit at once: then nobody has to wait.
  bool all_fit() {
    begin_turn();
    for (unsigned i = 0; i < count_; ++i) {
      if (members_[i].works && !take(members_[i])) return false;
    }
    return true;
  }

  // Whether that member has that turn.
  bool is_on(unsigned me, std::uint64_t turn) {
    if (me >= count_) return true;
    return sets_ == 1 ? is_on_in_matrix(me, turn) : is_on_in_ring(me, turn);
  }

  // After is_on() of that member, if all have the same set: where its CPUs begin in that turn, counted within the set.
  unsigned column(unsigned me) const { return members_[me].column; }

 private:
  struct Member {
    unsigned set = 0;
    unsigned wants = 0;
    bool works = false;
    unsigned row = 0;
    unsigned column = 0;
  };
  static constexpr unsigned kWhole = 1000;  // of a CPU

  // How many times each row has a turn before the packing changes. Assumed.
  static constexpr unsigned kRounds = 2;

  bool is_on_in_matrix(unsigned me, std::uint64_t turn) {
    const unsigned rows = pack(0);
    const std::uint64_t epoch = is_even_ ? 0 : turn / (std::uint64_t{kRounds} * rows);
    if (epoch != 0) pack(epoch);
    const auto row = static_cast<unsigned>(turn % rows);
    for (unsigned short& used : left_of_) used = 0;
    for (unsigned i = 0; i < count_; ++i) {
      if (members_[i].row == row && members_[i].works) use_columns(members_[i]);
    }
    if (members_[me].row == row) return true;
    for (unsigned i = 0; i < count_; ++i) {
      const unsigned at = packed_[i];
      if (members_[at].row == row || !members_[at].works) continue;
      const bool free = use_columns(members_[at]);
      if (at == me) return free;
    }
    return false;
  }

  // The number of rows, the same in every epoch. First fit by decreasing size (Johnson 1973).
  unsigned pack(std::uint64_t epoch) {
    const unsigned cpus = cpus_[0].count();
    const unsigned smallest = members_[by_size_[count_ - 1]].wants;
    unsigned rows = 0;
    unsigned open = 0;  // the first row that is not full
    unsigned last_column = 0;
    for (unsigned at = 0; at < count_;) {
      const unsigned size = members_[by_size_[at]].wants;
      unsigned equal = 1;
      while (at + equal < count_ && members_[by_size_[at + equal]].wants == size) ++equal;
      const auto first = static_cast<unsigned>(epoch % equal);
      for (unsigned i = 0; i < equal; ++i) {
        while (open < rows && used_of_[open] + smallest > cpus) ++open;
        unsigned row = open;
        while (row < rows && used_of_[row] + size > cpus) ++row;
        if (row == rows) used_of_[rows++] = 0;
        packed_[at + i] = by_size_[at + (first + i) % equal];
        Member& member = members_[packed_[at + i]];
        member.row = row;
        member.column = used_of_[row];
        if (last_column < member.column) last_column = member.column;
        used_of_[row] = static_cast<unsigned short>(used_of_[row] + size);
      }
      at += equal;
    }
    is_even_ = true;
    for (unsigned row = 0; row < rows; ++row) is_even_ = is_even_ && last_column < used_of_[row];
    return rows;
  }

  // False, without effect, if one of them is used.
  bool use_columns(const Member& member) {
    unsigned short* const begin = left_of_ + member.column;
    for (unsigned i = 0; i < member.wants; ++i) {
      if (begin[i] != 0) return false;
    }
    for (unsigned i = 0; i < member.wants; ++i) begin[i] = 1;
    return true;
  }

  bool is_on_in_ring(unsigned me, std::uint64_t turn) {
    begin_turn();
    unsigned at = static_cast<unsigned>(turn % count_ * members_a_turn() % count_);
    for (unsigned step = 0; step < count_; ++step) {
      const bool taken = members_[at].works && take(members_[at]);
      if (at == me) return taken;
      at = at + 1 < count_ ? at + 1 : 0;
    }
    return true;
  }

  // How many fit on average, at least one, and so that every member begins a turn.
  unsigned members_a_turn() const {
    std::uint64_t wanted = 0;
    CpuSet all;
    for (unsigned i = 0; i < count_; ++i) wanted += members_[i].wants;
    for (unsigned set = 0; set < sets_; ++set) {
      for (unsigned i = 0; i < CpuSet::kWords; ++i) all.words[i] |= cpus_[set].words[i];
    }
    auto step = static_cast<unsigned>(std::uint64_t{count_} * all.count() / wanted);
    while (step > 1 && std::gcd(step, count_) != 1) --step;
    return step == 0 ? 1 : step;
  }

  void begin_turn() {
    if (sets_ == 1) {
      left_ = cpus_[0].count();
      return;
    }
    for (unsigned short& left : left_of_) left = kWhole;
  }

  bool take(const Member& member) {
    if (sets_ == 1) {  // the usual case needs no count for each CPU
      if (member.wants > left_) return false;
      left_ -= member.wants;
      return true;
    }
    const CpuSet& cpus = cpus_[member.set];
    unsigned free = 0;
    cpus.for_each([&](unsigned cpu) { free += left_of_[cpu]; });
    const unsigned needed = kWhole * member.wants;
    if (free < needed) return false;
    cpus.for_each([&](unsigned cpu) {
      const auto part = (std::uint64_t{left_of_[cpu]} * needed + free - 1) / free;
      left_of_[cpu] = static_cast<unsigned short>(left_of_[cpu] - part);
    });
    return true;
  }

  unsigned count_ = 0;
  unsigned sets_ = 0;
  unsigned left_ = 0;
  bool is_even_ = false;  // nobody fits into what another row leaves free
  Member members_[kMostMembers] = {};
  unsigned short by_size_[kMostMembers] = {};  // members, the largest first
  unsigned short packed_[kMostMembers] = {};   // the same, in the order of this epoch
  unsigned short used_of_[kMostMembers] = {};  // columns of each row
  CpuSet cpus_[kMostSets] = {};
  unsigned short left_of_[CpuSet::kMostCpus] =
      {};  // thousandths of each CPU, or whether a column is used
};

}  // namespace muster
