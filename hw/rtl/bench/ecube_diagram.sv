// SPDX-License-Identifier: Apache-2.0
// Prints timing diagrams of a fabric of one dimension: what is on the wires in each cycle.
// PROTOCOL.md shows them. A column is a cycle, named by the edge at which it begins; column 0 is
// the cycle in which `start_i` is up.
module ecube_diagram #(
    parameter int Worms = 0,
    parameter int Both = 0,  // 1: node 1 sends a message to itself two edges later
    parameter int Phits = 3,
    parameter int Accept = 1,
    parameter int Cycles = 1  // of a phit
);
  localparam int Dim = 1;
  localparam int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2;
  localparam int Time = 8;
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;
  localparam int Rows = 18;
  localparam int Columns = 20;

  logic clk = 1'b0, rst = 1'b1;
  logic [1:0] start = '0, sent_first, sent_tail, sent, probe_seen, accepted, received_first,
      received_tail;
  logic [3:0] granted, released, refused;
  logic [Rows*Columns*8-1:0] drawn;
  int column = -1;

  ecube_fabric #(
      .Dim(Dim),
      .Ports(1),
      .Width(Width),
      .Time(Time),
      .Worms(Worms),
      .Buffer(2)
  ) fabric (
      .clk_i(clk),
      .rst_i(rst),
      .route_delay_i(Time'(1)),
      .accept_delay_i(Time'(Accept)),
      .phit_cycles_i(Time'(Cycles)),
      .phit_extra_num_i(Time'(0)),
      .phit_extra_den_i(Time'(1)),
      .setup_i(Time'(0)),
      .together_only_i(1'b0),
      .together_i(Time'(0)),
      .start_i(start),
      .route_i(2'b01),
      .sequence_i({(2 * ecube_pkg::SequenceBits) {1'b0}}),
      .phits_i({Time'(1), Time'(Phits)}),
      .engine_i(2'b11),
      .granted_o(granted),
      .released_o(released),
      .refused_o(refused),
      .sent_first_o(sent_first),
      .sent_tail_o(sent_tail),
      .sent_o(sent),
      .probe_seen_o(probe_seen),
      .accepted_o(accepted),
      .received_first_o(received_first),
      .received_tail_o(received_tail)
  );

  always #5 clk = !clk;

  initial begin
    repeat (3) @(posedge clk);
    rst <= 1'b0;
    repeat (2) @(posedge clk);
    start[0] <= 1'b1;
    column = 0;
    @(posedge clk) start[0] <= 1'b0;
    if (Both == 1) begin
      @(posedge clk) start[1] <= 1'b1;
      @(posedge clk) start[1] <= 1'b0;
    end
  end

  // A word: P for a probe, the phit's number, t for a tail.
  function automatic logic [7:0] word(input logic [Width-1:0] value);
    case (value[Width-1-:2])
      ecube_pkg::WireProbe: word = "P";
      ecube_pkg::WirePhit: word = "0" + 8'(value[Sequence+:4]);
      ecube_pkg::WireTail: word = "t";
      default: word = ".";
    endcase
  endfunction
  function automatic logic [7:0] bit_of(input logic value);
    bit_of = value ? "#" : ".";
  endfunction

  // In the middle of a cycle, when everything has settled.
  always @(negedge clk) begin
    if (column >= 0 && column < Columns) begin
      draw(0, bit_of(start[0]));
      draw(1, word(fabric.g_node[0].part.inject_wire));
      draw(2, bit_of(fabric.g_node[0].part.inject_acknowledge));
      draw(3, bit_of(granted[0]));
      draw(4, bit_of(released[0]));
      draw(5, word(fabric.g_node[0].part.wire_o));
      draw(6, bit_of(fabric.g_node[1].part.acknowledge_o));
      draw(7, bit_of(refused[3]));
      draw(8, bit_of(granted[3]));
      draw(9, bit_of(released[3]));
      draw(10, word(fabric.g_node[1].part.eject_wire));
      draw(11, bit_of(fabric.g_node[1].part.eject_acknowledge));
      draw(12, bit_of(probe_seen[1]));
      draw(13, bit_of(accepted[1]));
      draw(14, bit_of(received_tail[1]));
      draw(15, bit_of(sent[0]));
      draw(16, bit_of(start[1]));
      draw(17, word(fabric.g_node[1].part.inject_wire));
      column = column + 1;
      if (column == Columns) print;
    end
  end

  task automatic draw(input int row, input logic [7:0] mark);
    drawn[(row*Columns+column)*8+:8] = mark;
  endtask

  task automatic print;
    $write("edge                      ");
    for (int c = 0; c < Columns; c++) $write("%3d", c);
    $write("\n");
    line(0, "node 0  start_i           ");
    line(1, "        inject wire       ");
    line(2, Worms == 0 ? "        inject acknowledge" : "        inject stop       ");
    line(3, "        granted_o[0]      ");
    line(4, "        released_o[0]     ");
    line(5, "link    wire 0 to 1       ");
    line(6, Worms == 0 ? "        acknowledge       " : "        stop              ");
    line(16, "node 1  start_i           ");
    line(17, "        inject wire       ");
    line(7, "        refused_o[1]      ");
    line(8, "        granted_o[1]      ");
    line(9, "        released_o[1]     ");
    line(10, "        eject wire        ");
    line(11, Worms == 0 ? "        eject acknowledge " : "        eject stop        ");
    line(12, "        probe_seen_o      ");
    line(13, "        accepted_o        ");
    line(14, "        received_tail_o   ");
    line(15, "node 0  sent_o            ");
    $finish;
  endtask

  task automatic line(input int row, input [26*8-1:0] name);
    $write("%0s", name);
    for (int c = 0; c < Columns; c++) $write("  %c", drawn[(row*Columns+c)*8+:8]);
    $write("\n");
  endtask
endmodule
