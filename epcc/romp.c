// libromp.so: Mosberger's workaround (2003), rebuilt: preloaded, sched_yield does nothing. To
// reproduce his claim; for use there is Muster, whose MUSTER_YIELD is kinder (docs/understand/waiting.md).
int sched_yield(void);

int sched_yield(void) { return 0; }
