// SPDX-License-Identifier: Apache-2.0
// Rule 2.2: a probe waits r cycles and then requests one output, by the dimensions that it still
// has to travel. The rule is written with the number of the output, where the router works on
// masks.
module ecube_rule_2_2_probe #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Dim+Ports-1:0] seeking_i,
    input logic [(Dim+Ports)*Time-1:0] age_i,  // [input]
    input logic [(Dim+Ports)*(Width-2)-1:0] probe_i,  // [input]
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i,  // [input][output]
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] grant_i,  // [output][input]
    input logic [(Dim+Ports)*Width-1:0] wire_i  // [output] what the router drives
);
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;

  // An n-port machine ejects by the dimension of arrival; a message to its own node, by the number
  // of its inject port.
  function automatic int output_of(input logic [Dim-1:0] route, input int arrived);
    output_of = Ports == 1 ? Dim : arrived < Dim ? Dim + arrived : arrived;
    for (int dimension = Dim -
        1; dimension >= 0; dimension--) if (route[dimension]) output_of = dimension;
  endfunction

  logic [N-1:0] too_early, too_late, elsewhere;  // inputs
  always_comb
    for (int i = 0; i < N; i++) begin
      logic asks, may_ask;
      int wanted;
      asks = asking_i[i*N+:N] != '0;
      may_ask = seeking_i[i] && age_i[i*Time+:Time] >= route_delay_i;
      wanted = output_of(probe_i[i*Payload+:Dim], i);
      too_early[i] = asks && !may_ask;
      too_late[i] = may_ask && !asks;
      elsewhere[i] = 1'b0;
      for (int o = 0; o < N; o++) if (asking_i[i*N+o] && o != wanted) elsewhere[i] = 1'b1;
    end

  // The probes that have to be on the wires after the edge to come, and whether one has.
  logic [N-1:0] left;
  logic [N*Payload-1:0] probe;
  always_ff @(posedge clk_i) begin
    left <= '0;
    probe <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++)
    if (!rst_i && grant_i[o*N+i]) begin
      left[o] <= 1'b1;
      probe[o*Payload+:Payload] <= probe_i[i*Payload+:Payload];
      if (o < Dim) probe[o*Payload+o%Dim] <= 1'b0;
    end
  end
  logic [N-1:0] missing, other_route, other_source, unasked;  // outputs
  always_comb
    for (int o = 0; o < N; o++) begin
      logic [Width-1:0] driven;
      driven = wire_i[o*Width+:Width];
      missing[o] = left[o] && driven[Payload+:2] != ecube_pkg::WireProbe;
      unasked[o] = !left[o] && driven[Payload+:2] == ecube_pkg::WireProbe;
      other_route[o] = left[o] && driven[0+:Dim] != probe[o*Payload+:Dim];
      other_source[o] = left[o] && driven[Payload-1:Dim] != probe[o*Payload+Dim+:Payload-Dim];
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(no_request_before_route_delay)(too_early == '0);
      `ECUBE_RULE(request_after_route_delay)(too_late == '0);
      `ECUBE_RULE(request_by_route)(elsewhere == '0);
      `ECUBE_RULE(probe_leaves_at_grant)(missing == '0);
      `ECUBE_RULE(probe_leaves_at_grant_only)(unasked == '0);
      `ECUBE_RULE(probe_leaves_with_remaining_route)(other_route == '0);
      `ECUBE_RULE(probe_keeps_its_source)(other_source == '0);
    end
  end
endmodule
