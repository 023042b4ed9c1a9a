/* The hook of the panic handler is weak: a program's own takes its place. */

#include "check.h"
#include "gimmal.h"

#if defined(__cplusplus)
extern "C" void gimmal_panic(void);
#else
void gimmal_panic(void);
#endif

void gimmal_panic(void) { exit(0); }

int main(void) {
  CHECK(gimmal_abi_version() == GIMMAL_ABI_VERSION);
  gimmal_panic();
  return 1;
}
