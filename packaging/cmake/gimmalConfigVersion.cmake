# The version of the installed headers, and whether it serves the one that was asked for: before 1.0, a minor version may break its users.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/gimmal.h" gimmal_LINES REGEX "^#define GIMMAL_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX REPLACE "[^0-9;]" "" gimmal_LINES "${gimmal_LINES}")
string(REPLACE ";" "." PACKAGE_VERSION "${gimmal_LINES}")

set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(PACKAGE_FIND_VERSION VERSION_LESS PACKAGE_VERSION)
  list(GET gimmal_LINES 0 gimmal_MAJOR)
  list(GET gimmal_LINES 1 gimmal_MINOR)
  if(PACKAGE_FIND_VERSION_MAJOR STREQUAL gimmal_MAJOR
     AND (gimmal_MAJOR GREATER 0 OR PACKAGE_FIND_VERSION_COUNT EQUAL 1 OR PACKAGE_FIND_VERSION_MINOR STREQUAL gimmal_MINOR))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
endif()
