# What a report page is made of: the files of testbench/report/page, in the program, and ECharts from npm, read when a page is made.
set(ecube_npm ${PROJECT_BINARY_DIR}/npm)
set(ECUBE_ECHARTS ${ecube_npm}/node_modules/echarts/dist/echarts.min.js)

# A string literal of C++ has 64 KB at most in the standard.
function(ecube_literal result)
  set(literal "")
  foreach(file ${ARGN})
    set(source ${PROJECT_SOURCE_DIR}/testbench/report/page/${file})
    file(READ ${source} text)
    string(LENGTH "${text}" length)
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 16000 piece)
      string(APPEND literal "R\"ecube(${piece})ecube\"\n")
      math(EXPR at "${at} + 16000")
    endwhile()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  set(${result} "${literal}" PARENT_SCOPE)
endfunction()
ecube_literal(ecube_page_html page.html)
ecube_literal(ecube_page_css page.css)
ecube_literal(ecube_page_js page.js run.js compare.js study.js main.js)
configure_file(${PROJECT_SOURCE_DIR}/testbench/report/assets.cpp.in ${PROJECT_BINARY_DIR}/generated/testbench/report/assets.cpp @ONLY)

# Packages from npm, as the lock file pins them. ./ecube report builds the first, the tests the second.
find_program(NPM npm)
set(lock ${PROJECT_SOURCE_DIR}/testbench/report/package-lock.json)
foreach(set charts browser)
  set(arguments ci --no-audit --no-fund --ignore-scripts)
  if(set STREQUAL charts)
    list(APPEND arguments --omit=dev)
  endif()
  add_custom_command(
    OUTPUT ${ecube_npm}/.${set}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${ecube_npm}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/testbench/report/package.json ${lock} ${ecube_npm}
    COMMAND ${CMAKE_COMMAND} -E chdir ${ecube_npm} ${NPM} ${arguments}
    COMMAND ${CMAKE_COMMAND} -E touch ${ecube_npm}/.${set}
    DEPENDS ${lock}
    COMMENT "packages from npm")
endforeach()
add_custom_target(ecube_charts DEPENDS ${ecube_npm}/.charts)
add_custom_target(ecube_browser DEPENDS ${ecube_npm}/.browser)
