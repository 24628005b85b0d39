// SPDX-License-Identifier: Apache-2.0
// The entry point that libsystemc refers to; tests have GoogleTest's main instead.
#include <systemc>

int sc_main(int, char**) { return 0; }
