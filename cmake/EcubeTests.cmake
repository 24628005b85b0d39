# How tests are built and made known to CTest. Labels: `default` or `long`; `unsanitized` for what does not run under sanitizers.

find_package(GTest REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
include(GoogleTest)

# ecube_tests(ROOM [LIBS target...] [FIRST library...] [DEPENDS target...] [PREFIX text] [STARTS_PROGRAMS]
#             [OPTIMISED source...] [ALL_CASES filter...] [LONG filter...] [UNSANITIZED regex...] [SLOW regex...] SOURCES source...)
#
# The program ROOM_tests. CTest runs each of its tests in a process of its own, because a SystemC process can elaborate only once.
#   STARTS_PROGRAMS  its tests run none of the project's code in their own process, and are compiled without sanitizers
#   FIRST        these of the libraries are linked whole and before the tests: of an inline function the linker takes the first that it
#                meets, and those of the tests are not optimised
#   ALL_CASES    these tests take some of their cases by default; a long test, All.NAME, takes all of them (tests/effort.h)
#   LONG         these tests are long ones only
#   UNSANITIZED  these need what the sanitizers' build lacks, or run none of its code
#   SLOW         these take seconds: CTest starts them first, so that no processor waits for the last of them
# ALL_CASES and LONG are filters of GoogleTest.
function(ecube_tests room)
  cmake_parse_arguments(arg "STARTS_PROGRAMS" "PREFIX" "LIBS;FIRST;DEPENDS;OPTIMISED;ALL_CASES;LONG;UNSANITIZED;SLOW;SOURCES" ${ARGN})
  set(program ${room}_tests)
  add_executable(${program} ${arg_SOURCES})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${program} PRIVATE ecube_warnings ecube_places ${arg_LIBS} nlohmann_json::nlohmann_json fmt::fmt GTest::gtest_main)
  target_compile_definitions(${program} PRIVATE ECUBE_CMAKE="${CMAKE_COMMAND}")
  if(ECUBE_SANITIZE)
    target_compile_definitions(${program} PRIVATE ECUBE_SANITIZED) # Fewer cases (tests/effort.h)
    if(arg_STARTS_PROGRAMS)
      target_compile_options(${program} PRIVATE -fno-sanitize=all)
    endif()
  endif()
  if(arg_FIRST)
    list(TRANSFORM arg_FIRST REPLACE ".+" "$<TARGET_FILE:\\0>" OUTPUT_VARIABLE first)
    target_link_options(${program} PRIVATE LINKER:--whole-archive ${first} LINKER:--no-whole-archive)
  endif()
  if(arg_DEPENDS)
    add_dependencies(${program} ${arg_DEPENDS})
  endif()
  # Most time of a test goes to the machine that it runs, which is optimised in full; most time of a build to the tests.
  target_compile_options(${program} PRIVATE -O0 -Wshadow)
  # The compiler cache knows what was compiled in another checkout where no path of the checkout is in it: GoogleTest writes __FILE__ into
  # each test, and places.cpp alone has the others.
  target_compile_options(${program} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  set_source_files_properties(${arg_OPTIMISED} PROPERTIES COMPILE_OPTIONS "${ecube_quick}")

  list(JOIN arg_LONG ":" long)
  list(JOIN arg_ALL_CASES ":" all_cases)
  gtest_discover_tests(${program} TEST_PREFIX "${arg_PREFIX}" TEST_FILTER "*-${long}" DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS default TIMEOUT 1200)
  if(all_cases)
    gtest_discover_tests(${program} TEST_PREFIX "All.${arg_PREFIX}" TEST_FILTER "${all_cases}" TEST_LIST ${program}_ALL DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS long TIMEOUT 14400 ENVIRONMENT ECUBE_ALL_CASES=1)
  endif()
  if(long)
    gtest_discover_tests(${program} TEST_PREFIX "${arg_PREFIX}" TEST_FILTER "${long}" TEST_LIST ${program}_LONG DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS long TIMEOUT 14400)
  endif()
  # CTest reads this after what it has discovered.
  list(APPEND arg_UNSANITIZED -) # No name begins with it.
  list(APPEND arg_SLOW -)
  list(JOIN arg_UNSANITIZED "|" unsanitized)
  list(JOIN arg_SLOW "|" slow)
  file(CONFIGURE OUTPUT ${program}_labels.cmake CONTENT [[
foreach(test IN LISTS @program@_TESTS)
  if(test MATCHES [==[^@arg_PREFIX@(@unsanitized@)]==])
    set_tests_properties("${test}" PROPERTIES LABELS "default;unsanitized")
  endif()
  if(test MATCHES [==[^@arg_PREFIX@(@slow@)]==])
    set_tests_properties("${test}" PROPERTIES COST 20)
  endif()
endforeach()
]] @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${program}_labels.cmake)
endfunction()

# ecube_test(NAME [LONG] [SANITIZED] [COST seconds] [EXPECT regex] [KEPT path...] COMMAND command...): a test that is no program of
# GoogleTest's, started in the folder of its CMakeLists.txt. With EXPECT it passes by its output, whatever its status. With KEPT it
# depends on nothing but these files of the project, and does not run again before they change (tests/kept).
function(ecube_test name)
  cmake_parse_arguments(arg "LONG;SANITIZED" "COST;EXPECT" "KEPT;COMMAND" ${ARGN})
  if(arg_KEPT)
    if(arg_EXPECT)
      list(PREPEND arg_KEPT --expect "${arg_EXPECT}")
    endif()
    list(PREPEND arg_COMMAND ${PROJECT_SOURCE_DIR}/tests/kept ${arg_KEPT} --)
    unset(arg_EXPECT)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_LONG)
    set_tests_properties(${name} PROPERTIES LABELS "long;unsanitized" TIMEOUT 3600)
  elseif(arg_SANITIZED)
    set_tests_properties(${name} PROPERTIES LABELS default TIMEOUT 1200)
  else()
    set_tests_properties(${name} PROPERTIES LABELS "default;unsanitized" TIMEOUT 1200)
  endif()
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
  if(arg_EXPECT)
    set_tests_properties(${name} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_EXPECT}")
  endif()
endfunction()
