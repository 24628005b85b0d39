// SPDX-License-Identifier: Apache-2.0
// Link register: the word that leaves a router by one output, and the acknowledge that the router returns by the input
// of the same number.
module ecube_link #(
    parameter int Width = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Width-1:0] wire_i,
    input logic acknowledge_i,
    output logic [Width-1:0] wire_o,
    output logic acknowledge_o
);
  if (Width < 3) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_link: Width has to be 3 at least");
  end

  logic [Width-1:0] wire_q;
  logic acknowledge_q;
  assign wire_o = wire_q;
  assign acknowledge_o = acknowledge_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wire_q <= '0;
      acknowledge_q <= 1'b0;
    end else begin
      wire_q <= wire_i;
      acknowledge_q <= acknowledge_i;
    end
  end
endmodule
