// SPDX-License-Identifier: Apache-2.0
// Where this checkout and its build are. Only places.cpp is compiled with their paths: compiler caches know the tests
// of other checkouts.
#pragma once

#include <string>

/// The path of the project's top level, or of a file by its name from there; and the same of the build.
std::string in_tree(const std::string& file = {});
std::string in_build(const std::string& file = {});

/// The path of the program.
std::string ecube_program();
