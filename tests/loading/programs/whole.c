// A program linked with its runtime: all that plugin.c has, one after another.
#include <stdio.h>

long regions(long), quiet(long), constructs(long), set_threads(long), asked(long);

int main(void) {
  printf("asked %ld\n", asked(0));
  printf("regions %ld, %ld\n", regions(40), regions(20));
  printf("constructs %ld\n", constructs(10));
  printf("set %ld\n", set_threads(3));
  printf("quiet %ld, asked %ld\n", quiet(30), asked(0));
  printf("regions %ld\n", regions(20));
  return 0;
}
