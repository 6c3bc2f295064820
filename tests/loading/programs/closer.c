// A shared object that closes others.
#include <dlfcn.h>

int close_it(void* handle);

int close_it(void* handle) { return dlclose(handle); }
