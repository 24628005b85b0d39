# What pages are made of: the files of testbench/report/page, testbench/lesson/lessons and tables, in the program, and
# ECharts from npm, read when a page is made.

include(EcubeLiteral)
ecube_literal(ecube_page_html testbench/report/page page.html)
ecube_literal(ecube_page_css testbench/report/page page.css)
set(scripts page circuits_model replay_scene replay load links run compare study results lesson main)
list(TRANSFORM scripts APPEND .js)
ecube_literal(ecube_page_js testbench/report/page ${scripts})
foreach(lesson multiphase hold saturation)
  ecube_literal(ecube_${lesson}_plan testbench/lesson/lessons ${lesson}.json)
  ecube_literal(ecube_${lesson}_text testbench/lesson/lessons ${lesson}.html)
endforeach()
set(ecube_tables "")
foreach(
  table
  reproduction/checks
  reproduction/claims
  reproduction/known_differences
  reproduction/mesh_rounds
  reproduction/origins
  reproduction/panels
  reproduction/printed
  reproduction/results
  reproduction/statements
  reproduction/swot
  run/figures
  sweep/store/units
  validation/broken
  validation/families
  validation/grids
  validation/mapped
  validation/tolerances)
  get_filename_component(name ${table} NAME)
  ecube_literal(text testbench ${table}.tsv)
  string(APPEND ecube_tables "extern const char* const ${name}_table;\nconst char* const ${name}_table = ${text};\n\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/testbench/text/tables.cpp.in ${PROJECT_BINARY_DIR}/generated/testbench/text/tables.cpp @ONLY)
# The last field of a result is the function that makes it.
file(READ ${PROJECT_SOURCE_DIR}/testbench/reproduction/results.tsv text)
string(REGEX MATCHALL "\t[a-z0-9_]+\n" functions "${text}")
string(REGEX REPLACE "[\n\t]" "" functions "${functions}")
string(REPLACE ";" "," ecube_functions "${functions}")
list(REMOVE_DUPLICATES functions)
list(TRANSFORM functions APPEND "(Findings&, MeasuredMachine&)")
string(REPLACE ";" ", " ecube_parameters "${functions}")
configure_file(${PROJECT_SOURCE_DIR}/testbench/reproduction/result_functions.h.in ${PROJECT_BINARY_DIR}/generated/testbench/reproduction/result_functions.h)
configure_file(${PROJECT_SOURCE_DIR}/testbench/lesson/lesson_text.cpp.in ${PROJECT_BINARY_DIR}/generated/testbench/lesson/lesson_text.cpp @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/testbench/report/assets.cpp.in ${PROJECT_BINARY_DIR}/generated/testbench/report/assets.cpp @ONLY)

# ecube_npm(TARGET FOLDER): a target that has the packages which the lock file in a folder pins, in npm/TARGET of the build tree.
function(ecube_npm target folder)
  set(place ${PROJECT_BINARY_DIR}/npm/${target})
  add_custom_command(
    OUTPUT ${place}/.installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${place}
    COMMAND ${CMAKE_COMMAND} -E copy ${folder}/package.json ${folder}/package-lock.json ${place}
    COMMAND ${CMAKE_COMMAND} -E chdir ${place} npm ci --no-audit --no-fund --ignore-scripts
    COMMAND ${CMAKE_COMMAND} -E touch ${place}/.installed
    DEPENDS ${folder}/package.json ${folder}/package-lock.json
    COMMENT "packages of ${target} from npm")
  add_custom_target(${target} DEPENDS ${place}/.installed)
endfunction()
ecube_npm(ecube_charts ${PROJECT_SOURCE_DIR}/testbench/report)
