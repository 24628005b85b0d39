# What pages are made of: the files of testbench/report/page, testbench/lesson/lessons and the tables of testbench/reproduction, in the program, and
# ECharts from npm, read when a page is made.

include(EcubeLiteral)
ecube_literal(ecube_page_html testbench/report/page page.html)
ecube_literal(ecube_page_css testbench/report/page page.css)
set(scripts page circuits_model clock replay_scene replay load contention circuits run compare study results lesson main)
list(TRANSFORM scripts APPEND .js)
ecube_literal(ecube_page_js testbench/report/page ${scripts})
foreach(lesson multiphase hold saturation)
  ecube_literal(ecube_${lesson}_plan testbench/lesson/lessons ${lesson}.json)
  ecube_literal(ecube_${lesson}_text testbench/lesson/lessons ${lesson}.html)
endforeach()
foreach(table claims origins known_differences results statements swot)
  ecube_literal(ecube_${table} testbench/reproduction ${table}.tsv)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/testbench/reproduction/claims_text.cpp.in ${PROJECT_BINARY_DIR}/generated/testbench/reproduction/claims_text.cpp @ONLY)
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
