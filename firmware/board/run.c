/* From reset to main(). */

#include <string.h>

#include "board.h"
#include "semihosting.h"

extern uint32_t bss_start[], bss_end[], data_start[], data_end[], data_load[];

noreturn void board_run(void) {
  memset(bss_start, 0, (size_t)((uintptr_t)bss_end - (uintptr_t)bss_start));
  memcpy(data_start, data_load, (size_t)((uintptr_t)data_end - (uintptr_t)data_start));
  semihosting_exit(main());
}
