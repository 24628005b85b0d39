// SPDX-License-Identifier: Apache-2.0
// Route computation: the output that a probe asks for, and the route that remains behind this
// output.
module ecube_route #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Input = 0  // the input by which the probe came in
) (
    input logic [Dim-1:0] route_i,
    output logic [Dim+Ports-1:0] wanted_o,  // one bit
    output logic [Dim-1:0] remaining_o
);
  ecube_parameters #(
      .Dim(Dim),
      .Ports(Ports),
      .Input(Input)
  ) parameters ();

  // A single eject port takes every circuit. With several, a circuit takes the port of the
  // dimension by which it arrived; a message to its own node leaves by the port of its inject
  // port's number.
  localparam int Eject = Ports == 1 ? Dim : Input < Dim ? Dim + Input : Input;

  logic [Dim-1:0] taken;  // the lowest dimension

  assign taken = route_i & (~route_i + 1'b1);
  always_comb begin
    wanted_o = '0;
    wanted_o[Dim-1:0] = taken;
    wanted_o[Eject] = route_i == '0;
    remaining_o = route_i & ~taken;
  end
endmodule
