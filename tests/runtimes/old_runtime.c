// Preloaded on libomp 14 and 16 only, stock runs included: clang 19 calls this after dynamic loops,
// and those runtimes do not have it yet. In the runtimes that do, it does nothing either.
void __kmpc_dispatch_deinit(void* location, int thread);

void __kmpc_dispatch_deinit(void* location, int thread) {
  (void)location;
  (void)thread;
}
