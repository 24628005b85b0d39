// SPDX-License-Identifier: Apache-2.0
// Rule 2.1: an output is owned by at most one circuit, or worm, at a time, and this has one output
// of a router.
module ecube_rule_2_1_ports #(
    parameter int N = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*N-1:0] held_i,  // [output][input]
    input logic [N*N-1:0] owners_i,  // [output][input], what the router reports
    input logic [N-1:0] waits_i  // a probe in this input has no output yet
);
  logic [N-1:0] shared, reported_wrongly;  // outputs
  logic [N-1:0] split;  // inputs
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [N-1:0] outputs, inputs;
      for (int o = 0; o < N; o++) outputs[o] = held_i[o*N+i];
      inputs = held_i[i*N+:N];
      split[i] = (outputs & (outputs - 1'b1)) != '0 || (waits_i[i] && outputs != '0);
      shared[i] = (inputs & (inputs - 1'b1)) != '0;
      reported_wrongly[i] = inputs != '0 && owners_i[i*N+:N] != inputs;
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(an_output_has_one_owner)(shared == '0);
      `ECUBE_RULE(an_owner_has_one_output)(split == '0);
      `ECUBE_RULE(owner_is_reported)(reported_wrongly == '0);
    end
  end
endmodule
