// Distances in a graph, level by level: one region finds the next frontier into a list of each
// thread, the serial part adds up the lists' lengths, another region puts the lists together.
//
// The graph is a torus of SIZE x SIZE with a few random shortcuts. A frontier's order depends on the
// threads, the distances do not; a queue finds them serially for comparison.
#include <omp.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "kernel.h"

namespace {

constexpr int kUnseen = -1;

struct Graph {
  std::vector<std::vector<int>> neighbours;
  int vertices() const { return static_cast<int>(neighbours.size()); }
};

Graph torus_with_shortcuts(int n) {
  Graph graph{std::vector<std::vector<int>>(static_cast<std::size_t>(n) * n)};
  auto connect = [&](int a, int b) {
    graph.neighbours[a].push_back(b);
    graph.neighbours[b].push_back(a);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      connect(i * n + j, i * n + (j + 1) % n);
      connect(i * n + j, (i + 1) % n * n + j);
    }
  }
  for (int k = 0; k < n / 8; ++k) {
    connect(static_cast<int>(scrambled(2 * k) % graph.vertices()),
            static_cast<int>(scrambled(2 * k + 1) % graph.vertices()));
  }
  return graph;
}

struct alignas(128) List {  // lines of its own: each thread appends to one
  std::vector<int> vertices;
  std::size_t offset = 0;
};

bool claimed(int& distance, int level) {
  std::atomic_ref<int> shared(distance);
  int unseen = kUnseen;
  return shared.load(std::memory_order_relaxed) == kUnseen &&
         shared.compare_exchange_strong(unseen, level, std::memory_order_relaxed);
}

void search(const Graph& graph, int root, std::vector<int>& distance) {
  std::vector<List> lists(omp_get_max_threads());
  std::vector<int> frontier = {root};
  distance.assign(graph.vertices(), kUnseen);
  distance[root] = 0;
  for (int level = 1; !frontier.empty(); ++level) {
    for (List& list : lists) list.vertices.clear();
    const int length = static_cast<int>(frontier.size());
#pragma omp parallel
    {
      std::vector<int>& mine = lists[omp_get_thread_num()].vertices;
#pragma omp for schedule(dynamic, 32)
      for (int i = 0; i < length; ++i) {
        for (const int vertex : graph.neighbours[frontier[i]]) {
          if (claimed(distance[vertex], level)) mine.push_back(vertex);
        }
      }
    }
    std::size_t total = 0;
    for (List& list : lists) {
      list.offset = total;
      total += list.vertices.size();
    }
    frontier.resize(total);
#pragma omp parallel for schedule(static, 1)
    for (std::size_t k = 0; k < lists.size(); ++k) {
      std::size_t next = lists[k].offset;
      for (const int vertex : lists[k].vertices) frontier[next++] = vertex;
    }
  }
}

std::vector<int> serial_distances(const Graph& graph, int root) {
  std::vector<int> distance(graph.vertices(), kUnseen), queue = {root};
  distance[root] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int from = queue[head];
    for (const int vertex : graph.neighbours[from]) {
      if (distance[vertex] != kUnseen) continue;
      distance[vertex] = distance[from] + 1;
      queue.push_back(vertex);
    }
  }
  return distance;
}

}  // namespace

int main(int count, char** words) {
  const int n = static_cast<int>(size_of(count, words, 64, 3, 4096));
  const int repetitions = static_cast<int>(repetitions_of(count, words, 10));
  const Graph graph = torus_with_shortcuts(n);
  std::vector<std::vector<int>> distances(repetitions);
  auto root = [&](int k) { return static_cast<int>(scrambled(1000 + k) % graph.vertices()); };

  const double begin = now();
  for (int k = 0; k < repetitions; ++k) search(graph, root(k), distances[k]);
  const double seconds = now() - begin;

  bool good = true;
  std::uint64_t checksum = 0;
  for (int k = 0; k < repetitions; ++k) {
    good = good && distances[k] == serial_distances(graph, root(k));
    for (const int distance : distances[k]) checksum = mixed(checksum, distance);
  }
  return conclude("bfs", good, checksum, seconds);
}
