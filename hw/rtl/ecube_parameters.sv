// SPDX-License-Identifier: Apache-2.0
// Parameters of all modules, checked in one place: each module has an instance of this one, which
// has no hardware. A wrong one is an error when Verilator or yosys elaborates the module; Icarus
// knows no such task, and stops when the simulation begins.
`ifdef __ICARUS__
`define ECUBE_REFUSE(text) initial $fatal(1, text)
`else
`define ECUBE_REFUSE(text) $error(text)
`endif

module ecube_parameters #(
    parameter int Dim = 1,
    parameter int Ports = 1,
    parameter int Width = 64,
    parameter int Key = 0,  // bits of a probe that only interface ports read
    parameter int Time = 32,
    parameter int Worms = 0,
    parameter int Buffer = 1,
    parameter int Inputs = 2,
    parameter int Input = 0
) ();
  if (Dim < 1 || Dim > ecube_pkg::MostDimensions) begin : g_dim
    `ECUBE_REFUSE("Dim has to be 1 to 8");
  end
  if (Ports != 1 && Ports != Dim) begin : g_ports
    `ECUBE_REFUSE("Ports has to be 1 or Dim");
  end
  if (Width < 2 * Dim + Key + 2) begin : g_width
    `ECUBE_REFUSE("Width has to be 2 Dim + 2 at least, with interface ports 2 Dim + 21: a probe");
  end
  if (Time < 2 || Time > 32) begin : g_time
    `ECUBE_REFUSE("Time has to be 2 to 32");
  end
  if (Worms != 0 && Worms != 1) begin : g_worms
    `ECUBE_REFUSE("Worms has to be 0 or 1");
  end
  if (Buffer < 1 || Buffer > ecube_pkg::MostFlits) begin : g_buffer
    `ECUBE_REFUSE("Buffer has to be 1 to 8");
  end
  if (Inputs < 2) begin : g_inputs
    `ECUBE_REFUSE("Inputs has to be 2 at least");
  end
  if (Input < 0 || Input >= Dim + Ports) begin : g_input
    `ECUBE_REFUSE("Input has to be less than Dim + Ports");
  end
endmodule
