# How this project's own targets are built: warnings are errors here and nowhere else.

add_library(ecube_warnings INTERFACE)
target_compile_options(ecube_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies inside its own std::string::operator+ (GCC bug 105651).
  target_compile_options(ecube_warnings INTERFACE -Wno-restrict)
endif()

# ecube_library(NAME SOURCES...): one layer of the project. Sources include each other from the root of the tree.
function(ecube_library name)
  add_library(ecube_${name} STATIC ${ARGN})
  add_library(ecube::${name} ALIAS ecube_${name})
  target_include_directories(ecube_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                  $<INSTALL_INTERFACE:include/ecube>)
  target_compile_features(ecube_${name} PUBLIC cxx_std_20)
  target_link_libraries(ecube_${name} PRIVATE $<BUILD_INTERFACE:ecube_warnings>)
  set_target_properties(ecube_${name} PROPERTIES EXPORT_NAME ${name})
endfunction()
