# Makes one source of all that Verilator wrote, whose number and names only Verilator knows.
file(GLOB written RELATIVE ${DIRECTORY} ${DIRECTORY}/${CLASS}*.cpp)
list(FILTER written EXCLUDE REGEX "__ALL")
list(SORT written)
set(text "// All of ${CLASS} and of Verilator's run-time that it needs.\n")
foreach(file ${RUN_TIME} ${written})
  string(APPEND text "#include \"${file}\"\n")
endforeach()
file(WRITE ${DIRECTORY}/all.cpp "${text}")
