// stream-clustering: the interactive workload of Peter et al. (section 4), with an algorithm of our
// own. A stream's packets arrive in bursts; after every `packets` of them a team updates the
// stream's cluster centres, in many short steps with a barrier after each. The result is how long
// that took from the arrival of the last of these packets: the packets' arrivals are times on the
// clock, so an update that is late makes the next one later.
//
// The clustering is k-median's local search, online: each new packet is assigned to the nearest
// centre; packets, drawn at random, are tried as new centres and become one if that saves more
// distance than a centre costs; the centres move to their packets' means; the lightest go when
// there are too many. Sums are made by blocks of packets, in order, so the clusters depend on the
// seed only: not on the team, nor on the clock.
#include <fmt/core.h>
#include <omp.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "epcc/command_line.h"
#include "epcc/json.h"
#include "epcc/openmp_runtime.h"

namespace {

constexpr std::size_t kDimensions = 32;
constexpr std::size_t kBlocks = 64;
constexpr std::size_t kKinds = 12;        // of traffic, slowly drifting: what there is to find
constexpr std::size_t kMostCentres = 20;  // kept from one update to the next
constexpr double kCostOfACentre = 0.02;   // of the packets' whole distance
constexpr double kLinePacketsPerS = 1e6;  // within a burst

struct Options {
  double seconds = 5;
  double lead = 0.5;
  std::size_t packets = 8000;
  std::size_t burst = 0;
  double bursts_per_s = 2;
  int candidates = 250;
  int threads = 0;
  std::uint64_t seed = 1;
  std::string format = "text";
};

using Packet = std::array<float, kDimensions>;

struct Centre {
  Packet at{};
  double weight = 0;
};

struct Update {
  double arrived = 0;  // seconds after the beginning
  std::vector<Packet> packets;
  double done = 0;
};

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void sleep_until(double time) {
  timespec t{};
  t.tv_sec = static_cast<time_t>(time);
  t.tv_nsec = static_cast<long>((time - std::floor(time)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) continue;
}

float distance(const Packet& a, const Packet& b) {
  float sum = 0;
  for (std::size_t i = 0; i < kDimensions; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// All that will arrive: bursts at random times (Poisson), their packets one after the other.
std::vector<Update> arrivals(const Options& options) {
  std::mt19937_64 random(options.seed);
  std::exponential_distribution<double> gap(options.bursts_per_s);
  std::vector<Update> updates;
  std::size_t arrived = 0;
  for (double burst = gap(random); burst < options.seconds; burst += gap(random)) {
    const std::size_t before = arrived;
    arrived += options.burst;
    while ((updates.size() + 1) * options.packets <= arrived) {
      const std::size_t last = (updates.size() + 1) * options.packets - before;
      updates.push_back({burst + static_cast<double>(last) / kLinePacketsPerS, {}, 0});
    }
  }
  std::vector<Packet> kinds(kKinds);
  std::normal_distribution<float> normal;
  for (Packet& kind : kinds) {
    for (float& value : kind) value = 4 * normal(random);
  }
  std::uniform_int_distribution<std::size_t> any(0, kKinds - 1);
  for (Update& update : updates) {
    for (Packet& kind : kinds) {
      for (float& value : kind) value += 0.1F * normal(random);
    }
    update.packets.resize(options.packets);
    for (Packet& packet : update.packets) {
      const Packet& kind = kinds[any(random)];
      for (std::size_t i = 0; i < kDimensions; ++i) packet[i] = kind[i] + normal(random);
    }
  }
  return updates;
}

class Clustering {
 public:
  explicit Clustering(const Options& options)
      : options_(options), costs_(options.packets), nearest_(options.packets) {}

  // By the whole team, between two barriers.
  void update(const std::vector<Packet>& packets) {
#pragma omp single
    {
      random_.seed(options_.seed + ++updates_);
      if (centres_.empty()) centres_.push_back({packets[0], 0});
    }
    each_packet([&](std::size_t i, Block& block) {
      costs_[i] = INFINITY;
      for (std::size_t c = 0; c < centres_.size(); ++c) assign(packets, i, c);
      block.sum += costs_[i];
    });
#pragma omp barrier
    const double price = kCostOfACentre * sum();
#pragma omp barrier
    for (int tried = 0; tried < options_.candidates; ++tried) try_one(packets, price);
    move_centres(packets);
  }

  const std::vector<Centre>& centres() const { return centres_; }
  std::uint64_t barriers() const { return barriers_; }

 private:
  struct alignas(64) Block {
    double sum = 0;
    std::vector<Centre> centres;
  };

  template <typename Do>
  void each_packet(Do work) {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    for (std::size_t b = kBlocks * me / threads; b < kBlocks * (me + 1) / threads; ++b) {
      blocks_[b].sum = 0;
      const std::size_t end = costs_.size() * (b + 1) / kBlocks;
      for (std::size_t i = costs_.size() * b / kBlocks; i < end; ++i) work(i, blocks_[b]);
    }
  }

  void assign(const std::vector<Packet>& packets, std::size_t i, std::size_t centre) {
    const float cost = distance(packets[i], centres_[centre].at);
    if (cost >= costs_[i]) return;
    costs_[i] = cost;
    nearest_[i] = centre;
  }

  double sum() const {
    double all = 0;
    for (const Block& block : blocks_) all += block.sum;
    return all;
  }

  // What would be saved with this packet as a centre; if enough, it becomes one.
  void try_one(const std::vector<Packet>& packets, double price) {
#pragma omp single
    candidate_ = std::uniform_int_distribution<std::size_t>(0, packets.size() - 1)(random_);
    const Packet& candidate = packets[candidate_];
    each_packet([&](std::size_t i, Block& block) {
      const float saved = costs_[i] - distance(packets[i], candidate);
      if (saved > 0) block.sum += saved;
    });
#pragma omp barrier
    const bool opens = sum() > price;
#pragma omp barrier
    if (opens) {
#pragma omp single
      centres_.push_back({candidate, 0});
      each_packet([&](std::size_t i, Block&) { assign(packets, i, centres_.size() - 1); });
#pragma omp barrier
    }
#pragma omp master
    barriers_ += opens ? 5 : 3;
  }

  void move_centres(const std::vector<Packet>& packets) {
    each_packet([&](std::size_t i, Block& block) {
      block.centres.resize(centres_.size());
      Centre& mine = block.centres[nearest_[i]];
      mine.weight += 1;
      for (std::size_t d = 0; d < kDimensions; ++d) mine.at[d] += packets[i][d];
    });
#pragma omp barrier
#pragma omp single
    {
      for (Centre& centre : centres_) {
        centre.weight /= 2;  // what came before counts less and less
        for (float& value : centre.at) value *= static_cast<float>(centre.weight);
      }
      for (Block& block : blocks_) {
        for (std::size_t c = 0; c < block.centres.size(); ++c) {
          centres_[c].weight += block.centres[c].weight;
          for (std::size_t d = 0; d < kDimensions; ++d) {
            centres_[c].at[d] += block.centres[c].at[d];
          }
        }
        block.centres.clear();
      }
      std::erase_if(centres_, [](const Centre& centre) { return centre.weight < 1; });
      for (Centre& centre : centres_) {
        for (float& value : centre.at) value /= static_cast<float>(centre.weight);
      }
      std::sort(centres_.begin(), centres_.end(), [](const Centre& a, const Centre& b) {
        return a.weight != b.weight ? a.weight > b.weight : a.at < b.at;
      });
      if (centres_.size() > kMostCentres) centres_.resize(kMostCentres);
      barriers_ += 6;
    }
  }

  const Options& options_;
  std::vector<float> costs_;
  std::vector<std::size_t> nearest_;
  std::vector<Block> blocks_{kBlocks};
  std::vector<Centre> centres_;
  std::mt19937_64 random_;
  std::uint64_t updates_ = 0;
  std::size_t candidate_ = 0;
  std::uint64_t barriers_ = 0;
};

struct Times {
  std::vector<double> latencies;  // sorted
  double computing = 0;

  double at(double share) const {
    if (latencies.empty()) return 0;
    const double place = share * static_cast<double>(latencies.size() - 1);
    return latencies[static_cast<std::size_t>(std::lround(place))];
  }
  double mean() const {
    double sum = 0;
    for (const double latency : latencies) sum += latency;
    return latencies.empty() ? 0 : sum / static_cast<double>(latencies.size());
  }
};

Times run(const Options& options, std::vector<Update>& updates, Clustering& clustering,
          double begin) {
  Times times;
#pragma omp parallel num_threads(options.threads)
  for (Update& update : updates) {
    double began = 0;
#pragma omp master
    {
      sleep_until(begin + update.arrived);
      began = now();
    }
#pragma omp barrier
    clustering.update(update.packets);
#pragma omp master
    {
      const double ended = now();
      times.latencies.push_back(ended - begin - update.arrived);
      times.computing += ended - began;
    }
  }
  std::sort(times.latencies.begin(), times.latencies.end());
  return times;
}

// FNV-1a over the centres' bytes.
std::uint64_t fingerprint(const std::vector<Centre>& centres) {
  std::uint64_t hash = 14695981039346656037U;
  for (const Centre& centre : centres) {
    for (const float value : centre.at) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int byte = 0; byte < 4; ++byte) {
        hash = (hash ^ ((bits >> (8 * byte)) & 0xFF)) * 1099511628211U;
      }
    }
  }
  return hash;
}

void print(const Options& options, const Times& times, const Clustering& clustering) {
  const auto updates = static_cast<double>(times.latencies.size());
  const double computing = updates > 0 ? times.computing / updates : 0;
  const std::string clusters = fmt::format("{:016x}", fingerprint(clustering.centres()));
  if (options.format == "text") {
    fmt::print("{} updates of {} packets, latency {:.2f} ms, {:.2f} to {:.2f}\n",
               times.latencies.size(), options.packets, 1e3 * times.mean(), 1e3 * times.at(0),
               1e3 * times.at(1));
    fmt::print("  half below {:.2f} ms, 9 of 10 below {:.2f}, 99 of 100 below {:.2f}\n",
               1e3 * times.at(0.5), 1e3 * times.at(0.9), 1e3 * times.at(0.99));
    fmt::print("  {:.2f} ms and {} barriers for an update; {} clusters, {}\n", 1e3 * computing,
               times.latencies.empty() ? 0 : clustering.barriers() / times.latencies.size(),
               clustering.centres().size(), clusters);
    return;
  }
  const epcc::Json json = {{"program", "stream-clustering"},
                           {"runtime", epcc::openmp_runtime()},
                           {"threads", options.threads},
                           {"packets", options.packets},
                           {"burst", options.burst},
                           {"bursts_per_s", options.bursts_per_s},
                           {"seed", options.seed},
                           {"updates", times.latencies.size()},
                           {"latency_mean_s", times.mean()},
                           {"latency_min_s", times.at(0)},
                           {"latency_p50_s", times.at(0.5)},
                           {"latency_p90_s", times.at(0.9)},
                           {"latency_p99_s", times.at(0.99)},
                           {"latency_max_s", times.at(1)},
                           {"computing_mean_s", computing},
                           {"barriers", clustering.barriers()},
                           {"clusters", clustering.centres().size()},
                           {"fingerprint", clusters},
                           {"latencies_s", times.latencies}};
  json.print();
}

}  // namespace

int main(int argc, char** argv) try {
  const double started = now();
  Options options;
  options.threads = omp_get_max_threads();
  epcc::CommandLine line(
      "Clusters a stream of packets that arrive in bursts; tells the updates' latency.",
      "stream-clustering");
  line.number("--seconds", options.seconds, "how long packets arrive", 1e-3, 1e6);
  line.number("--lead", options.lead, "seconds from the start until they begin to", 0, 1e6);
  line.number("--packets", options.packets, "of an update", kBlocks, 1e6);
  line.number("--bursts", options.bursts_per_s, "bursts a second, on average (Poisson)", 1e-3, 1e4);
  line.number("--burst", options.burst, "packets of a burst; 0: as many as of an update", 0, 1e7);
  line.number("--candidates", options.candidates, "packets of an update tried as centres", 1, 1e6);
  line.number("--threads", options.threads, "size of the team", 1, 65536);
  line.any_number("--seed", options.seed, "of bursts, packets and candidates");
  line.choice("--format", options.format, "how to print the result", {"text", "json"});
  line.parse_or_exit(argc, argv);
  if (options.burst == 0) options.burst = options.packets;

  std::vector<Update> updates = arrivals(options);
  Clustering clustering(options);
  const Times times = run(options, updates, clustering, started + options.lead);
  print(options, times, clustering);
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("stream-clustering", error);
}
