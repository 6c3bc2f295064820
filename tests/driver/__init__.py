"""One driver for all tests: what there is (`entries`), running it (`running`), and the list that ctest takes (`ctest`)."""
