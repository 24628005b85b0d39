# Files as text in the program.

# In ${result}: the texts of files of a folder of the project, in the order given, as one string literal of C++. A literal has 64 KB at
# most in the standard, so that long texts are several beside each other.
function(ecube_literal result folder)
  set(literal "")
  foreach(file ${ARGN})
    set(source ${PROJECT_SOURCE_DIR}/${folder}/${file})
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

# Appends to ${text_sources} a source with the text of a file of the project, as std::string_view SYMBOL of namespace ecube.
function(ecube_text_source symbol folder file)
  ecube_literal(text ${folder} ${file})
  set(source ${PROJECT_BINARY_DIR}/generated/${folder}/${symbol}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT [[
#include <string_view>

namespace ecube {

extern const std::string_view @symbol@;
const std::string_view @symbol@ = @text@;

}  // namespace ecube
]] @ONLY)
  set(text_sources ${text_sources} ${source} PARENT_SCOPE)
endfunction()
