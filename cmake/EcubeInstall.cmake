# What `cmake --install` installs: the program, and the libraries as a package that find_package(ecube CONFIG) finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ecube_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ecube)

install(TARGETS ecube_models ecube_sw ecube_hw EXPORT ecubeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ecube RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(
  DIRECTORY models sw hw
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ecube
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN examples EXCLUDE
  PATTERN rtl EXCLUDE)
install(EXPORT ecubeTargets NAMESPACE ecube:: DESTINATION ${ecube_package_dir})

configure_package_config_file(cmake/ecubeConfig.cmake.in ${PROJECT_BINARY_DIR}/ecubeConfig.cmake
                              INSTALL_DESTINATION ${ecube_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ecubeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ecubeConfig.cmake ${PROJECT_BINARY_DIR}/ecubeConfigVersion.cmake
              cmake/EcubeSystemC.cmake DESTINATION ${ecube_package_dir})
