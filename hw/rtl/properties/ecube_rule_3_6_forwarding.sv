// SPDX-License-Identifier: Apache-2.0
// Rules 3.5 and 3.6: a phit that comes in by a circuit leaves by the circuit's output one edge
// later, unchanged, and no other phit leaves.
module ecube_rule_3_6_forwarding #(
    parameter int N = 4,
    parameter int Width = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [N*N-1:0] circuit_i,  // [output][input]
    input logic [N*Width-1:0] wire_i,  // [input]
    input logic [N*Width-1:0] driven_i  // [output] what the router drives
);
  logic [N-1:0] carries;  // outputs
  logic [N*Width-1:0] word;
  always_ff @(posedge clk_i) begin
    carries <= '0;
    word <= '0;
    for (int o = 0; o < N; o++)
    for (int i = 0; i < N; i++)
    if (!rst_i && circuit_i[o*N+i] && wire_i[i*Width+Width-2+:2] != ecube_pkg::WireIdle) begin
      carries[o] <= 1'b1;
      word[o*Width+:Width] <= wire_i[i*Width+:Width];
    end
  end

  logic [N-1:0] lost, changed, invented;
  always_comb
    for (int o = 0; o < N; o++) begin
      logic [1:0] kind;
      kind = driven_i[o*Width+Width-2+:2];
      lost[o] = carries[o] && kind != word[o*Width+Width-2+:2];
      changed[o] = carries[o] && driven_i[o*Width+:Width-2] != word[o*Width+:Width-2];
      invented[o] = !carries[o] && (kind == ecube_pkg::WirePhit || kind == ecube_pkg::WireTail);
    end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(phits_leave_an_edge_later)(lost == '0);
      `ECUBE_RULE(phits_leave_unchanged)(changed == '0);
      `ECUBE_RULE(no_other_phit_leaves)(invented == '0);
    end
  end
endmodule
