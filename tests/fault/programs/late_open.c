// late_open PLUGIN: opens a shared object that uses OpenMP, RTLD_LOCAL, and calls it.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* plugin = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*function)(void) = (int (*)(void))dlsym(plugin, "plugin");
  return function != NULL ? function() : 2;
}
