// What the program was called as. The C library's names that are reserved: a program may have variables of the others.
#pragma once

extern "C" {
extern char* __progname;       // without folders
extern char* __progname_full;  // as in argv[0]
}
