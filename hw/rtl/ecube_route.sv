// SPDX-License-Identifier: Apache-2.0
// Route computation: the output that a probe asks for, and what remains of its route behind it.
module ecube_route #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int INPUT = 0,  // by which the probe came in
    parameter int FAULT = 0  // ecube_pkg::Fault...
) (
    input logic [DIM-1:0] route,
    output logic [DIM+PORTS-1:0] wanted,  // one bit
    output logic [DIM-1:0] remaining
);
  // One eject port takes every circuit. Of several, the one of the dimension a circuit arrived by; a message to itself
  // leaves by the port it came in.
  localparam int Eject = PORTS == 1 ? DIM : INPUT < DIM ? DIM + INPUT : INPUT;

  logic [DIM-1:0] taken;

  if (FAULT == ecube_pkg::FaultOrder) begin : g_fault_order
    always_comb begin
      taken = '0;
      for (int i = 0; i < DIM; i++) if (route[i]) taken = DIM'(1) << i;
    end
  end else begin : g_lowest
    assign taken = route & (~route + 1'b1);
  end

  always_comb begin
    wanted = '0;
    wanted[DIM-1:0] = taken;
    wanted[Eject] = route == '0;
    remaining = route & ~taken;
  end
endmodule
