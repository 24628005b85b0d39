// SPDX-License-Identifier: Apache-2.0
// Rules 2.2 and 10.3: a probe, of a circuit or of a worm, waits r cycles and then requests one
// output, by the dimensions that it still has to travel. The rule is written with the number of the
// output, where the router works on masks.
module ecube_rule_2_2_probe #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Dim+Ports-1:0] waits_i,  // a probe in this input has no output yet
    input logic [(Dim+Ports)*Time-1:0] age_i,  // [input]
    input logic [(Dim+Ports)*Dim-1:0] route_i,  // [input] of this probe
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_i  // [input][output]
);
  localparam int N = Dim + Ports;

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
      may_ask = waits_i[i] && age_i[i*Time+:Time] >= route_delay_i;
      wanted = output_of(route_i[i*Dim+:Dim], i);
      too_early[i] = asks && !may_ask;
      too_late[i] = may_ask && !asks;
      elsewhere[i] = 1'b0;
      for (int o = 0; o < N; o++) if (asking_i[i*N+o] && o != wanted) elsewhere[i] = 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(no_request_before_route_delay)(too_early == '0);
      `ECUBE_RULE(request_after_route_delay)(too_late == '0);
      `ECUBE_RULE(request_by_route)(elsewhere == '0);
    end
  end
endmodule
