// SPDX-License-Identifier: Apache-2.0
// Machines, as settings, on which statements of the lessons are false; each statement is false on one of them.
const noSorting = ['core.permute=0 cycles/byte', 'core.permute_tuned=0 cycles/byte', 'memory.transfer=0 cycles', 'memory.page_miss=0 cycles'];
export const changes = {
  multiphase: [
    ['core.permute=100 cycles/byte'],
    noSorting,
    ['library.send=2000 us', 'library.send_zero=2000 us', 'library.control_send=2000 us'],
    ['library.receive=500 us'],
    ['link.phit=1 B', 'link.cycles_per_phit=20000 cycles'],
    ['link.phit=2 KB', 'link.cycles_per_phit=1000 cycles'],
  ],
  'hold-and-wait': [
    ['network.switching=store-and-forward'],
    ['link.phit=64 B'],
    ['link.cycles_per_phit=100 cycles'],
  ],
  saturation: [
    ['link.phit=128 B', 'library.send=0 cycles'],
    ['link.phit=128 B'],
    ['link.cycles_per_phit=20 cycles'],
    ['library.send=5000 cycles'],
  ],
};
