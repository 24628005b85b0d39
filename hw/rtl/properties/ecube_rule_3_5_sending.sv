// SPDX-License-Identifier: Apache-2.0
// Rules 3.3 to 3.8, the source's interface: the first phit leaves with the acknowledge or, on a
// fixed-distance machine, at p + F - h - 3 where that is later; phit j leaves floor(j c) edges
// after the first; the n-th is the tail.
module ecube_rule_3_5_sending #(
    parameter int Dim = 3,
    parameter int Width = 27,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,
    input logic [ecube_pkg::PortBits-1:0] number_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] phit_extra_num_i,
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] setup_i,
    input logic [Time-1:0] together_i,
    input logic start_i,
    input logic [Dim-1:0] route_i,
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,
    input logic acknowledge_i,
    input logic [Width-1:0] wire_i,  // what the port drives
    input logic sending_i,
    input logic late_i,
    input logic sent_first_i,
    input logic sent_tail_i,
    input logic sent_i,

    input logic [1:0] state_i,
    input logic [Time-1:0] phits_left_i,
    input logic [Time-1:0] until_phit_i,
    input logic [Time-1:0] until_late_i,
    input logic [Time:0] excess_i,
    input logic acknowledged_i,
    input logic [ecube_pkg::SequenceBits-1:0] phit_i,
    input logic first_i
);
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;
  logic setting_up, moving, acknowledged;
  logic [Time-1:0] left, since_probe;  // phits; edges, up to the largest number
  logic [Time:0] since_first;  // edges, up to more than `together` can be
  logic [Time-1:0] hops, hops_next;
  logic [ecube_pkg::SequenceBits-1:0] phit;
  // The fraction that floor(j c) has cut off so far, as a numerator less den, is below 0. With num
  // added, another whole cycle is due at 0 or above.
  logic [Time:0] rest, sum;
  logic [Time-1:0] gap, since_phit;  // edges from phit j to the next
  logic [Time:0] den;
  logic go, drives, tail, sent_first, sent_tail;
  logic [Width-1:0] expected, word, probe;

  assign den = {1'b0, phit_extra_den_i};
  assign sum = (go ? '0 - den : rest) + {1'b0, phit_extra_num_i};
  assign go = setting_up && (acknowledge_i || acknowledged) &&
      (setup_i == '0 || {3'b0, since_probe} + {3'b0, hops} + (Time + 3)'(3) >= {3'b0, setup_i});
  assign drives = go || (moving && since_phit == gap);
  assign tail = left == Time'(1);
  always_comb begin
    hops_next = '0;
    for (int i = 0; i < Dim; i++) if (route_i[i]) hops_next = hops_next + 1'b1;
    probe = '0;
    probe[Width-1-:2] = ecube_pkg::WireProbe;
    probe[Sequence+:ecube_pkg::SequenceBits] = sequence_i;
    probe[2*Dim+:ecube_pkg::PortBits] = number_i;
    probe[Dim+:Dim] = node_i;
    probe[0+:Dim] = route_i;
    word = '0;
    word[Width-1-:2] = tail ? ecube_pkg::WireTail : ecube_pkg::WirePhit;
    word[Sequence+:ecube_pkg::SequenceBits] = phit;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      setting_up <= 1'b0;
      moving <= 1'b0;
      acknowledged <= 1'b0;
      left <= '0;
      since_probe <= '0;
      since_first <= '0;
      hops <= '0;
      phit <= '0;
      rest <= '0;
      gap <= '0;
      since_phit <= '0;
      sent_first <= 1'b0;
      sent_tail <= 1'b0;
      expected <= '0;
    end else begin
      expected <= drives ? word : '0;
      sent_first <= go;
      sent_tail <= drives && tail;
      acknowledged <= setting_up && (acknowledged || acknowledge_i);
      if (since_probe != '1) since_probe <= since_probe + 1'b1;
      if (!since_first[Time]) since_first <= since_first + 1'b1;
      since_phit <= since_phit + 1'b1;
      if (go) begin
        setting_up <= 1'b0;
        moving <= 1'b1;
        since_first <= (Time + 1)'(1);
      end
      if (drives) begin
        rest <= sum[Time] ? sum : sum - den;
        gap <= sum[Time] ? phit_cycles_i : phit_cycles_i + 1'b1;
        since_phit <= Time'(1);
        left <= left - 1'b1;
        phit <= phit + 1'b1;
        if (tail) moving <= 1'b0;
      end
      if (start_i) begin
        // The probe left at the edge before.
        setting_up <= 1'b1;
        acknowledged <= 1'b0;
        left <= phits_i;
        since_probe <= Time'(2);
        hops <= hops_next;
        phit <= '0;
      end
    end
  end

  // Phit j leaves at floor(j c) by its definition, a product, which solvers find too hard where
  // counts have many bits: (j c - t) den, of the next phit j and the edge t to come, counted from
  // the first phit, is below den at its edge.
  if (Time <= 4) begin : g_product
    localparam int Wide = 2 * Time + 2;
    logic [Wide-1:0] due, period;

    assign period = Wide'(phit_cycles_i) * Wide'(den) + Wide'(phit_extra_num_i);
    always_ff @(posedge clk_i) begin
      if (rst_i) due <= '0;
      else due <= (go ? '0 : due) - Wide'(den) + (drives ? period : '0);
      if (!rst_i) begin
        `ECUBE_RULE(phits_leave_at_floor_of_product)(!moving || drives == (due < Wide'(den)));
        `ECUBE_REGISTER(product_is_the_rest)
          (!moving || due == Wide'(gap - since_phit) * Wide'(den) + Wide'(Time'(rest + den)));
      end
    end
  end

  // Registers of the port from what was observed.
  logic [Time-1:0] padding;
  assign padding = setup_i == '0 ? '0 : setup_i - hops - Time'(3);

  logic [6*Time-1:0] constants;  // at the edge before
  logic steady;
  always_ff @(posedge clk_i) begin
    constants <= {phit_cycles_i, phit_extra_num_i, phit_extra_den_i, setup_i, together_i, Time'(0)};
    steady <= 1'b1;
    if (steady && !rst_i) begin
      `ECUBE_ENVIRONMENT(constants ==
          {phit_cycles_i, phit_extra_num_i, phit_extra_den_i, setup_i, together_i, Time'(0)});
    end
    // The cycles of a phit, rounded up, are a count too.
    `ECUBE_ENVIRONMENT(phit_cycles_i != '1 || phit_extra_num_i == '0);
    // A fixed-distance machine with less is refused.
    `ECUBE_ENVIRONMENT(setup_i == '0 || setup_i > Time'(Dim + 4));
    if (!rst_i) begin
      `ECUBE_RULE(probe_has_its_key)(!start_i || wire_i == probe);
      `ECUBE_RULE(phits_leave_at_their_edges)
        (start_i || wire_i[Width-1-:2] == expected[Width-1-:2]);
      `ECUBE_RULE(phits_are_numbered)(start_i || wire_i[Width-3:0] == expected[Width-3:0]);
      `ECUBE_RULE(first_phit_is_reported)(sent_first_i == sent_first);
      `ECUBE_RULE(sender_is_ready_after_the_tail)(sent_tail_i == sent_tail && sent_i == sent_tail);
      `ECUBE_RULE(sending_from_first_phit_to_tail)(sending_i == moving);
      `ECUBE_RULE(late_after_together)(late_i == (moving && since_first > {1'b0, together_i}));
      `ECUBE_REGISTER(state_is_observed)
        (state_i ==
          (setting_up ? ecube_pkg::SendWaiting : moving ? ecube_pkg::SendMoving :
          ecube_pkg::SendIdle) && !(setting_up && moving));
      `ECUBE_REGISTER(phits_are_counted)
        ((!setting_up && !moving) ||
          (phits_left_i == left && phit_i == phit && left != '0 && first_i == setting_up));
      `ECUBE_REGISTER(set_up_is_counted)
        (!setting_up ||
          (acknowledged_i == acknowledged && since_probe > Time'(1) && hops <= Time'(Dim) &&
          until_phit_i == (since_probe < padding ? padding - since_probe : '0)));
      `ECUBE_REGISTER(fraction_is_zero_before)
        (!setting_up || excess_i == {1'b0, phit_extra_num_i} - den);
      `ECUBE_REGISTER(first_is_counted)(!setting_up || until_late_i == together_i);
      `ECUBE_REGISTER(pace_is_the_rest)
        (!moving ||
          (until_phit_i == gap - since_phit && rest + den < den && excess_i ==
          rest + {1'b0, phit_extra_num_i} && since_phit != '0 && since_phit <= gap));
      `ECUBE_REGISTER(together_is_counted)
        (!moving ||
          (since_first != '0 && {1'b0, until_late_i} ==
          (since_first <= {1'b0, together_i} ? {1'b0, together_i} - since_first + 1'b1 : '0)));
    end
  end
endmodule
