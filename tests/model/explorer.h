// Every state that a program can get into, depth first, each visited once.
//
// What is skipped, and why nothing is missed:
// - A state consists of words, views, plain memory and, for each thread, a hash of all that it has read since it last
//   stood between two barriers, where its registers and stack hold nothing that its position does not imply. Messages
//   that no thread can read any more are dropped.
// - A poll that reads again what it read is no step. A thread whose loop has seen all its words goes on when there is
//   something newer, or when the loop ends by itself; a loop that runs 2,000 times has no end. This assumes that a loop
//   of polls only counts its rounds. Polls as awaits: Oberhauser et al., VSync (ASPLOS 2021).
// - A weak compare-and-swap that failed for no reason and comes back to itself has changed nothing.
// - Steps that no other thread can observe are taken at once: a load of a word that only this thread writes, a store to
//   such a word, a light fence where there is no heavy one. That no other thread writes a word is assumed until one
//   does; then the exploration starts anew without the assumption.
//
// WaitStats, and what a policy keeps in ordinary atomics, are no part of the state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/model/world.h"

namespace muster::model {

// A program to be checked: made anew for each exploration.
class Program {
 public:
  virtual ~Program() = default;
  virtual unsigned threads() const = 0;
  virtual void thread(unsigned me) = 0;
  // At the end of one execution: what the litmus tests note.
  virtual void ended() {}
};
using MakeProgram = std::function<std::unique_ptr<Program>()>;

struct Settings {
  unsigned threads = 2;
  Fences fences = Fences::kAsymmetric;
  Mutation mutation;
  unsigned wakes_for_nothing = 1;          // of each thread
  bool takes_lonely_steps = true;          // at once; else in any order, as all others
  std::uint8_t stale = kUnlimited;         // stale reads in an execution, at most
  std::uint64_t most_states = 50'000'000;  // then the exploration is given up
  std::uint64_t seed = 0;  // of the order in which choices are taken; 0: as they come
  std::size_t longest = ~std::size_t{0};  // choices of an execution; what is beyond is left out
};

struct Report {
  Fault fault = Fault::kNone;
  std::string text;
  std::vector<std::string> trace;
  std::uint64_t states = 0;  // distinct
  std::uint64_t transitions = 0;
  std::uint64_t ends = 0;  // distinct states in which all threads are done
  std::size_t longest = 0;
  std::vector<std::uint16_t> sites;  // that were met
  bool complete = true;              // all states, or up to the first fault
};

Report explore(const Settings& settings, const MakeProgram& make);

// Where `report` is of a fault: the shortest trace that some searches in other orders come upon.
Report shortened(Report report, Settings settings, const MakeProgram& make);

}  // namespace muster::model
