// Region folding: one real parallel region of the OpenMP runtime is kept open while the program goes
// through its serial parts, and the program's next regions run inside it. A fork is then a release of
// the fold's team, a join a gather. contract.h states what the program must not be
// able to observe; docs/understand/folding.md explains it.
//
// Each root thread has one of its own (root_fold.h). It is the fold's primary thread and the owner of
// all that is here; the others read `job_` after a release.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "platform/fp_control.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/folding/fold_budget.h"
#include "runtime-hooks/folding/fold_counts.h"
#include "runtime-hooks/runtimes/region_body.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// Where the program does something that the report may have to name.
struct CallSite {
  const char* symbol;
  const void* caller;
};

// A region that the calling thread begins.
struct RegionCall {
  Runtime& runtime;
  RegionBody body;
  CallSite site;
  unsigned asked_size = 0;  // by the call itself; 0: not
  bool has_clause = false;  // one that a fold cannot serve
};

class Fold {
 public:
  // The calling thread becomes its primary thread.
  void begin(ThreadState& state);

  // Runs the region in the fold, which is opened if it is time to. Otherwise returns the reason, and the real runtime
  // must fork the region.
  Unfolded run(const RegionCall& call);

  // The thread asks for its next region's size. True: the real runtime need not be told.
  bool keeps_size(const Runtime& runtime, abi::Ident* where, int size, CallSite site);
  // Its next region is a serialized one. What the runtime makes of a size asked for before depends on
  // its version, so the one after is left to it.
  void note_serialized() {
    if (next_.size != 0) next_ = {.clause = true};
  }
  // It asks for something else for its next region.
  void note_clause() { next_.clause = true; }
  // Code of a folded region changed a setting that the next regions must not see. Any thread.
  void note_setting() { setting_.store(true, std::memory_order_relaxed); }

  // Between two regions.
  void close(Closed reason, CallSite site);
  // The runtime whose region is open.
  const Runtime& runtime() const { return *runtime_; }
  // Whether a call is one of the runtime's own, which came back to us.
  bool is_call_of_runtime(const void* caller) const { return runtime_->contains(caller); }
  // What omp_get_max_threads() answers there.
  int serial_max_threads() const {
    if (is_lost()) return serial_max_;
    const int inner = runtime_->real.omp_get_max_threads();
    return inner == inner_max_ ? serial_max_ : inner;
  }

  // For another thread, which may be about to unload the runtime: it is kept until the fold is closed.
  void keep_runtime();
  // It has been unloaded all the same, unseen, and what is open cannot be closed any more. The fold's own
  // threads wait in it for ever, so its primary takes another one, which counts on from here.
  bool is_lost() const { return !runtime_->is_still(runtime_load_); }
  bool is_given_up() const { return is_given_up_; }
  void counts_on_from(const Fold* lost) { lost_ = lost; }

  // Its thread ends, and with it the fold that is open.
  void end();
  // It may be ending: what is open stays so, and once closed is not opened again. What held before is
  // returned.
  bool open_no_more(bool is_ending = true) { return std::exchange(is_ending_, is_ending); }
  // In the child of a fork. The fold's threads are no more.
  void forget();

  // For any thread, to which it may be old news.
  bool is_open() const;
  // Adds what was counted here. For any thread.
  void add_to(FoldCounts& sum) const;

 private:
  // What a release hands out, and the word that says so, on one line.
  struct alignas(kCoherenceGranule) Job {
    RegionRecord body;
    FpControl fp;
    bool leave = false;
    Team::Announcement announced{kNoEpisode};
  };
  static_assert(offsetof(Job, announced) + sizeof(Team::Announcement) <= 64);

  // The thread's next region, as entry points before it have arranged.
  struct Next {
    bool clause = false;
    int size = 0;                 // 0: none was asked for
    abi::Ident* where = nullptr;  // of that
    bool runtime_knows = true;
  };

  bool closed_for(const RegionCall& call, unsigned asked, bool clause);
  // kNone: it may, it is.
  Unfolded may_open(const RegionCall& call, unsigned asked, bool clause);
  Unfolded open(const RegionCall& call, unsigned asked);
  void run_open(const RegionBody& body);
  void give_up();
  void dismiss();
  void join_for_real();
  void finish_tasks(Frame& frame) const;
  static void work(void* fold);
  void work_with(ThreadState& state);
  void run_worker_loop(ThreadState& state, Frame& frame, abi::GlobalThread global);
  void note(const char* reason, bool closed, CallSite site);
  static void push_size(const RealFunctions& real, const Next& next);
  // Of the contract (contract.h).
  bool is_in_serial_part() const;
  bool is_member(const ThreadState& state, const Frame& frame) const;

  Job job_;
  // Read by all its threads.
  Runtime* runtime_ = nullptr;
  unsigned runtime_load_ = 0;
  Team* team_ = nullptr;
  std::atomic<bool> setting_{false};

  // The primary thread's alone, and written by it in each region: no other thread reads its lines.
  alignas(kCoherenceGranule) Frame frame_;
  ThreadState* state_ = nullptr;
  abi::GlobalThread global_ = 0;
  unsigned wanted_size_ = 0;  // what was asked for, or else the setting
  int serial_max_ = 1;
  // The same as the runtime has it inside the fold. Who calls the runtime's own
  // omp_set_num_threads(), by an address from dlsym(), is not seen but for this.
  int inner_max_ = 1;
  unsigned long regions_ = 0;
  Next next_;
  FoldBudget budget_;
  bool is_given_up_ = false;
  const Fold* lost_ = nullptr;       // this thread's before it
  bool gone_ = false;                // this is a child process by now, without the team
  const void* opened_by_ = nullptr;  // the thread; this and the tasks are for the contract
  std::uint64_t opened_in_ = 0;
  std::uint64_t implicit_task_ = 0;
  bool end_is_watched_ = false;
  bool is_ending_ = false;

  std::atomic<void*> kept_runtime_{nullptr};

  Tally opened_;
  Tally closed_[kClosedReasons];
  FoldSite sites_[kMaxFoldSites];
  std::atomic<unsigned> site_count_{0};
};

}  // namespace muster
