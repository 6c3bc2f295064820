// Every reachable state of a program, depth first, each visited once.
//
// What is skipped, and why nothing is missed:
// - A state consists of words, views, plain memory and, for each thread, a hash of all that it has read since it was
//   last between two barriers. There its registers and stack hold nothing that its position does not imply. Messages
//   that no thread can read any more are dropped.
// - A poll that reads the same value again is not a step. A thread whose loop has seen all its words continues when
//   there is a newer value, or when the loop ends by itself; a loop of 2,000 rounds counts as endless. This assumes
//   that a loop of polls only counts its rounds. Polls as awaits: Oberhauser et al., VSync (ASPLOS 2021).
// - A weak compare-and-swap that failed spuriously and is executed again has changed nothing.
// - Steps that no other thread can observe are taken at once: a load of a word that only this thread writes, a store to
//   such a word, a light fence if there is no heavy one. That no other thread writes a word is assumed until one does;
//   then the exploration starts again without the assumption.
//
// WaitStats, and a policy's state in ordinary atomics, are not part of the state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/model/world.h"

namespace muster::model {

// A program to be checked; a new one for each exploration.
class Program {
 public:
  virtual ~Program() = default;
  virtual unsigned threads() const = 0;
  virtual void thread(unsigned me) = 0;
  // At the end of one execution: for the litmus tests.
  virtual void ended() {}
};
using MakeProgram = std::function<std::unique_ptr<Program>()>;

struct Settings {
  unsigned threads = 2;
  Fences fences = Fences::kAsymmetric;
  Mutation mutation;
  unsigned wakes_for_nothing = 1;          // spurious wake-ups of each thread
  bool takes_lonely_steps = true;          // at once; otherwise in any order, like all others
  std::uint8_t stale = kUnlimited;         // stale reads in an execution, at most
  std::uint64_t most_states = 50'000'000;  // then the exploration is aborted
  std::uint64_t seed = 0;                 // of the order in which choices are taken; 0: in sequence
  std::size_t longest = ~std::size_t{0};  // choices of an execution; longer ones are left out
};

struct Report {
  Fault fault = Fault::kNone;
  std::string text;
  std::vector<std::string> trace;
  std::uint64_t states = 0;  // distinct
  std::uint64_t transitions = 0;
  std::uint64_t ends = 0;  // distinct states in which all threads are done
  std::size_t longest = 0;
  std::vector<std::uint16_t> sites;  // that were executed
  bool complete = true;              // all states, or up to the first fault
};

Report explore(const Settings& settings, const MakeProgram& make);

// For a `report` with a fault: the shortest trace that some searches in other orders find.
Report shortened(Report report, Settings settings, const MakeProgram& make);

}  // namespace muster::model
