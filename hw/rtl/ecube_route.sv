// SPDX-License-Identifier: Apache-2.0
// Route computation: the output that a probe asks for, and the route that remains behind this output.
module ecube_route #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int INPUT = 0  // the input by which the probe came in
) (
    input logic [DIM-1:0] route_i,
    output logic [DIM+PORTS-1:0] wanted_o,  // one bit
    output logic [DIM-1:0] remaining_o
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_route: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_route: PORTS has to be 1 or DIM");
  end
  if (INPUT < 0 || INPUT >= DIM + PORTS) begin : g_refuse_input
    `ECUBE_REFUSE("ecube_route: INPUT has to be less than DIM + PORTS");
  end

  // A single eject port takes every circuit. With several, a circuit takes the port of the dimension by which it
  // arrived; a message to its own node leaves by the port of its inject port's number.
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
