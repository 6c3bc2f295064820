// gcc's worksharing constructs: the only thread gets all iterations at once, and one section after the other.
#include <cstring>

#include "platform/pages.h"
#include "preload/serial/functions.h"
#include "preload/serial/region.h"

namespace muster::serial {
namespace {

// Sets up what the construct keeps until its end. On entry *memory is the size to allocate, on return the address.
void set_up(Words reductions, void** memory) {
  if (reductions != nullptr) reduction_register(reductions);
  if (memory == nullptr) return;
  construct_end();
  region().memory_bytes = reinterpret_cast<std::size_t>(*memory);
  region().memory = map_pages(region().memory_bytes);
  *memory = region().memory;
}

template <class T>
bool hand_out(bool any, T begin, T end, T* first, T* last) {
  if (first != nullptr) *first = begin;
  if (last != nullptr) *last = end;
  return any;
}

}  // namespace

bool loop_runtime_start(long begin, long end, long step, long* first, long* last) {
  return hand_out(step > 0 ? begin < end : begin > end, begin, end, first, last);
}

bool loop_start(long begin, long end, long step, long, long* first, long* last) {
  return loop_runtime_start(begin, end, step, first, last);
}

// With a null `first` the code has computed its share itself.
bool loop_general_start(long begin, long end, long step, long, long, long* first, long* last,
                        Words reductions, void** memory) {
  set_up(reductions, memory);
  return first == nullptr || loop_runtime_start(begin, end, step, first, last);
}

// Only the function of a combined construct still has iterations to get.
bool loop_next(long* first, long* last) {
  Region& here = region();
  if (!here.has_share) return false;
  here.has_share = false;
  return hand_out(true, static_cast<long>(here.begin), static_cast<long>(here.end), first, last);
}

bool ull_runtime_start(bool up, unsigned long long begin, unsigned long long end,
                       unsigned long long, unsigned long long* first, unsigned long long* last) {
  return hand_out(up ? begin < end : begin > end, begin, end, first, last);
}

bool ull_start(bool up, unsigned long long begin, unsigned long long end, unsigned long long step,
               unsigned long long, unsigned long long* first, unsigned long long* last) {
  return ull_runtime_start(up, begin, end, step, first, last);
}

bool ull_general_start(bool up, unsigned long long begin, unsigned long long end,
                       unsigned long long step, long, unsigned long long, unsigned long long* first,
                       unsigned long long* last, Words reductions, void** memory) {
  set_up(reductions, memory);
  return first == nullptr || ull_runtime_start(up, begin, end, step, first, last);
}

bool doacross_runtime_start(unsigned, const long* counts, long* first, long* last) {
  return hand_out(counts[0] != 0, 0L, counts[0], first, last);
}

bool doacross_start(unsigned count, const long* counts, long, long* first, long* last) {
  return doacross_runtime_start(count, counts, first, last);
}

bool doacross_general_start(unsigned count, const long* counts, long, long, long* first, long* last,
                            Words reductions, void** memory) {
  set_up(reductions, memory);
  return first == nullptr || doacross_runtime_start(count, counts, first, last);
}

unsigned sections_start(unsigned count) {
  region().section = 0;
  region().sections = count;
  return sections_next();
}

unsigned sections2_start(unsigned count, Words reductions, void** memory) {
  set_up(reductions, memory);
  return sections_start(count);
}

unsigned sections_next() {
  Region& here = region();
  return here.section < here.sections ? ++here.section : 0;
}

void scope_start(Words reductions) { set_up(reductions, nullptr); }

long construct_end() {
  Region& here = region();
  unmap_pages(here.memory, here.memory_bytes);
  here.memory = nullptr;
  return 0;  // not cancelled, for the entry points that return that
}

}  // namespace muster::serial
