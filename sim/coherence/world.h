// The simulated machine at work: threads on processors, one each, and the lines that they take from each
// other. Discrete events in the order of their times: a thread runs ahead on its own, but for each access
// to shared memory it waits until nothing earlier is left to happen.
//
// What is modelled: which node has which line (MESI, lines.h), one change of hands of a line at a time and the
// others in line behind it, latencies by distance, the bus, ports and links that requests and lines
// occupy, store queues, reservations that any other writer of the line takes away. What is not:
// instructions but for those at shared words, capacity and associativity of caches (a barrier's state
// is small), prefetchers, speculation, several threads on a processor.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "sim/coherence/counts.h"
#include "sim/coherence/lines.h"
#include "sim/coherence/machine.h"
#include "sim/fibers.h"
#include "waiting/random.h"

namespace muster::coherence {

class World {
 public:
  // Writes a queued store's value where it belongs.
  using Write = void (*)(void* address, std::uint64_t value);

  World(const Machine& machine, unsigned threads, std::uint64_t seed = 1);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // body(thread number) on each processor, until all have returned. Throws std::runtime_error when all
  // of them wait for something that no thread does.
  void run(const std::function<void(unsigned)>& body);

  // Threads that spin pass over the polls that would find nothing new. Off for policies that count
  // polls or read the clock.
  void pass_over_polls(bool on) { passes_over_polls_ = on; }

  const Machine& machine() const { return machine_; }
  const Counts& counts(unsigned thread) const { return threads_[thread].counts; }
  // For how many cycles the links of each level were occupied, and the busiest of each; last the
  // address bus, or the homes.
  struct Occupancy {
    std::string name;
    Cycles sum = 0;
    Cycles most = 0;
    std::size_t links = 0;
  };
  std::vector<Occupancy> occupancies() const;

  // The rest is for bodies and the Memory that they use (simulated_memory.h).

  unsigned running() const { return running_; }
  Cycles now() const { return threads_[running_].now; }
  void pass(Cycles cycles) { threads_[running_].now += cycles; }

  // After it, the word can be read. True: the thread itself has stored `value` there, which the others
  // do not see yet.
  bool load(const void* address, std::uint64_t& value);
  void store(void* address, std::uint64_t value, Write write);
  // After it, the word can be read and written; then written() has to be called.
  void begin_update(const void* address);
  // Load-linked: after it, the word can be read. Store-conditional: if true, it can be written, and
  // written() has to be called.
  void reserve(const void* address);
  bool conditional(const void* address);
  void written(const void* address);
  void count_failed_compare() { ++me().counts.compare_fails; }
  void prefetch_to_write(const void* address);
  void fence();            // the thread's own stores take effect
  void fence_everybody();  // and all others'
  void delay(Cycles cycles);
  // Sleeps until a thread wakes the word's sleepers or the time is over.
  void sleep(const void* word, Cycles at_most);
  void wake(const void* word);

 private:
  struct QueuedStore {
    void* address;
    std::uint64_t value;
    Write write;
    Line* line;
    bool requested = false;
  };

  // What a spinning thread looks at, over and over.
  struct Poll {
    const void* address;
    Line* line;
    std::uint64_t version;
    Cycles at;
  };
  static constexpr unsigned kPollsKept = 9;

  // Lines that a processor uses one after the other.
  struct Stream {
    std::uintptr_t last = 0;
    std::intptr_t step = 0;  // 0: of one line only, so far
    unsigned ahead = 0;      // lines after `last` that have been asked for
    std::uint64_t used = 0;
  };

  struct Thread {
    unsigned core = 0;
    unsigned node = 0;
    Cycles now = 0;
    bool waits_for_drain = false;
    bool waits_for_space = false;
    bool commit_is_due = false;
    Line* reservation = nullptr;
    bool conditional_failed = false;
    std::deque<QueuedStore> stores;
    Poll polls[kPollsKept];
    unsigned polls_kept = 0;  // since it last did anything else
    std::vector<Stream> streams;
    std::uintptr_t last_line = 0;
    Cycles period = 0;  // of the loop that it spins in, while it does
    std::uint64_t ticket = 0;
    const void* asleep_on = nullptr;
    Counts counts;
  };

  enum class Kind : std::uint8_t { kRun, kTimeout, kGrant, kCommit, kRetry };
  struct Event {
    Cycles at;
    std::uint64_t order;
    Kind kind;
    Request request;
    Line* line;
    std::uint64_t ticket;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  Thread& me() { return threads_[running_]; }
  Line& line_of(const void* address);
  void schedule(Cycles at, Kind kind, const Request& request, Line* line = nullptr,
                std::uint64_t ticket = 0);
  void take(const Event& event);
  void resume(Thread& thread);
  void resume_at(unsigned thread, Cycles at);
  void wait_for_turn();
  void wait_for_drain();

  bool holds(const Thread& thread, const Line& line) const { return line.holders[thread.node]; }
  bool hits(const Thread& thread, const Line& line) const;
  void fetch(Line& line, bool own, Purpose purpose);
  void follow_streams(Thread& thread, const Line& line);
  void prefetch(Thread& thread, std::uintptr_t number);

  bool is_settled(const Line& line, const Request& request) const;
  void settle(Line& line, const Request& request);
  bool has_to_wait(const Line& line, const Request& request) const;
  void ask(Line& line, const Request& request);
  void ask_home(Line& line);
  void ask_all(Line& line, const Request& request);
  void answered(Line& line, unsigned node);
  void begin(Line& line, const Request& request);
  void grant(Line& line, const Request& request);
  void grant_ownership(Line& line, Thread& owner);
  void change(Line& line, Thread& writer);
  static constexpr unsigned kLongestLoop = 4;  // in polls
  void drop_reservations(Line& line);
  void wake_spinners(Line& line, const Thread& writer);

  void pump(Thread& thread);
  void commit_first(Thread& thread);
  void commit_due(Thread& thread);

  bool is_spinning(Thread& thread, const void* address, Line& line);
  void spin(Thread& thread, unsigned period_in_polls);

  const Machine machine_;
  std::vector<Thread> threads_;
  std::unique_ptr<sim::Fibers> fibers_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Line>> lines_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Cycles now_ = 0;  // of the event that happens
  unsigned running_ = 0;
  unsigned left_ = 0;
  bool passes_over_polls_ = false;
  MixedNumbers jitter_;  // of requests that are retried

  Resource address_bus_;
  std::vector<Resource> homes_;
  std::vector<Resource> ports_;               // by node
  std::vector<std::vector<Resource>> links_;  // by level, and by the group one level down
};

}  // namespace muster::coherence
