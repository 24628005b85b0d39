// SPDX-License-Identifier: Apache-2.0
// Rule 10.5, the source's interface: the phits of a worm follow their probe at the pace of the link
// while there is no stop, in order, the last one as the tail. The wire is free c edges after the
// tail, when no stop is seen.
module ecube_rule_10_5_sending #(
    parameter int Dim = 3,
    parameter int Width = 27,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,
    input logic [ecube_pkg::PortBits-1:0] number_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic start_i,
    input logic [Dim-1:0] route_i,
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,
    input logic stopped_i,
    input logic [Width-1:0] wire_i,  // what the port drives
    input logic sent_first_i,
    input logic sent_tail_i,
    input logic sent_i,

    input logic [1:0] state_i,
    input logic [Time-1:0] phits_left_i,
    input logic [Time-1:0] until_phit_i,
    input logic [ecube_pkg::SequenceBits-1:0] phit_i,
    input logic first_i
);
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;

  logic [Time-1:0] left, ago;  // phits to go; edges since the last flit, counted up to c
  logic [ecube_pkg::SequenceBits-1:0] phit;
  logic closing, first, tail, sent_first, sent_tail, drives, ready;
  logic [Width-1:0] expected, flit, probe;

  assign ready = !stopped_i && ago >= phit_cycles_i;
  assign drives = left != '0 && ready;
  assign tail = left == Time'(1);
  always_comb begin
    probe = '0;
    probe[Width-1-:2] = ecube_pkg::WireProbe;
    probe[Sequence+:ecube_pkg::SequenceBits] = sequence_i;
    probe[2*Dim+:ecube_pkg::PortBits] = number_i;
    probe[Dim+:Dim] = node_i;
    probe[0+:Dim] = route_i;
    flit = '0;
    flit[Width-1-:2] = tail ? ecube_pkg::WireTail : ecube_pkg::WirePhit;
    flit[Sequence+:ecube_pkg::SequenceBits] = phit;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      left <= '0;
      ago <= phit_cycles_i;
      phit <= '0;
      closing <= 1'b0;
      first <= 1'b0;
      sent_first <= 1'b0;
      sent_tail <= 1'b0;
      expected <= '0;
    end else begin
      expected <= drives ? flit : '0;
      sent_first <= drives && first;
      sent_tail <= drives && tail;
      if (start_i) begin
        // The probe left at the edge before.
        left <= phits_i;
        ago <= Time'(2);
        phit <= '0;
        first <= 1'b1;
        closing <= 1'b0;
      end else begin
        if (drives) begin
          left <= left - 1'b1;
          phit <= phit + 1'b1;
          first <= 1'b0;
          ago <= Time'(1);
        end else if (ago < phit_cycles_i) ago <= ago + 1'b1;
        closing <= (drives && tail) || (closing && !ready);
      end
    end
  end

  logic [Time-1:0] phit_cycles;  // at the edge before: it is constant in a run
  logic steady;
  always_ff @(posedge clk_i) begin
    phit_cycles <= phit_cycles_i;
    steady <= 1'b1;
    if (steady && !rst_i) begin
      `ECUBE_ENVIRONMENT(phit_cycles == phit_cycles_i);
    end
    if (!rst_i) begin
      `ECUBE_RULE(probe_has_its_key)(!start_i || wire_i == probe);
      `ECUBE_RULE(phits_keep_the_pace)(start_i || wire_i[Width-1-:2] == expected[Width-1-:2]);
      `ECUBE_RULE(phits_are_numbered)(start_i || wire_i[Width-3:0] == expected[Width-3:0]);
      `ECUBE_RULE(first_phit_is_reported)(sent_first_i == sent_first);
      `ECUBE_RULE(tail_is_reported)(sent_tail_i == sent_tail);
      `ECUBE_RULE(sender_is_ready_when_the_wire_is_free)(sent_i == (closing && ready));
      `ECUBE_REGISTER(state_is_observed)
        (state_i ==
          (left != '0 ? ecube_pkg::SendMoving : closing ? ecube_pkg::SendClosing :
          ecube_pkg::SendIdle));
      `ECUBE_REGISTER(phits_are_counted)
        ((left == '0 || (phits_left_i == left && phit_i == phit && first_i == first)) &&
          (left == '0 || !closing));
      `ECUBE_REGISTER(pace_is_the_rest)
        (until_phit_i == phit_cycles_i - ago && ago <= phit_cycles_i && ago != '0);
    end
  end
endmodule
