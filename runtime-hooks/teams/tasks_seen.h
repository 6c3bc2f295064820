// Whether the program has ever created an explicit task. From then on the runtime's threads look for tasks while they
// wait, and a longer wait delays tasks, so Muster does not change these waits (preload/yield_entry.cpp).
#pragma once

#include <atomic>

namespace muster {

inline std::atomic<bool> g_task_seen{false};

// Relaxed: a thread that sees it late waits once in the other way.
inline bool task_seen() { return g_task_seen.load(std::memory_order_relaxed); }
inline void note_task_seen() {
  if (!task_seen()) g_task_seen.store(true, std::memory_order_relaxed);
}

}  // namespace muster
