# Stands in for Zephyr's build: a project with the two functions that a module of docs/FIRMWARE.md calls, as Zephyr's documentation
# describes them, and a program that is linked with the module.
cmake_minimum_required(VERSION 3.20)
project(zephyr C)

add_library(zephyr INTERFACE)

function(zephyr_include_directories)
  target_include_directories(zephyr INTERFACE ${ARGV})
endfunction()

function(zephyr_library_import name path)
  add_library(${name} STATIC IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${path})
  target_link_libraries(zephyr INTERFACE ${name})
endfunction()

set(READER ${CMAKE_CURRENT_SOURCE_DIR}/..)
add_subdirectory(${READER}/gimmal-module gimmal-module)

set(BOARD ${READER}/../gimmal/firmware/board)
add_executable(placed.elf ${READER}/placed.c ${BOARD}/cortex-m.c ${BOARD}/mps2-an385.c ${BOARD}/run.c
                          ${BOARD}/semihosting.c)
target_include_directories(placed.elf PRIVATE ${BOARD}/..)
target_compile_options(placed.elf PRIVATE -std=c11 -O2 -mcpu=cortex-m3 -mthumb -ffreestanding)
target_link_options(placed.elf PRIVATE -mcpu=cortex-m3 -mthumb -nostartfiles -static -Wl,--gc-sections,-z,noexecstack
                    -T${READER}/tcm.ld -L${BOARD} -Tmps2-an385.ld)
target_link_libraries(placed.elf PRIVATE zephyr)
