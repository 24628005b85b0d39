# What `cmake --install` installs: the program with its files, and the libraries as a package that find_package(ecube CONFIG)
# finds. Everything is found from where it is, so that the prefix can be moved.

include(GNUInstallDirs)
# The program takes no sources from a folder in which others can write, whatever the umask of who installs it.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CMakePackageConfigHelpers)
set(ecube_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ecube)
set(ecube_files_dir ${CMAKE_INSTALL_DATADIR}/ecube)

# Everything that is compiled for it; tests are not.
add_custom_target(ecube_installed DEPENDS ecube ecube_documentation)

install(TARGETS ecube RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES ${PROJECT_BINARY_DIR}/documents/ecube.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/documents/ecube.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ecube)

install(FILES README.md CHANGELOG.md GLOSSARY.md SECURITY.md CITATION.cff models/machine/PARAMETERS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# What a newcomer and an integrator of the hardware read, in the folders that the pages name.
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/testbench/tutorials/*.md ${PROJECT_SOURCE_DIR}/testbench/pictures/*)
foreach(page hw/README.md hw/clocked/README.md hw/program/README.md hw/rtl/PROTOCOL.md hw/rtl/README.md testbench/examples/README.md ${pages})
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

# Report pages: ECharts, if it has been fetched from npm, with its licence.
set(echarts ${PROJECT_BINARY_DIR}/npm/ecube_charts/node_modules/echarts)
install(FILES ${echarts}/dist/echarts.min.js ${echarts}/LICENSE ${echarts}/NOTICE DESTINATION ${ecube_files_dir}/report OPTIONAL)

# Studies to begin with.
file(GLOB studies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/testbench/studies/*.toml)
install(FILES ${studies} ${PROJECT_SOURCE_DIR}/testbench/studies/README.md DESTINATION ${ecube_files_dir}/studies)

# Programs in one file each.
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/testbench/examples/programs/*.cpp)
set(applications fft transpose adi conjugate_gradient shared)
list(TRANSFORM applications REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/sw/examples/\\1.cpp" OUTPUT_VARIABLE application_files)
install(FILES ${programs} ${application_files} DESTINATION ${ecube_files_dir}/programs)
# Their studies name them from where both are installed.
foreach(application IN LISTS applications)
  file(READ ${PROJECT_SOURCE_DIR}/testbench/studies/applications/${application}.toml study)
  string(REPLACE "../../../sw/examples/" "../../programs/" study "${study}")
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/studies/applications/${application}.toml CONTENT "${study}")
  install(FILES ${PROJECT_BINARY_DIR}/studies/applications/${application}.toml DESTINATION ${ecube_files_dir}/studies/applications)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/testbench/studies/applications/README.md DESTINATION ${ecube_files_dir}/studies/applications)

# The Python module.
install(FILES testbench/python/ecube.py testbench/python/exchange.ipynb testbench/python/README.md DESTINATION ${ecube_files_dir}/python)

# The routers in SystemVerilog, which the program builds on first use.
install(FILES cmake/rtl/CMakeLists.txt DESTINATION ${ecube_files_dir}/rtl)
install(FILES cmake/EcubeSealed.cmake cmake/EcubeSystemC.cmake cmake/EcubeVerilated.cmake DESTINATION ${ecube_files_dir}/rtl/cmake)
get_property(rtl_files GLOBAL PROPERTY ECUBE_RTL_FILES)
foreach(file IN LISTS rtl_files)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  cmake_path(NORMAL_PATH file)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES ${file} DESTINATION ${ecube_files_dir}/rtl/${folder})
endforeach()

# Designs of one's own to begin with.
foreach(example embed experiment program router)
  install(FILES testbench/examples/${example}/CMakeLists.txt testbench/examples/${example}/main.cpp DESTINATION ${ecube_files_dir}/examples/${example})
endforeach()

# Libraries.
set_target_properties(ecube_testbench PROPERTIES EXPORT_NAME testbench)
set_target_properties(ecube_fst PROPERTIES EXPORT_NAME fst)
install(TARGETS ecube_models ecube_sw ecube_hw ecube_testbench ecube_fst EXPORT ecubeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  DIRECTORY models sw hw testbench ${PROJECT_BINARY_DIR}/generated/testbench
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ecube
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN hw/rtl/vectors.h EXCLUDE
  PATTERN testbench/examples EXCLUDE
  PATTERN testbench/pictures EXCLUDE
  PATTERN testbench/studies EXCLUDE
  PATTERN testbench/report/page EXCLUDE)
install(EXPORT ecubeTargets NAMESPACE ecube:: DESTINATION ${ecube_package_dir})

configure_package_config_file(cmake/ecubeConfig.cmake.in ${PROJECT_BINARY_DIR}/ecubeConfig.cmake
                              INSTALL_DESTINATION ${ecube_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ecubeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ecubeConfig.cmake ${PROJECT_BINARY_DIR}/ecubeConfigVersion.cmake
              cmake/EcubeSystemC.cmake DESTINATION ${ecube_package_dir})
