// What the load sensor of a simulated process sees: the production sensor, on a /proc of its own in which
// the simulated machine's runnable threads stand. The file is written when the sensor is about to read it.
#pragma once

#include <memory>
#include <string>

#include "load/load_sensor.h"

namespace muster::smp {

class SimulatedLoad {
 public:
  SimulatedLoad();  // throws std::runtime_error where no folder can be made
  ~SimulatedLoad();
  SimulatedLoad(const SimulatedLoad&) = delete;
  SimulatedLoad& operator=(const SimulatedLoad&) = delete;

  LoadSensor& sensor() { return *sensor_; }

 private:
  static unsigned allowed_cpus();
  void write() const;

  std::string root_;
  int file_ = -1;
  std::unique_ptr<LoadSensor> sensor_;
};

}  // namespace muster::smp
