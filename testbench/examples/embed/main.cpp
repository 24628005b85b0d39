// SPDX-License-Identifier: Apache-2.0
// A hypercube inside another SystemC design: a module that waits for the cube's barrier.
#include <cstdio>

#include "hw/cube.h"
#include "sw/api/barrier.h"
#include "sw/api/firmware.h"

SC_MODULE(Watcher) {
  ecube::Cube cube{"cube", 3};
  ecube::Firmware firmware{[](ecube::Node& node) { return ecube::barrier(node); }};

  SC_CTOR(Watcher) {
    SC_METHOD(begin);
    sensitive << go_;
    dont_initialize();
    SC_METHOD(report);
    sensitive << cube.finished();
    dont_initialize();
    go_.notify(10, sc_core::SC_NS);
  }
  void begin() { cube.load(firmware); }
  void report() {
    std::printf("barrier of %u nodes: %llu cycles, ended at %s\n", cube.topology().nodes(),
                static_cast<unsigned long long>(cube.result().cycles), sc_core::sc_time_stamp().to_string().c_str());
    cube.unload();
  }

 private:
  sc_core::sc_event go_;
};

int sc_main(int, char**) {
  Watcher watcher("watcher");
  sc_core::sc_start();
  return 0;
}
