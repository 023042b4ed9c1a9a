# libgimmal, built by cargo in the build folder.

if(NOT UNIX OR APPLE)
  message(FATAL_ERROR "gimmal: CMake builds libgimmal on systems with ELF only; cargo builds it elsewhere (docs/LINKING.md)")
endif()
find_program(GIMMAL_CARGO cargo REQUIRED)

# The library is named after its binary interface.
file(STRINGS include/gimmal.h abi REGEX "^#define GIMMAL_ABI_VERSION [0-9]+$")
string(REGEX MATCH "[0-9]+$" abi "${abi}")
set(soname libgimmal.so.${abi})
string(REPLACE ";" "," features "${GIMMAL_FEATURES}")
set(built ${CMAKE_CURRENT_BINARY_DIR}/cargo/release)

# Cargo knows best what has changed, so it is asked at every build.
add_custom_target(
  gimmal_cargo ALL
  COMMAND ${GIMMAL_CARGO} rustc --quiet --release --lib --manifest-path ${CMAKE_CURRENT_SOURCE_DIR}/ffi/lib/Cargo.toml --target-dir
          ${CMAKE_CURRENT_BINARY_DIR}/cargo "--features=${features}" -- -Clink-arg=-Wl,-soname,${soname}
  COMMAND ${CMAKE_COMMAND} -E create_symlink libgimmal.so ${built}/${soname}
  BYPRODUCTS ${built}/libgimmal.a ${built}/libgimmal.so ${built}/${soname}
  COMMENT "Building libgimmal by cargo"
  VERBATIM)

foreach(form IN ITEMS static shared)
  string(TOUPPER ${form} type)
  add_library(gimmal_${form} ${type} IMPORTED GLOBAL)
  add_library(gimmal::${form} ALIAS gimmal_${form})
  add_dependencies(gimmal_${form} gimmal_cargo)
  target_link_libraries(gimmal_${form} INTERFACE gimmal_headers)
endforeach()
set_target_properties(gimmal_static PROPERTIES IMPORTED_LOCATION ${built}/libgimmal.a)
set_target_properties(gimmal_shared PROPERTIES IMPORTED_LOCATION ${built}/libgimmal.so IMPORTED_SONAME ${soname})

add_library(gimmal_gimmal INTERFACE)
add_library(gimmal::gimmal ALIAS gimmal_gimmal)
if(BUILD_SHARED_LIBS)
  target_link_libraries(gimmal_gimmal INTERFACE gimmal_shared)
else()
  target_link_libraries(gimmal_gimmal INTERFACE gimmal_static)
endif()
