// SPDX-License-Identifier: Apache-2.0
// What an interface port drives onto its inject wire, of circuits or of worms: a probe, and its
// numbered phits, of which the last is the tail. The port says when a phit leaves.
module ecube_sender #(
    parameter int Dim = 3,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,
    input logic [ecube_pkg::PortBits-1:0] number_i,
    input logic start_i,  // the probe is on the wire
    input logic [Dim-1:0] route_i,
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,

    input logic drive_i,  // a phit is driven at the edge to come
    output logic last_o,  // the phit that is driven next is the tail
    output logic busy_o,  // a phit is on the wire
    output logic [Width-1:0] wire_o,
    output logic sent_first_o,
    output logic sent_tail_o
);
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;  // its lowest bit
  localparam int Spare = Width - 2 - Sequence - ecube_pkg::SequenceBits;

  logic [Time-1:0] phits_left_q;
  logic [ecube_pkg::SequenceBits-1:0] number_q;
  logic [Width-1:0] drive_q;
  logic first_q, sent_first_q, sent_tail_q;
  logic [1:0] kind;

  assign last_o = phits_left_q == Time'(1);
  assign busy_o = drive_q != '0;
  assign sent_first_o = sent_first_q;
  assign sent_tail_o = sent_tail_q;
  assign wire_o = start_i ?
      {ecube_pkg::WireProbe, {Spare{1'b0}}, sequence_i, number_i, node_i, route_i} : drive_q;
  assign kind = last_o ? ecube_pkg::WireTail : ecube_pkg::WirePhit;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      phits_left_q <= '0;
      number_q <= '0;
      first_q <= 1'b0;
      drive_q <= '0;
      sent_first_q <= 1'b0;
      sent_tail_q <= 1'b0;
    end else begin
      phits_left_q <= start_i ? phits_i : drive_i ? phits_left_q - 1'b1 : phits_left_q;
      number_q <= start_i ? '0 : drive_i ? number_q + 1'b1 : number_q;
      first_q <= start_i || (first_q && !drive_i);
      drive_q <= drive_i ? {kind, {Spare{1'b0}}, number_q, Sequence'(0)} : '0;
      sent_first_q <= drive_i && first_q;
      sent_tail_q <= drive_i && last_o;
    end
  end
endmodule
