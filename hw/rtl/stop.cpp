// SPDX-License-Identifier: Apache-2.0
// Verilator's run-time calls this function when an assertion fails; its own version would end the process.
#include "hw/rtl/stop.h"

std::string& ecube::rtl::failed_assertion() {
  static std::string text;
  return text;
}

void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  std::string& failed = ecube::rtl::failed_assertion();
  if (!failed.empty()) return;
  const std::string path = file;
  failed = path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
}
