/* On boards where FreeRTOS is not built. */

#include "count.h"

void count_kernel(void) {}
