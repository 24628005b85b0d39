// SPDX-License-Identifier: Apache-2.0
// A fabric of one dimension under random messages, with every rule and assertion checked in every cycle. Inputs are
// driven at falling edges and outputs sampled at rising edges.
module ecube_fabric_bench #(
    parameter int WORMS = 0,
    parameter int MESSAGES = 1000
);
  localparam int DIM = 1;
  localparam int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2;
  localparam int TIME = 8;

  logic clk = 1'b0, rst = 1'b1;
  logic [1:0] start = '0, route = '0, busy = '0, sent, received;
  logic [2*TIME-1:0] phits = '0;
  int arrived = 0;

  ecube_fabric #(
      .DIM(DIM),
      .PORTS(1),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .WORMS(WORMS),
      .BUFFER(3)
  ) fabric (
      .clk_i(clk),
      .rst_i(rst),
      .route_delay_i(TIME'(2)),
      .accept_delay_i(TIME'(3)),
      .phit_cycles_i(TIME'(2)),
      .phit_extra_num_i(TIME'(1)),
      .phit_extra_den_i(TIME'(3)),
      .setup_i(TIME'(0)),
      .together_only_i(1'b0),
      .together_i(TIME'(0)),
      .start_i(start),
      .route_i(route),
      .sequence_i('0),
      .phits_i(phits),
      .engine_i(2'b11),
      .sent_o(sent),
      .received_tail_o(received)
  );

  always #5 clk = !clk;

  always @(negedge clk) begin
    for (int n = 0; n < 2; n++) begin
      start[n] = !rst && !busy[n] && $urandom % 4 == 0;
      if (start[n]) begin
        busy[n] = 1'b1;
        route[n] = 1'($urandom);
        phits[n*TIME+:TIME] = TIME'(1 + $urandom % 5);
      end
    end
  end

  always @(posedge clk) begin
    for (int n = 0; n < 2; n++) begin
      if (sent[n]) busy[n] = 1'b0;
      if (received[n]) arrived++;
    end
    if (arrived >= MESSAGES) begin
      $display("%0d messages arrived", arrived);
      $finish;
    end
  end

  initial begin
    #30 rst = 1'b0;
    #(1000 * MESSAGES) $display("stalled: %0d of %0d messages arrived", arrived, MESSAGES);
    $finish;
  end
endmodule
