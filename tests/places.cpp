// SPDX-License-Identifier: Apache-2.0
#include "tests/places.h"

std::string in_tree(const std::string& file) { return file.empty() ? ECUBE_ROOT : ECUBE_ROOT "/" + file; }
std::string in_build(const std::string& file) { return file.empty() ? ECUBE_BUILD : ECUBE_BUILD "/" + file; }
std::string ecube_program() { return ECUBE_PROGRAM; }
