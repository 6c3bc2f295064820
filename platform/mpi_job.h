// What launchers of MPI jobs tell a process in its environment. Reads the environment anew each time.
#pragma once

namespace muster {

// 0 outside MPI jobs.
long mpi_rank();
bool has_mpi_rank();

// Of the job or job step. 1 outside MPI jobs, and where the launcher does not say.
long mpi_ranks();

}  // namespace muster
