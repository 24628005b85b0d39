// SPDX-License-Identifier: Apache-2.0
// Link register: the word that leaves a router by one output, and the acknowledge that the router returns by the input
// of the same number.
module ecube_link #(
    parameter int WIDTH = 8
) (
    input logic clk_i,
    input logic rst_i,
    input logic [WIDTH-1:0] wire_i,
    input logic acknowledge_i,
    output logic [WIDTH-1:0] wire_o,
    output logic acknowledge_o
);
  if (WIDTH < 3) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_link: WIDTH has to be 3 at least");
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wire_o <= '0;
      acknowledge_o <= 1'b0;
    end else begin
      wire_o <= wire_i;
      acknowledge_o <= acknowledge_i;
    end
  end
endmodule
