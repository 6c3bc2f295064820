// Whose turn it is: a pure function of the members that are at work and of the number of the turn, which is the time
// divided by the length of a turn. Processes that see the same members come to the same result, so nobody is asked and
// nothing is handed over.
//
// The members form a ring, in the order of their records. A turn begins at one member and takes in the ring's order all
// whose CPUs fit beside those taken before. The next turn begins as many members further on as fit on average, so that
// in the long run equal members have equal shares, no CPU that a member could use stays empty, and every member, however
// large, is the first of a turn.
//
// Members fit by the CPUs that they may use. Each takes its share evenly from what is left of its set.
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
    members_[count_++] = {set, wants < most ? static_cast<unsigned>(wants) : most, works};
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
    begin_turn();
    unsigned at = static_cast<unsigned>(turn % count_ * members_a_turn() % count_);
    for (unsigned step = 0; step < count_; ++step) {
      if (at == me) left_before_ = left_;
      const bool taken = members_[at].works && take(members_[at]);
      if (at == me) return taken;
      at = at + 1 < count_ ? at + 1 : 0;
    }
    return true;
  }

  // If all have the same set: the CPUs that were taken before the member of the last is_on().
  unsigned cpus_before() const { return cpus_[0].count() - left_before_; }

 private:
  struct Member {
    unsigned set = 0;
    unsigned wants = 0;
    bool works = false;
  };
  static constexpr unsigned kWhole = 1000;  // of a CPU

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
  unsigned left_before_ = 0;
  Member members_[kMostMembers] = {};
  CpuSet cpus_[kMostSets] = {};
  unsigned short left_of_[CpuSet::kMostCpus] = {};
};

}  // namespace muster
