#include "platform/missing.h"

#include <cerrno>

#include "platform/cpus.h"
#include "platform/fences.h"
#include "platform/futex.h"
#include "platform/idle_time.h"
#include "platform/shared_segment.h"
#include "platform/slice.h"
#include "platform/thread_place.h"

namespace muster {
namespace {

struct ErrorName {
  int error;
  const char* name;
};
// The errors with which system calls are refused. strerrorname_np() is newer than the oldest supported C library.
constexpr ErrorName kErrorNames[] = {
    {EPERM, "EPERM"},   {ENOENT, "ENOENT"},       {ESRCH, "ESRCH"},   {EIO, "EIO"},
    {E2BIG, "E2BIG"},   {ENOMEM, "ENOMEM"},       {EACCES, "EACCES"}, {EFAULT, "EFAULT"},
    {EBUSY, "EBUSY"},   {ENODEV, "ENODEV"},       {EINVAL, "EINVAL"}, {ENFILE, "ENFILE"},
    {EMFILE, "EMFILE"}, {ENOSYS, "ENOSYS"},       {ELOOP, "ELOOP"},   {EOPNOTSUPP, "EOPNOTSUPP"},
    {ENOSPC, "ENOSPC"}, {ECANCELED, "ECANCELED"},
};

}  // namespace

const char* error_name(int error) {
  for (const ErrorName& known : kErrorNames) {
    if (known.error == error) return known.name;
  }
  return nullptr;
}

void try_everything() {
  register_fences();
  try_futex();
  current_cpu();
  AffinityMask mask;
  if (mask.read()) {
    mask.apply();
    idle_ns_elsewhere(mask, kNoCpu, Files::kOpen);
  }
  if (ask_for_slice(100'000)) give_slice_back();
  constexpr std::size_t kSegment = std::size_t{64} * 1024;
  if (const int error = try_segment(kSegment); error != 0)
    note_missing(Missing::kSharedPage, error);
}

}  // namespace muster
