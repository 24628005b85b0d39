// SPDX-License-Identifier: Apache-2.0
// Link register: what leaves a router by one output, and the acknowledge it returns by the input of the same number.
module ecube_link #(
    parameter int WIDTH = 8
) (
    input logic clk,
    input logic reset,
    input logic [WIDTH-1:0] wire_next,
    input logic acknowledge_next,
    output logic [WIDTH-1:0] wire_out,
    output logic acknowledge_out
);
  always_ff @(posedge clk) begin
    if (reset) begin
      wire_out <= '0;
      acknowledge_out <= 1'b0;
    end else begin
      wire_out <= wire_next;
      acknowledge_out <= acknowledge_next;
    end
  end
endmodule
