// SPDX-License-Identifier: Apache-2.0
// Random messages on a fabric, for any simulator: the driver gives each node one message at a time at
// falling edges, the monitor samples reports at rising edges and compares every arrival with what was
// sent. Needs only the sources of ecube.f; `verify simulate` puts every module's rules beside it.
module ecube_fabric_bench #(
    parameter int Dim = 1,
    parameter int Worms = 0,
    parameter int Messages = 1000
);
  localparam int Nodes = 1 << Dim;
  localparam int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2;
  localparam int Time = 8;
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;  // its lowest bit in a probe

  logic clk = 1'b0, rst = 1'b1;
  logic [Nodes-1:0] start = '0, sent, received;
  logic [Nodes*Dim-1:0] route = '0;
  logic [Nodes*ecube_pkg::SequenceBits-1:0] sequences = '0;
  logic [Nodes*Time-1:0] phits = '0;
  logic [Nodes*Width-1:0] probe;

  // Messages of each node: the driver counts those that it starts, the monitor those that have left
  // and arrived.
  int started[Nodes], left[Nodes], delivered[Nodes];
  int arrived = 0;

  ecube_fabric #(
      .Dim(Dim),
      .Ports(1),
      .Width(Width),
      .Time(Time),
      .Worms(Worms),
      .Buffer(3)
  ) fabric (
      .clk_i(clk),
      .rst_i(rst),
      .route_delay_i(Time'(2)),
      .accept_delay_i(Time'(3)),
      .phit_cycles_i(Time'(2)),
      .phit_extra_num_i(Time'(1)),
      .phit_extra_den_i(Time'(3)),
      .setup_i(Time'(0)),
      .together_only_i(1'b0),
      .together_i(Time'(0)),
      .start_i(start),
      .route_i(route),
      .sequence_i(sequences),
      .phits_i(phits),
      .engine_i({Nodes{1'b1}}),
      .sent_o(sent),
      .received_tail_o(received),
      .probe_o(probe)
  );

  always #5 clk = !clk;

  // Driver. A message begins when the message before has left and arrived; its sequence number says
  // which it is.
  always @(negedge clk) begin
    for (int n = 0; n < Nodes; n++) begin
      start[n] = 1'b0;
      if (!rst && left[n] == started[n] && delivered[n] == started[n] && $urandom % 4 == 0) begin
        start[n] = 1'b1;
        started[n] = started[n] + 1;
        route[n*Dim+:Dim] = Dim'($urandom);
        sequences[n*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits] =
            ecube_pkg::SequenceBits'(started[n]);
        phits[n*Time+:Time] = Time'(1 + $urandom % 5);
      end
    end
  end

  // Monitor.
  always @(posedge clk) begin
    for (int n = 0; n < Nodes; n++) begin
      if (sent[n]) left[n] = left[n] + 1;
      if (received[n]) begin
        check_arrival(n, probe[n*Width+Dim+:Dim], probe[n*Width+Sequence+:ecube_pkg::SequenceBits]);
      end
    end
    if (arrived >= Messages) begin
      $display("%0d messages arrived", arrived);
      $finish;
    end
  end

  // A message from `source` with this number has arrived at `node`.
  task automatic check_arrival(input int node, input logic [Dim-1:0] source,
      input logic [ecube_pkg::SequenceBits-1:0] number);
    if ((source ^ route[source*Dim+:Dim]) != Dim'(node))
      $display("wrong: a message from node %0d to node %0d arrived at node %0d", source,
               source ^ route[source*Dim+:Dim], node);
    if (delivered[source] + 1 != started[source] || number !=
        ecube_pkg::SequenceBits'(started[source]))
      $display("wrong: message %0d of node %0d arrived, %0d were sent and %0d had arrived", number,
               source, started[source], delivered[source]);
    delivered[source] = delivered[source] + 1;
    arrived = arrived + 1;
  endtask

  initial begin
    for (int n = 0; n < Nodes; n++) begin
      started[n] = 0;
      left[n] = 0;
      delivered[n] = 0;
    end
    #30 rst = 1'b0;
    #(1000 * Messages) $display("stalled: %0d of %0d messages arrived", arrived, Messages);
    $finish;
  end
endmodule
