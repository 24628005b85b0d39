# Imports the FST reader and writer whose source comes with Verilator (Debian's package verilator), as ecube::fst.
if(TARGET ecube::fst)
  return()
endif()

find_program(VERILATOR verilator)
find_package(ZLIB REQUIRED)
if(NOT VERILATOR)
  message(FATAL_ERROR "waveforms need Debian's package verilator, which ./ecube installs")
endif()
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE verilator_root OUTPUT_STRIP_TRAILING_WHITESPACE)
# A copy in the build tree, for one number: every signal of a block is compressed by itself, and LZ4 clears its table for each. Most are
# short: a table of 1 KB serves as well as one of 16 KB.
set(fst ${CMAKE_BINARY_DIR}/fst)
set(size_of_table "define LZ4_MEMORY_USAGE 14")
file(READ ${verilator_root}/include/gtkwave/lz4.h text)
if(NOT text MATCHES "${size_of_table}")
  message(FATAL_ERROR "${verilator_root}/include/gtkwave/lz4.h has no line '${size_of_table}': this version of Verilator has another LZ4, "
                      "and cmake/EcubeFst.cmake has to say anew how its table becomes small")
endif()
foreach(file fastlz.c fastlz.h fst_config.h fst_win_unistd.h fstapi.c fstapi.h lz4.c lz4.h wavealloca.h)
  file(READ ${verilator_root}/include/gtkwave/${file} text)
  string(REPLACE "${size_of_table}" "define LZ4_MEMORY_USAGE 10" text "${text}")
  file(CONFIGURE OUTPUT ${fst}/${file} CONTENT "${text}" @ONLY)
endforeach()

add_library(ecube_fst STATIC ${fst}/fstapi.c ${fst}/lz4.c ${fst}/fastlz.c)
add_library(ecube::fst ALIAS ecube_fst)
set_target_properties(ecube_fst PROPERTIES UNITY_BUILD OFF)
target_include_directories(ecube_fst SYSTEM PUBLIC $<BUILD_INTERFACE:${fst}>)
# Its files are closed and read by ours (testbench/trace/waves/wave_writer.cpp): it would map them into memory, where a full disk is SIGBUS.
target_compile_definitions(ecube_fst PRIVATE "FST_CONFIG_INCLUDE=\"fst_config.h\"" tmpfile=ecube_temporary_file fclose=ecube_close
                           mmap=ecube_map munmap=ecube_unmap)
# It stores words at any address, and is not ours to clear of warnings.
target_compile_options(ecube_fst PRIVATE -w -fno-sanitize=all)
target_link_libraries(ecube_fst PUBLIC ZLIB::ZLIB)
