// Jobs that wait as the stock runtimes do, modelled from their sources as they are documented there; no code
// of theirs. What they do besides waiting (tasks, cancellation, tools) is left out.
//
// libomp (LLVM, openmp/runtime/src; read in a snapshot whose release was not told)
//   Barrier  kmp_barrier.cpp, the "hyper" one with branch factor 4 both ways, the default for plain barriers:
//            a thread that ends a group of its level tells its parent and waits for its own go flag; else it
//            waits for its children one after another. The go flags are set down the same tree, the farthest
//            first. Each flag is waited for, and its one sleeper woken, by itself.
//   Waiting  kmp_wait_release.h, __kmp_wait_template; kmp.h, KMP_YIELD_OVERSUB_ELSE_SPIN, KMP_INIT_WAIT,
//            KMP_NEXT_WAIT, KMP_DEFAULT_BLOCKTIME. Look, pause, and sched_yield each time if the process has
//            more threads than processors; else after 512 looks and from then on after 256. After
//            KMP_BLOCKTIME, 200 ms by default, on the thread's own condition variable. Passive
//            (OMP_WAIT_POLICY): a block time of 0, so one look, one pause or yield, and sleep.
//
// libgomp (GCC, libgomp; the same)
//   Barrier  config/linux/bar.c: one counter; the last to come raises the generation, which all wait for, and
//            wakes all by one futex call, made whether or not anybody sleeps.
//   Waiting  config/linux/wait.h, do_spin; env.c. 300,000 looks with a pause after each; 100 if the process
//            has more threads than processors (1,000 is for OMP_WAIT_POLICY=active); none when passive. Then
//            futex_wait.
#pragma once

#include <memory>
#include <string_view>

#include "sim/smp/costs.h"
#include "sim/smp/jobs.h"

namespace muster::smp {

inline constexpr const char* kStockPolicies = "libomp, libomp-passive, libgomp, libgomp-passive";

bool is_stock_policy(std::string_view policy);

// Times in ns. The plan's policy is one of them, else throws std::invalid_argument.
std::unique_ptr<Job> make_stock(const JobPlan& plan, unsigned number, const Costs& costs,
                                unsigned processors);

}  // namespace muster::smp
