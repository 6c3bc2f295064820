// The contract of region folding: what makes it that a program cannot tell. Each clause is checked where it could be
// broken if Muster is built with MUSTER_CHECKED (on in debug builds; libmuster_checked.so, with which the tests run).
//
// A fold is one real region that stays open. Where it may be opened: kRoot, kInitialTask, kPlain. A context that
// cannot be named is refused, and the region is the runtime's.
//
// What may run while it is open, between two regions (kSerial): the program's serial code in the thread that opened
// it, and of the runtime what harmless.txt lists. Every other entry point closes it first or is answered by Muster; so
// the runtime calls nothing of the program's with a fold open: a task, a target region, a constructor (RuntimeCall).
// The other threads wait in Muster. In a folded region everything is the runtime's, for each thread in its place
// (kMember), and what the region leaves behind is what it found (kBalanced).
//
// Who closes it: the thread that opened it, in the task that did, between two regions (kSerial, kClosed): at a call that
// asks for it, at the end of a region that asks for it, before a fork (kForked), at the thread's end (kEnded).
//
// What the program could observe while it is open: threads that wait elsewhere than in the runtime; of the runtime's own
// functions, called by an address from its handle, the level and size of the open region; its own stack and registers
// as they are without. Nothing of the fold lies on the program's stack between two regions.
#pragma once

namespace muster {

#define MUSTER_FOLDING_CLAUSES(X)                                                                  \
  X(kRoot, "a fold is opened by a root thread at level 0, outside of any region")                  \
  X(kInitialTask, "a fold is opened in the thread's initial implicit task, in no runtime call")    \
  X(kPlain, "a fold is opened for a plain region of 2 to 1024 threads, by a thread that goes on")  \
  X(kSerial, "between two regions a fold's primary is alone in the fold's implicit task, level 1") \
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

// Ends the process, with a line that names the clause.
[[noreturn]] void broken(FoldingClause clause);

}  // namespace muster

// In source files only: headers are common to libraries that are checked and not.
#define MUSTER_CHECK(clause, condition)                                                       \
  do {                                                                                        \
    if (::muster::kFoldingIsChecked && !(condition)) ::muster::broken(FoldingClause::clause); \
  } while (false)
