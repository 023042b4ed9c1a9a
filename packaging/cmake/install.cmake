# Headers, libraries if they are built, and the files by which CMake and pkg-config find them.

if(NOT CMAKE_INSTALL_LIBDIR)
  set(CMAKE_INSTALL_LIBDIR lib)
endif()

install(DIRECTORY include/ DESTINATION include FILES_MATCHING PATTERN *.h PATTERN *.hpp)
# gimmalConfig.cmake finds the prefix three folders up.
install(FILES packaging/cmake/gimmalConfig.cmake packaging/cmake/gimmalConfigVersion.cmake packaging/cmake/gimmalStandards.cmake
        DESTINATION share/gimmal/cmake)

if(GIMMAL_LIBRARY)
  install(FILES ${built}/libgimmal.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(
    FILES ${built}/libgimmal.so
    DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RENAME ${soname}
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  # A link to the file above, for those who link.
  file(CREATE_LINK ${soname} ${CMAKE_CURRENT_BINARY_DIR}/libgimmal.so SYMBOLIC)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libgimmal.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
  configure_file(packaging/cmake/gimmal.pc.in gimmal.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gimmal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
