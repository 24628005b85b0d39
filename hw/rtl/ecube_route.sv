// SPDX-License-Identifier: Apache-2.0
// Route computation: the output that a probe asks for, and what remains of its route behind it.
module ecube_route #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int INPUT = 0  // by which the probe came in
) (
    input logic [DIM-1:0] route_i,
    output logic [DIM+PORTS-1:0] wanted_o,  // one bit
    output logic [DIM-1:0] remaining_o
);
  // One eject port takes every circuit. Of several, the one of the dimension a circuit arrived by; a message to itself
  // leaves by the port it came in.
  localparam int Eject = PORTS == 1 ? DIM : INPUT < DIM ? DIM + INPUT : INPUT;

  logic [DIM-1:0] taken;

  function automatic logic [DIM-1:0] highest(input logic [DIM-1:0] mask);
    highest = '0;
    for (int i = 0; i < DIM; i++) if (mask[i]) highest = DIM'(1) << i;
  endfunction
  assign taken = ecube_pkg::fault == ecube_pkg::FaultOrder ? highest(route_i) : route_i & (~route_i + 1'b1);

  always_comb begin
    wanted_o = '0;
    wanted_o[DIM-1:0] = taken;
    wanted_o[Eject] = route_i == '0;
    remaining_o = route_i & ~taken;
  end
endmodule
