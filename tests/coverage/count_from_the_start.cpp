// The profile's runtime maps its counters in a constructor of its own, after those of libmuster.so:
// the counts of these would be lost.
extern "C" {
void __llvm_profile_initialize();
// For programs that are started with an environment of their own.
extern char __llvm_profile_filename[];
__attribute__((visibility("hidden"))) char __llvm_profile_filename[] = MUSTER_COUNTS;
}

__attribute__((constructor(101))) static void count_from_the_start() {
  __llvm_profile_initialize();
}
