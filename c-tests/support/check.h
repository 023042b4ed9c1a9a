/* A check that prints what failed, and ends the program. For C and C++. */

#ifndef GIMMAL_TEST_CHECK_H
#define GIMMAL_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);                                    \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#endif /* GIMMAL_TEST_CHECK_H */
