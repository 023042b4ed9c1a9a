# The headers alone: what vcpkg builds needs no Rust. SHA512 is that of the release's archive, and changes with the version.
vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO gimmal/gimmal
  REF "v${VERSION}"
  SHA512 0
  HEAD_REF main)

set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DGIMMAL_LIBRARY=OFF -DGIMMAL_INSTALL=ON)
vcpkg_cmake_install()
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-MIT" "${SOURCE_PATH}/LICENSE-APACHE")
