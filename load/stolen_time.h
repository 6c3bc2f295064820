// Time that the host of a virtual machine took from its CPUs ("steal" in /proc/stat), and the gaps that it explains.
//
// A thread that misses time may have lost it to a competitor in this machine, or to the host. The host's share decides
// nothing here: no waiting is changed by it and no thread is moved, since the other CPUs are no better for it. So the
// time that was stolen from a CPU is an account, which gaps of threads on that CPU draw on. A gap is explained if what
// the account does not cover is shorter than the preemption threshold.
//
// What can be distinguished: over some tenths of a second, which part of the missing time the host took from each CPU,
// also where competitors took the remainder. Threads that missed the same time on one CPU draw on it once.
//
// What cannot:
// - A single short gap. The kernel reports steps of 10 ms, and the file is read every 10 ms at most. The first 10 to 20
//   ms that are stolen from a CPU look like a competitor's. Afterwards, as much of competitors' turns passes as stolen.
// - Which of the gaps between two readings of the file the host caused. They draw on the account in their order.
// - A host that reports nothing. Its gaps look like a competitor's. Containers may show a file of their own making.
//
// Cost: no read of the file, 15 us on two CPUs, if nothing was ever stolen from an allowed CPU, except one a second if
// there are gaps. Otherwise one read for a gap, at most every 10 ms, or every n ms on n CPUs: below 1 % of a thread.
//
// Not thread-safe: the load sensor calls it from one thread at a time. Times are ns of the caller's clock.
#pragma once

#include <cstdint>

#include "platform/affinity.h"
#include "platform/cpu_times.h"

namespace muster {

class StolenTime {
 public:
  static constexpr std::uint64_t kReadEveryNs = 10'000'000;
  static constexpr std::uint64_t kReadEveryNsForACpu = 1'000'000;
  static constexpr std::uint64_t kReadEveryNsWithoutAny = 1'000'000'000;

  // Sets the CPUs whose stolen time is totalled; before the first read.
  void begin(const AffinityMask& counted) { counted_ = counted; }

  // Reads the file.
  void read(Files how, const char* path, std::uint64_t now_ns);

  // Whether a gap is worth a read of the file.
  bool read_is_due(std::uint64_t now_ns) const {
    return read_ns_ == 0 || now_ns - read_ns_ >= read_every_ns_;
  }

  // The kernel reports stolen time; false before the first read.
  bool known() const { return known_; }
  // Some was stolen from a counted CPU since the machine started.
  bool any() const { return before_ns_ + total_ns_ != 0; }

  // Whether stolen time covers the gap of a thread on `cpu`, except for less than `tolerated_ns`.
  bool explains(unsigned cpu, std::uint64_t begin_ns, std::uint64_t end_ns,
                std::uint64_t tolerated_ns);

  std::uint64_t before_ns() const { return before_ns_; }  // stolen before the first read
  std::uint64_t total_ns() const { return total_ns_; }    // and since
  std::uint64_t gaps() const { return gaps_; }            // explained

 private:
  struct Account {
    std::uint64_t stolen_ns = 0;  // at the last read
    std::uint64_t left_ns = 0;    // that no gap has drawn
    std::uint64_t from_ns = 0;    // the last gap that drew
    std::uint64_t to_ns = 0;
    bool open = false;  // the CPU was in the file
  };

  // All that was stolen since the last read may explain the gap at hand. Later gaps may lack what was stolen after that
  // read, and up to a step before it: no more is left for them.
  std::uint64_t most_left_ns() const { return read_every_ns_ + kCpuTimesStepNs; }
  void credit(const CpuTimes& times, std::uint64_t most_ns);

  bool known_ = false;
  std::uint64_t read_ns_ = 0;
  std::uint64_t read_every_ns_ = kReadEveryNsWithoutAny;
  std::uint64_t before_ns_ = 0;
  std::uint64_t total_ns_ = 0;
  std::uint64_t gaps_ = 0;
  AffinityMask counted_{};
  Account accounts_[AffinityMask::kMaxCpus];
};

}  // namespace muster
