// The loader's list of objects, as dl_iterate_phdr shows it, and across fork().
//
// A child of fork() has none of its parent's other threads. If one of them was in the list, its lock stays locked in the
// child, and dl_iterate_phdr never returns there. Stock programs seldom call it, but Muster does, so two rules keep the
// child going. A fork waits until no thread of Muster's is in the list. And a child reads the list without the lock as
// long as it has as many objects as at the fork: who loads one has had the lock, so that it is not stuck.
#pragma once

#include <link.h>

#include <cstddef>

namespace muster {

using VisitObject = int (*)(dl_phdr_info* info, std::size_t size, void* data);

// dl_iterate_phdr: calls visit(info, size, data) for each object until it returns something else than 0.
int visit_objects(VisitObject visit, void* data);

// Waits for 0.1 s at most: another thread may be in the list until the forking one, which is in it by the program's own
// call, returns.
void object_list_before_fork();
void object_list_after_fork();
void object_list_after_fork_in_child();

}  // namespace muster
