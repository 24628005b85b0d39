// SPDX-License-Identifier: Apache-2.0
// Rule 2.4: resources are taken in the order inject < dimension 0 < ... < dimension Dim - 1 <
// eject. What comes in by dimension i holds and asks for outputs behind i only, so no messages wait
// for each other in a ring: along a chain of messages that wait for each other's outputs the rank
// of these outputs grows, and the last one is an eject port. The router before proves that a probe
// comes without the dimensions that it has crossed.
module ecube_rule_2_4_order #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [(Dim+Ports)*Width-1:0] driven_i,
    input logic [Dim+Ports-1:0] waits_i,  // a probe is in this input
    input logic [(Dim+Ports)*Dim-1:0] route_i,  // of this probe
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,  // [input][output]
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] held_i  // [output][input]
);
  localparam int N = Dim + Ports;

  logic [Dim-1:0] comes_back, goes_back, waits_back, asks_back, holds_back;  // dimensions
  logic ejected_early;
  always_comb begin
    for (int i = 0; i < Dim; i++) begin
      logic [Dim-1:0] behind;
      behind = ~({Dim{1'b1}} << (i + 1));
      comes_back[i] = wire_i[i*Width+Width-2+:2] == ecube_pkg::WireProbe &&
          (wire_i[i*Width+:Dim] & behind) != '0;
      goes_back[i] = driven_i[i*Width+Width-2+:2] == ecube_pkg::WireProbe &&
          (driven_i[i*Width+:Dim] & behind) != '0;
      waits_back[i] = waits_i[i] && (route_i[i*Dim+:Dim] & behind) != '0;
      asks_back[i] = (asking_i[i*N+:Dim] & behind) != '0;
      holds_back[i] = 1'b0;
      for (int o = 0; o <= i; o++) if (held_i[o*N+i]) holds_back[i] = 1'b1;
    end
    ejected_early = 1'b0;
    for (int o = Dim; o < N; o++)
    if (driven_i[o*Width+Width-2+:2] == ecube_pkg::WireProbe && driven_i[o*Width+:Dim] != '0) begin
      ejected_early = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_NEIGHBOUR(comes_without_dimensions_behind)(comes_back == '0);
      `ECUBE_REGISTER(waits_without_dimensions_behind)(waits_back == '0);
      `ECUBE_RULE(asks_for_higher_rank)(asks_back == '0);
      `ECUBE_RULE(holds_higher_rank)(holds_back == '0);
      `ECUBE_RULE(leaves_without_dimensions_behind)(goes_back == '0 && !ejected_early);
    end
  end
endmodule
