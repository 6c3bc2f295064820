// The contract of region folding, which keeps it invisible to programs. If Muster is built with MUSTER_CHECKED, each
// clause is checked where it could be violated (on in debug builds, and in libmuster_checked.so, with which the tests
// run).
//
// A fold is one real region that stays open. It may be opened where kRoot, kInitialTask and kPlain hold. In any other
// context the runtime forks the region.
//
// Between two regions of an open fold (kSerial) run: the program's serial code, in the thread that opened it, and the
// runtime's functions in harmless.txt. Every other entry point closes the fold first or is answered by Muster. So the
// runtime runs none of the program's code while a fold is open: no task, target region or constructor (RuntimeCall).
// The other threads wait in Muster. An inactive region of the program (one of one thread) runs there as well, without
// the runtime (kInactive): the same functions are harmless in it, and every other entry point that Muster does not answer
// closes the fold and has the runtime begin the region (Fold::begin_in_runtime). A folded region runs in the runtime's real
// region, each thread in its place (kMember), and leaves the state that it found (kBalanced).
//
// A fold is closed by the thread that opened it, in the same task, between two regions (kSerial, kClosed): at a call
// that requires it, at the end of a region that requires it, before a fork (kForked), at the end of the thread
// (kEnded).
//
// What a program could observe while a fold is open: threads that wait outside the runtime; and, from the runtime's own
// functions at addresses from its handle, the level and size of the open region. Its stack and registers are as without
// Muster: between two regions, nothing of the fold is on the program's stack.
#pragma once

namespace muster {

#define MUSTER_FOLDING_CLAUSES(X)                                                                  \
  X(kRoot, "a fold is opened by a root thread at level 0, outside of any region")                  \
  X(kInitialTask, "a fold is opened in the thread's initial implicit task, in no runtime call")    \
  X(kPlain, "a fold is opened for a plain region of 2 to 1024 threads, by a thread that goes on")  \
  X(kSerial, "between two regions a fold's primary is alone in the fold's implicit task, level 1") \
  X(kInactive, "an inactive region begins and ends like the serial part around it, or made real")  \
  X(kMember, "a thread of a folded region has the number and the size that it joined with")        \
  X(kBalanced, "a folded region ends in the frame and the task that it began in")                  \
  X(kClosed, "a fold that is closed leaves its thread at level 0, in the task that opened it")     \
  X(kForked, "a process forks with the forking thread's fold closed or in a region of it")         \
  X(kEnded, "a thread ends with its fold closed")

enum class FoldingClause {
#define MUSTER_ENUMERATOR(symbol, text) symbol,
  MUSTER_FOLDING_CLAUSES(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

#ifdef MUSTER_CHECKED
inline constexpr bool kFoldingIsChecked = true;
#else
inline constexpr bool kFoldingIsChecked = false;
#endif

// Aborts the process after a line that names the clause.
[[noreturn]] void broken(FoldingClause clause);

}  // namespace muster

// In source files only: libraries with and without checks share the headers.
#define MUSTER_CHECK(clause, condition)                                                       \
  do {                                                                                        \
    if (::muster::kFoldingIsChecked && !(condition)) ::muster::broken(FoldingClause::clause); \
  } while (false)
