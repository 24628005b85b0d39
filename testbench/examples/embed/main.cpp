// SPDX-License-Identifier: Apache-2.0
// A hypercube inside another SystemC design: a module that waits for the cube's barrier.
#include <cstdio>

#include "hw/cube.h"
#include "sw/barrier.h"
#include "sw/firmware.h"

SC_MODULE(Watcher) {
  ecube::Cube cube{"cube", 3};
  ecube::Firmware firmware{[](ecube::Node& node) { return ecube::barrier(node); }};

  SC_CTOR(Watcher) { SC_THREAD(watch); }
  void watch() {
    wait(10, sc_core::SC_NS);
    cube.load(firmware);
    wait(cube.finished());
    std::printf("barrier of %u nodes: %llu cycles, ended at %s\n", 1U << cube.dim(),
                static_cast<unsigned long long>(cube.result().cycles), sc_core::sc_time_stamp().to_string().c_str());
    cube.unload();
  }
};

int sc_main(int, char**) {
  Watcher watcher("watcher");
  sc_core::sc_start();
  return 0;
}
