# Finds SystemC and makes the target ecube::systemc. Used by the build and by the installed package alike.

# Debian built libsystemc as C++17: a program in C++20 links only if it asks for that interface.
set(ECUBE_SYSTEMC_CPLUSPLUS 201703L CACHE STRING "Value of __cplusplus with which libsystemc was built")
mark_as_advanced(ECUBE_SYSTEMC_CPLUSPLUS)

if(NOT TARGET ecube::systemc)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(ECUBE_SYSTEMC QUIET IMPORTED_TARGET GLOBAL systemc>=2.3.4)
  endif()
  if(TARGET PkgConfig::ECUBE_SYSTEMC)
    add_library(ecube::systemc INTERFACE IMPORTED GLOBAL)
    target_link_libraries(ecube::systemc INTERFACE PkgConfig::ECUBE_SYSTEMC)
    target_compile_definitions(ecube::systemc INTERFACE SC_CPLUSPLUS=${ECUBE_SYSTEMC_CPLUSPLUS})
  elseif(NOT CMAKE_FIND_PACKAGE_NAME)
    message(FATAL_ERROR "SystemC 2.3.4 or later not found by pkg-config (Debian: libsystemc-dev, pkg-config)")
  endif()
endif()
