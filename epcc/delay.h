// Computation of a known length, which no compiler removes. Its length is a number of loop
// iterations, not a time: a thread that loses its CPU halfway still has the rest to do. That is
// what distinguishes work from waiting for a clock to advance, which preemption does for free.
#pragma once

namespace epcc {

// Exactly `iterations` turns of a loop of one multiplication that needs the one before; none if it is
// not positive.
void delay(long iterations);

// How many turns fit into a microsecond on this CPU when nothing interrupts, as measured now (some
// ms).
double delay_iterations_per_us();

}  // namespace epcc
