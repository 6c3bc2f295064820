def slow_ones(*a): return 0
