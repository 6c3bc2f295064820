// Region folding: one real parallel region of the OpenMP runtime stays open while the program runs its serial parts,
// and the program's next regions run inside it. A fork is then a release of the fold's team, and a join is a gather.
// contract.h states what keeps this invisible, docs/understand/folding.md explains it.
//
// Each root thread has its own fold (root_fold.h). It is the fold's primary thread and owns all data here; the other
// threads read `job_` after a release.
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
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

// A region that the calling thread begins.
struct RegionCall {
  Runtime& runtime;
  RegionBody body;
  CallSite site;
  unsigned asked_size = 0;   // by the call; 0: it requests no size
  bool has_clause = false;   // one that a folded region cannot have
  bool is_combined = false;  // begins with a worksharing construct (combined_region.h)
};

class Fold {
 public:
  // The calling thread becomes its primary thread.
  void begin(ThreadState& state);

  // Runs the region in the fold, which is opened if it is time to. Otherwise returns the reason, and the real runtime
  // must fork the region.
  Unfolded run(const RegionCall& call);

  // The thread requests a size for its next region. True: the request is not passed to the runtime.
  bool keeps_size(const Runtime& runtime, abi::Ident* where, int size, CallSite site);
  // The thread's next region is serialized. Whether a size that was requested before is used for that region depends
  // on the runtime's version, so the region after it is not folded.
  void note_serialized() {
    if (next_.size != 0) next_ = {.clause = true};
  }
  // The thread requests another clause for its next region.
  void note_clause() { next_.clause = true; }
  // Code of a folded region changed a setting, which the fold would carry into later regions. Called by any thread.
  void note_setting() { setting_.store(true, std::memory_order_relaxed); }

  // Closes the fold, between two regions.
  void close(Closed reason, CallSite site);
  // In an inactive region: closes the fold, and has the runtime begin the region.
  void begin_in_runtime(Closed reason, CallSite site);
  // The runtime whose region is open.
  const Runtime& runtime() const { return *runtime_; }
  // Whether the runtime itself makes a call that reaches Muster.
  bool is_call_of_runtime(const void* caller) const { return runtime_->contains(caller); }
  // The result of omp_get_max_threads() between two regions, or in an inactive region, which is at the open region's
  // level.
  int serial_max_threads() const {
    if (is_lost()) return serial_max_;
    const int inner = runtime_->real.omp_get_max_threads();
    return inner == inner_max_ && in_serial_part() ? serial_max_ : inner;
  }

  // Called by another thread that may be about to unload the runtime: keeps it loaded until the fold is closed.
  void keep_runtime();
  // The runtime was unloaded nevertheless, unnoticed, and the open region can no longer be closed. The fold's other
  // threads wait in it for the rest of the process, and its primary gets another fold, which continues its counts.
  bool is_lost() const { return !runtime_->is_still(runtime_load_); }
  bool is_given_up() const { return is_given_up_; }
  void counts_on_from(const Fold* lost) { lost_ = lost; }

  // Closes the open fold because its thread ends.
  void end();
  // The thread may be ending: an open fold stays open, but once closed is not opened again. Returns the previous value.
  bool open_no_more(bool is_ending = true) { return std::exchange(is_ending_, is_ending); }
  // In the child of a fork, where the fold's threads do not exist.
  void forget();

  // For any thread. The answer may be out of date.
  bool is_open() const;
  // Adds the counts of this fold. For any thread.
  void add_to(FoldCounts& sum) const;

 private:
  // What a release publishes, and the word that announces it, on one cache line.
  struct alignas(kCoherenceGranule) Job {
    RegionRecord body;
    FpControl fp;
    bool leave = false;
    Team::Announcement announced{kNoEpisode};
  };
  static_assert(offsetof(Job, announced) + sizeof(Team::Announcement) <= 64);

  // What entry points requested for the thread's next region.
  struct Next {
    bool clause = false;
    int size = 0;                 // 0: none was requested
    abi::Ident* where = nullptr;  // where the size was requested
    bool runtime_knows = true;
  };

  bool is_inactive(const RegionCall& call, unsigned asked, bool clause) const;
  void run_inactive(const RegionBody& body);
  void end_inactive();
  void end_in_runtime(Runtime& runtime);
  bool closed_for(const RegionCall& call, unsigned asked, bool clause);
  // kFolded: it may, it is.
  Unfolded may_open(const RegionCall& call, unsigned asked, bool clause);
  Unfolded open(const RegionCall& call, unsigned asked);
  void run_open(const RegionCall& call);
  void give_up();
  void dismiss();
  void join_for_real();
  void finish_tasks(Frame& frame) const;
  static void work(void* fold);
  void work_with(ThreadState& state);
  void run_worker_loop(ThreadState& state, Frame& frame, abi::GlobalThread global);
  void note(const char* reason, bool closed, CallSite site);
  static void push_size(const RealFunctions& real, const Next& next);
  // Checks of the contract (contract.h).
  bool is_in_serial_part() const;
  bool is_between_regions() const;
  bool is_member(const ThreadState& state, const Frame& frame) const;

  Job job_;
  // Read by all its threads.
  Runtime* runtime_ = nullptr;
  unsigned runtime_load_ = 0;
  Team* team_ = nullptr;
  std::atomic<bool> setting_{false};

  // Used by the primary thread only, which writes it in each region: no other thread reads these cache lines.
  alignas(kCoherenceGranule) Frame frame_;
  ThreadState* state_ = nullptr;
  abi::GlobalThread global_ = 0;
  unsigned wanted_size_ = 0;  // the requested size, or else the setting
  int serial_max_ = 1;
  // The same setting inside the fold. It shows a call of the runtime's own omp_set_num_threads() at an address from
  // dlsym(), which does not reach Muster.
  int inner_max_ = 1;
  unsigned long regions_ = 0;
  Next next_;
  FoldBudget budget_;
  Frame inactive_;             // of the inactive region
  bool is_made_real_ = false;  // the same
  bool is_given_up_ = false;
  const Fold* lost_ = nullptr;       // this thread's previous one
  bool gone_ = false;                // this is a child process, without the team
  const void* opened_by_ = nullptr;  // the thread; this and the tasks are for checks
  std::uint64_t opened_in_ = 0;
  std::uint64_t implicit_task_ = 0;
  bool end_is_registered_ = false;
  bool is_ending_ = false;

  std::atomic<void*> kept_runtime_{nullptr};

  Tally opened_;
  Tally closed_[kClosedReasons];
  FoldSite sites_[kMaxFoldSites];
  std::atomic<unsigned> site_count_{0};
};

}  // namespace muster
