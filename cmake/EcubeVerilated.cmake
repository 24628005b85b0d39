# Makes one source of all that Verilator wrote for a model, whose number and names only Verilator knows.
file(GLOB written RELATIVE ${DIRECTORY} ${DIRECTORY}/${CLASS}*.cpp)
list(FILTER written EXCLUDE REGEX "__ALL")
list(SORT written)
set(text "// All of ${CLASS}.\n")
foreach(file ${written})
  string(APPEND text "#include \"${file}\"\n")
endforeach()
file(WRITE ${DIRECTORY}/all.cpp "${text}")
