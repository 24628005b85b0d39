// SPDX-License-Identifier: Apache-2.0
// What comes to an interface port by its eject wire, of circuits or of worms: the kind of the word,
// and the probe whose phits come.
module ecube_receiver #(
    parameter int Dim = 3,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Width-1:0] wire_i,

    output logic comes_o,  // a probe
    output logic phit_o,
    output logic tail_o,
    output logic probe_seen_o,  // at the last edge
    output logic [Width-1:0] probe_o  // the probe seen last
);
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;  // its lowest bit

  logic [1:0] kind;
  logic [ecube_pkg::SequenceBits-1:0] number_q;  // of the phit to come, for an assertion
  logic [Width-1:0] probe_q;
  logic probe_seen_q;

  assign kind = wire_i[Width-1-:2];
  assign comes_o = kind == ecube_pkg::WireProbe;
  assign tail_o = kind == ecube_pkg::WireTail;
  assign phit_o = kind == ecube_pkg::WirePhit || tail_o;
  assign probe_seen_o = probe_seen_q;
  assign probe_o = probe_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      number_q <= '0;
      probe_q <= '0;
      probe_seen_q <= 1'b0;
    end else begin
      number_q <= comes_o ? '0 : number_q + ecube_pkg::SequenceBits'(phit_o);
      probe_q <= comes_o ? wire_i : probe_q;
      probe_seen_q <= comes_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // A probe has no dimension left on its route; phits come in order.
      `ECUBE_NEIGHBOUR(route_is_behind)(!comes_o || wire_i[Dim-1:0] == '0);
      `ECUBE_NEIGHBOUR(phits_in_order)
        (!phit_o || wire_i[Sequence+:ecube_pkg::SequenceBits] == number_q);
    end
  end
endmodule
