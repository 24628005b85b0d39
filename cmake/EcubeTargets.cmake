# How this project's own targets are built: warnings are errors here and nowhere else.

add_library(ecube_warnings INTERFACE)
target_compile_options(ecube_warnings INTERFACE -Wall -Wextra -Wconversion -Werror -ffp-contract=off
                       # In sources that are compiled together two warnings mean nothing: of names that hide those of another source, and of
                       # types without linkage in what looks like a header.
                       $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,-Wno-subobject-linkage,-Wshadow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping and overlong copies, and with sanitizers of uninitialised members, inside its own library (GCC bugs
  # 105651, 105329, 105562).
  target_compile_options(ecube_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized)
endif()

# Several sources of a library are compiled at once: a first build takes a third of the time. Names without linkage are then seen by
# the sources that follow, so that each stands for one thing in its library.
option(CMAKE_UNITY_BUILD "Compile several sources of a library at once" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 25)

# Sources whose speed hardly matters are optimised only a little, and not at all for sanitizers: both compile a third faster.
if(ECUBE_SANITIZE)
  set(ecube_quick -O0)
else()
  set(ecube_quick $<$<CONFIG:Release>:-O1>)
endif()

# ecube_library(NAME SOURCES...): one layer of the project. Sources include each other from the root of the tree.
function(ecube_library name)
  add_library(ecube_${name} STATIC ${ARGN})
  add_library(ecube::${name} ALIAS ecube_${name})
  target_include_directories(ecube_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                  $<INSTALL_INTERFACE:include/ecube>)
  target_compile_features(ecube_${name} PUBLIC cxx_std_20)
  target_link_libraries(ecube_${name} PRIVATE $<BUILD_INTERFACE:ecube_warnings>)
  # SystemC's messages name the source file they come from: by its path in the source tree, so that nothing installed has a path of this machine.
  target_compile_options(ecube_${name} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  set_target_properties(ecube_${name} PROPERTIES EXPORT_NAME ${name})
endfunction()
