# find_package(gimmal): what an installed gimmal has.
#
#   gimmal::headers   the headers alone, which is all that gimmal_inline.h and gimmal.hpp need
#   gimmal::static    libgimmal.a, and the headers     component static
#   gimmal::shared    libgimmal.so, and the headers    component shared
#   gimmal::gimmal    the shared library if BUILD_SHARED_LIBS asks for it or there is no other, else the static one
#
# A component that is asked for and not installed makes the package not found.

get_filename_component(gimmal_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(gimmal_INCLUDE_DIR "${gimmal_PREFIX}/include")

if(NOT TARGET gimmal::headers)
  add_library(gimmal::headers INTERFACE IMPORTED)
  set_target_properties(gimmal::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${gimmal_INCLUDE_DIR}")
  include("${CMAKE_CURRENT_LIST_DIR}/gimmalStandards.cmake")
  gimmal_require_standards(gimmal::headers)
endif()

# One library file below the prefix, as a target; whoever moves the whole prefix need not change anything.
foreach(gimmal_FORM IN ITEMS static shared)
  if(gimmal_FORM STREQUAL "static")
    set(gimmal_FILE libgimmal.a)
    set(gimmal_TYPE STATIC)
  else()
    set(gimmal_FILE libgimmal.so)
    set(gimmal_TYPE SHARED)
  endif()
  file(GLOB gimmal_LIBRARY "${gimmal_PREFIX}/lib/${gimmal_FILE}" "${gimmal_PREFIX}/lib64/${gimmal_FILE}"
       "${gimmal_PREFIX}/lib/*-*/${gimmal_FILE}")
  if(gimmal_LIBRARY)
    list(GET gimmal_LIBRARY 0 gimmal_LIBRARY)
    set(gimmal_${gimmal_FORM}_FOUND TRUE)
    if(NOT TARGET gimmal::${gimmal_FORM})
      add_library(gimmal::${gimmal_FORM} ${gimmal_TYPE} IMPORTED)
      set_target_properties(gimmal::${gimmal_FORM} PROPERTIES IMPORTED_LOCATION "${gimmal_LIBRARY}"
                                                              INTERFACE_LINK_LIBRARIES gimmal::headers)
    endif()
  endif()
endforeach()

if(NOT TARGET gimmal::gimmal)
  if(gimmal_shared_FOUND AND (BUILD_SHARED_LIBS OR NOT gimmal_static_FOUND))
    add_library(gimmal::gimmal INTERFACE IMPORTED)
    set_target_properties(gimmal::gimmal PROPERTIES INTERFACE_LINK_LIBRARIES gimmal::shared)
  elseif(gimmal_static_FOUND)
    add_library(gimmal::gimmal INTERFACE IMPORTED)
    set_target_properties(gimmal::gimmal PROPERTIES INTERFACE_LINK_LIBRARIES gimmal::static)
  endif()
endif()

set(gimmal_headers_FOUND TRUE)
foreach(gimmal_FORM IN LISTS gimmal_FIND_COMPONENTS)
  if(gimmal_FIND_REQUIRED_${gimmal_FORM} AND NOT gimmal_${gimmal_FORM}_FOUND)
    set(gimmal_FOUND FALSE)
    set(gimmal_NOT_FOUND_MESSAGE "gimmal is installed in ${gimmal_PREFIX} without its component ${gimmal_FORM}")
  endif()
endforeach()
