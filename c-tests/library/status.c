/* Statuses and versions. The arguments are the version of the package: "1.2.3" 1 2 3. */

#include <string.h>

#include "check.h"
#include "gimmal.h"

/* In order: a status is never renumbered, and new ones come last. */
static const gimmal_status_t all[] = {
    GIMMAL_OK,           GIMMAL_FULL,        GIMMAL_EMPTY,         GIMMAL_CLOSED,
    GIMMAL_NULL_POINTER, GIMMAL_MISALIGNED,  GIMMAL_TOO_SMALL,     GIMMAL_BAD_CAPACITY,
    GIMMAL_BAD_ELEMENT,  GIMMAL_OVERFLOW,    GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND,
    GIMMAL_BUSY,         GIMMAL_MISMATCH,    GIMMAL_TOO_LARGE,     GIMMAL_CORRUPT,
    GIMMAL_EXHAUSTED,    GIMMAL_FOREIGN,     GIMMAL_NOT_OUT,       GIMMAL_TIMED_OUT,
    GIMMAL_BAD_STRATEGY, GIMMAL_UNSUPPORTED, GIMMAL_NOT_ALLOWED,   GIMMAL_BAD_NAME,
    GIMMAL_BAD_OPTION,   GIMMAL_NOT_FOUND,   GIMMAL_EXISTS,        GIMMAL_SUPERSEDED,
    GIMMAL_PEER_DIED,    GIMMAL_NO_SPACE,    GIMMAL_NOT_TRUSTED,   GIMMAL_SYSTEM,
    GIMMAL_NOT_CLAIMED,
};
static const size_t count = sizeof(all) / sizeof(all[0]);

static void every_status_has_a_text_of_its_own(void) {
  const char *unknown = gimmal_status_str((gimmal_status_t)count);
  for (size_t i = 0; i < count; ++i) {
    CHECK(all[i] == i);
    const char *text = gimmal_status_str(all[i]);
    CHECK(strlen(text) > 0);
    CHECK(strcmp(text, unknown) != 0);
    for (size_t j = 0; j < i; ++j) {
      CHECK(strcmp(text, gimmal_status_str(all[j])) != 0);
    }
  }
}

/* Pools give them too. */
static const gimmal_status_t of_any_object[] = {
    GIMMAL_NULL_POINTER,  GIMMAL_MISALIGNED, GIMMAL_TOO_SMALL, GIMMAL_BAD_CAPACITY, GIMMAL_BAD_ELEMENT, GIMMAL_OVERFLOW,
    GIMMAL_UNINITIALISED, GIMMAL_WRONG_KIND, GIMMAL_BUSY,      GIMMAL_MISMATCH,     GIMMAL_CORRUPT,
};

static void what_holds_for_pools_too_speaks_of_no_ring(void) {
  for (size_t i = 0; i < sizeof of_any_object / sizeof of_any_object[0]; ++i) {
    CHECK(strstr(gimmal_status_str(of_any_object[i]), "ring") == NULL);
  }
}

static void unknown_statuses_have_a_text(void) {
  CHECK(strlen(gimmal_status_str((gimmal_status_t)count)) > 0);
  CHECK(strlen(gimmal_status_str(UINT32_MAX)) > 0);
}

int main(int argc, char **argv) {
  every_status_has_a_text_of_its_own();
  unknown_statuses_have_a_text();
  what_holds_for_pools_too_speaks_of_no_ring();

  CHECK(argc == 5);
  CHECK(strcmp(gimmal_version(), argv[1]) == 0);
  CHECK(GIMMAL_VERSION_MAJOR == atoi(argv[2]));
  CHECK(GIMMAL_VERSION_MINOR == atoi(argv[3]));
  CHECK(GIMMAL_VERSION_PATCH == atoi(argv[4]));
  CHECK(gimmal_abi_version() == GIMMAL_ABI_VERSION);
  return 0;
}
