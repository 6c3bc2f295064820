// Whether the program has ever created an explicit task. From then on a barrier outside of regions may have tasks to
// finish (runtime-hooks/folding/call_effects.cpp).
#pragma once

#include <atomic>

namespace muster {

inline std::atomic<bool> g_task_seen{false};

// Relaxed: the thread that creates a task sees it.
inline bool task_seen() { return g_task_seen.load(std::memory_order_relaxed); }
inline void note_task_seen() {
  if (!task_seen()) g_task_seen.store(true, std::memory_order_relaxed);
}

}  // namespace muster
