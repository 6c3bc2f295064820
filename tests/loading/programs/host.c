// host COMMAND...: does one after another what its arguments say, and prints a line for each. It uses no OpenMP itself.
//
//   open:NAME:FILE[:HOW]       dlopen, RTLD_NOW and local, or HOW: global, lazy, deepbind, space (dlmopen); FILE may
//                               be self
//   close:NAME                 dlclose
//   closeby:CLOSER:NAME                               by an object's function close_it
//   call:NAME:FUNCTION:COUNT
//   both:NAME:FUNCTION:COUNT:NAME:FUNCTION:COUNT      at once, by two threads of their own
//   give:NAME:FUNCTION:NAME:FUNCTION:COUNT            the first function gets the second one's address
//   fork:COMMAND               in a child that ends by exit()
//   same:NAME:NAME                                    whether they lie at the same place, closed or not
//   copy:FILE:FILE                                    a copy takes the place of the second file
//   nap:MILLISECONDS
//   times:COUNT                everything that follows, so many times
//
// N/COMMAND: in thread N (1 to 9), which stays. Why something cannot be opened goes to stderr with HOST_TELLS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMostOpen = 512, kMostThreads = 10, kMostFields = 8 };

typedef long Function(long);
typedef long GivenFunction(Function*, long);

static struct {
  char name[32];
  void* handle;
} g_open[kMostOpen];

static struct {
  char name[32];
  const void* place;
} g_places[kMostOpen];

static void note_place(const char* name, const void* place) {
  int i = 0;
  while (i < kMostOpen - 1 && g_places[i].place != NULL && strcmp(g_places[i].name, name) != 0) ++i;
  snprintf(g_places[i].name, sizeof g_places[i].name, "%s", name);
  g_places[i].place = place;
}

static const void* place_of(const char* name) {
  for (int i = 0; i < kMostOpen; ++i) {
    if (strcmp(g_places[i].name, name) == 0) return g_places[i].place;
  }
  return NULL;
}

static void* handle_of(const char* name) {
  for (int i = 0; i < kMostOpen; ++i) {
    if (g_open[i].handle != NULL && strcmp(g_open[i].name, name) == 0) return g_open[i].handle;
  }
  printf("nothing is open as %s\n", name);
  exit(2);
}

static void* function_of(const char* name, const char* function) {
  void* found = dlsym(handle_of(name), function);
  if (found == NULL) {
    printf("%s has no %s\n", name, function);
    exit(2);
  }
  return found;
}

static void* do_nothing(void* unused) { return unused; }

// Threads of another namespace use this C library's heap, too: the loader does, for their thread-local variables. It
// takes no locks before this library has created a thread of its own, and so they would break the heap.
static void make_heap_safe(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, do_nothing, NULL);
  pthread_join(thread, NULL);
}

static void open_object(const char* name, const char* file, const char* how) {
  int flags = RTLD_NOW | RTLD_LOCAL;
  if (strcmp(how, "global") == 0) flags = RTLD_NOW | RTLD_GLOBAL;
  if (strcmp(how, "lazy") == 0) flags = RTLD_LAZY | RTLD_LOCAL;
  if (strcmp(how, "deepbind") == 0) flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  const int own_space = strcmp(how, "space") == 0;
  const int is_self = strcmp(file, "self") == 0;
  if (own_space) make_heap_safe();
  void* handle =
      own_space ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW) : dlopen(is_self ? NULL : file, flags);
  if (handle == NULL) {
    printf("open %s: failed\n", name);
    if (getenv("HOST_TELLS") != NULL) fprintf(stderr, "%s\n", dlerror());
    return;
  }
  for (int i = 0; i < kMostOpen; ++i) {
    if (g_open[i].handle != NULL) continue;
    snprintf(g_open[i].name, sizeof g_open[i].name, "%s", name);
    g_open[i].handle = handle;
    break;
  }
  Dl_info info;
  note_place(name, dladdr(dlsym(handle, "regions"), &info) != 0 ? info.dli_fbase : NULL);
}

static void close_object(const char* name, int (*close)(void*)) {
  void* handle = handle_of(name);
  for (int i = 0; i < kMostOpen; ++i) {
    if (g_open[i].handle == handle && strcmp(g_open[i].name, name) == 0) {
      g_open[i].handle = NULL;
      break;
    }
  }
  printf("close %s: %d\n", name, close(handle));
}

typedef struct {
  Function* function;
  long count;
  long result;
} Call;

static void* make_call(void* data) {
  Call* call = data;
  call->result = call->function(call->count);
  return NULL;
}

static void call_both(char** field) {
  Call calls[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    char** its = field + 3 * i;
    calls[i] = (Call){(Function*)function_of(its[0], its[1]), atol(its[2]), 0};
  }
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, make_call, &calls[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%s and %s: %ld, %ld\n", field[0], field[3], calls[0].result, calls[1].result);
}

static void run(const char* command);

static void fork_and_run(const char* command) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(50);
    run(command);
    exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: %s %d\n", WIFEXITED(status) ? "status" : "signal",
         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void replace_file(const char* from, const char* to) {
  char copy[1024];
  char command[4096];
  snprintf(copy, sizeof copy, "%s.part", to);
  snprintf(command, sizeof command, "cp '%s' '%s' && mv '%s' '%s'", from, copy, copy, to);
  printf("copied: %d\n", system(command));
}

static void run_fields(char** field, int count) {
  const char* what = field[0];
  if (strcmp(what, "open") == 0 && count >= 3) {
    open_object(field[1], field[2], count > 3 ? field[3] : "");
  } else if (strcmp(what, "close") == 0 && count == 2) {
    close_object(field[1], dlclose);
  } else if (strcmp(what, "closeby") == 0 && count == 3) {
    close_object(field[2], (int (*)(void*))function_of(field[1], "close_it"));
  } else if (strcmp(what, "call") == 0 && count == 4) {
    Function* function = (Function*)function_of(field[1], field[2]);
    printf("%s %s: %ld\n", field[1], field[2], function(atol(field[3])));
  } else if (strcmp(what, "both") == 0 && count == 7) {
    call_both(field + 1);
  } else if (strcmp(what, "give") == 0 && count == 6) {
    GivenFunction* given = (GivenFunction*)function_of(field[1], field[2]);
    Function* function = (Function*)function_of(field[3], field[4]);
    printf("%s %s %s: %ld\n", field[1], field[2], field[3], given(function, atol(field[5])));
  } else if (strcmp(what, "same") == 0 && count == 3) {
    printf("the same place: %d\n", place_of(field[1]) == place_of(field[2]));
  } else if (strcmp(what, "copy") == 0 && count == 3) {
    replace_file(field[1], field[2]);
  } else if (strcmp(what, "nap") == 0 && count == 2) {
    struct timespec time = {0, atol(field[1]) * 1000000L};
    nanosleep(&time, NULL);
  } else {
    printf("no such command: %s\n", what);
    exit(2);
  }
}

static struct {
  pthread_t thread;
  int started;
  const char* command;
  sem_t begin, end;
} g_workers[kMostThreads];

static void* work(void* data) {
  const int me = (int)(long)data;
  for (;;) {
    sem_wait(&g_workers[me].begin);
    if (g_workers[me].command == NULL) return NULL;
    run(g_workers[me].command);
    sem_post(&g_workers[me].end);
  }
}

static void run_in_thread(int which, const char* command) {
  if (!g_workers[which].started) {
    sem_init(&g_workers[which].begin, 0, 0);
    sem_init(&g_workers[which].end, 0, 0);
    g_workers[which].started = 1;
    pthread_create(&g_workers[which].thread, NULL, work, (void*)(long)which);
  }
  const int ends = strcmp(command, "end") == 0;
  g_workers[which].command = ends ? NULL : command;
  sem_post(&g_workers[which].begin);
  if (ends) {
    pthread_join(g_workers[which].thread, NULL);
    g_workers[which].started = 0;
  } else {
    sem_wait(&g_workers[which].end);
  }
}

static void run(const char* command) {
  if (command[0] >= '0' && command[0] <= '9' && command[1] == '/') {
    run_in_thread(command[0] - '0', command + 2);
    return;
  }
  if (strncmp(command, "fork:", 5) == 0) {
    fork_and_run(command + 5);
    return;
  }
  char text[1024];
  snprintf(text, sizeof text, "%s", command);
  char* field[kMostFields];
  int count = 0;
  for (char* rest = text; count < kMostFields && (field[count] = strsep(&rest, ":")) != NULL;)
    ++count;
  run_fields(field, count);
  fflush(stdout);
}

int main(int count, char** commands) {
  for (int i = 1; i < count; ++i) {
    if (strncmp(commands[i], "times:", 6) != 0) {
      run(commands[i]);
      continue;
    }
    for (long time = atol(commands[i] + 6); time > 0; --time) {
      for (int next = i + 1; next < count; ++next) run(commands[next]);
    }
    break;
  }
  return 0;
}
