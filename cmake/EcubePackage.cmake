# `./ecube package`: a Debian package of what `cmake --install` installs (CPack).

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ecube)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The ecube authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level simulator of circuit-switched hypercubes")
set(CPACK_PACKAGE_DESCRIPTION
    "Node firmware runs published collective algorithms on e-cube routers that hold
their links until the tail of a message has passed. What the machine measures
stands beside what the published cost equations predict.
.
The package has the program, studies to begin with, the routers in SystemVerilog,
and the libraries for SystemC designs of one's own.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# --engine rtl is built on first use; view shows waveforms.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "verilator, cmake, ninja-build, g++, pkg-config, libsystemc-dev, gtkwave, bash-completion")
# Without a display; clusters; what find_package(ecube) needs besides.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "xvfb, xauth, sqlite3, slurm-client, libfmt-dev, nlohmann-json3-dev, libsqlitecpp-dev, libsqlite3-dev, libxxhash-dev, nettle-dev, zlib1g-dev")
include(CPack)
