// Prefetching by the processor: a thread that uses a line and then a neighbour is expected to continue,
// and the next few lines are brought to its node while it is still busy with this one.
#include <algorithm>

#include "sim/coherence/world.h"

namespace muster::coherence {

void World::follow_streams(Thread& thread, const Line& line) {
  thread.last_line = line.number;
  const auto number = static_cast<std::intptr_t>(line.number);
  const std::uint64_t turn = thread.counts.loads;
  for (Stream& stream : thread.streams) {
    const std::intptr_t step = number - static_cast<std::intptr_t>(stream.last);
    const bool goes_on = stream.step != 0 ? step == stream.step : step == 1 || step == -1;
    if (stream.used == 0 || !goes_on) continue;
    stream.last = line.number;
    stream.step = step;
    stream.used = turn;
    if (stream.ahead > 0) --stream.ahead;
    while (stream.ahead < machine_.prefetch_lines)
      prefetch(thread, static_cast<std::uintptr_t>(number + step * ++stream.ahead));
    return;
  }
  if (hits(thread, line)) return;
  const auto oldest = std::ranges::min_element(thread.streams, {}, &Stream::used);
  *oldest = {.last = line.number, .used = turn};
}

// Beyond what any thread has used there is nothing to be had.
void World::prefetch(Thread& thread, std::uintptr_t number) {
  const auto known = lines_.find(number);
  if (known == lines_.end() || holds(thread, *known->second)) return;
  now_ = std::max(now_, thread.now);
  ++thread.counts.prefetches;
  ask(*known->second, {running_, /*own=*/false, Purpose::kPrefetch});
}

}  // namespace muster::coherence
