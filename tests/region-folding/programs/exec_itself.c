// The program replaces itself while a fold is open: nothing of it is left in the new one.
// muster-test: skip libgomp libgomp14: it is run by another loader, which it does not know of
// muster-test: skip libgomp libgomp16: the same
// muster-test: folded >= 15
#include <string.h>
#include <unistd.h>

#include "trap.h"

int main(int count, char** arguments) {
  settle();
  if (count == 1) {
    char* words[] = {arguments[0], "again", NULL};
    execv(arguments[0], words);
    return 1;
  }
  printf("again\n");
  return finish();
}
