# SystemC as an imported target: Debian ships a pkg-config file only.
find_package(PkgConfig REQUIRED)
if(NOT TARGET ecube::systemc)
  pkg_check_modules(ECUBE_SYSTEMC REQUIRED systemc)
  find_library(ECUBE_SYSTEMC_LIBRARY systemc HINTS ${ECUBE_SYSTEMC_LIBRARY_DIRS} REQUIRED)
  add_library(ecube::systemc INTERFACE IMPORTED)
  target_include_directories(ecube::systemc SYSTEM INTERFACE ${ECUBE_SYSTEMC_INCLUDE_DIRS})
  target_link_libraries(ecube::systemc INTERFACE ${ECUBE_SYSTEMC_LIBRARY} pthread)
  # The library was compiled as C++17 and checks for the same language version when linked.
  target_compile_definitions(ecube::systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()
