// SPDX-License-Identifier: Apache-2.0
// Rules 10.2 and 10.5, the destination's interface: the probe is taken A - 1 edges after acceptance
// begins, and with it the flits behind it; later flits are taken as they come. Flits that wait stop
// what comes, as in a router.
module ecube_rule_10_5_receiving #(
    parameter int Width = 27,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] accept_delay_i,
    input logic [Width-1:0] wire_i,
    input logic engine_i,
    input logic stop_i,  // what the port drives
    input logic probe_seen_i,
    input logic accepted_i,
    input logic received_first_i,
    input logic received_tail_i,
    input logic [Width-1:0] probe_i,

    input logic [1:0] state_i,
    input logic [Time-1:0] until_accepted_i,
    input logic [$clog2(Buffer+2)-1:0] held_i,
    input logic tail_held_i,
    input logic first_taken_i
);
  localparam int Count = $clog2(Buffer + 2);

  // A worm has come; is being accepted; is taken; its first phit is not.
  logic here, accepting, taken, first_due;
  logic [Time-1:0] age;  // edges since acceptance began
  logic [Count-1:0] waiting;  // flits that have come and are not taken
  logic tail_waits;
  logic probe, phit, tail, begins, take, taking, first, ends;
  logic probe_seen, accepted, received_first, received_tail, stop;
  logic [Width-1:0] seen;

  assign probe = wire_i[Width-1-:2] == ecube_pkg::WireProbe;
  assign tail = wire_i[Width-1-:2] == ecube_pkg::WireTail;
  assign phit = tail || wire_i[Width-1-:2] == ecube_pkg::WirePhit;
  assign begins = (probe || (here && !accepting && !taken)) && engine_i;
  assign take = begins ? accept_delay_i == Time'(1) : accepting && age == accept_delay_i - 1'b1;
  assign taking = take || taken;
  assign first = taking && (phit || waiting > Count'(1)) && (first_due || probe);
  assign ends = taking && (tail || tail_waits);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      here <= 1'b0;
      accepting <= 1'b0;
      taken <= 1'b0;
      first_due <= 1'b0;
      age <= '0;
      waiting <= '0;
      tail_waits <= 1'b0;
      probe_seen <= 1'b0;
      accepted <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
      stop <= 1'b0;
      seen <= '0;
    end else begin
      probe_seen <= probe;
      accepted <= take;
      received_first <= first;
      received_tail <= ends;
      stop <= !taking && (waiting + Count'(probe || phit) >= Count'(Buffer) || tail || tail_waits);
      if (probe) seen <= wire_i;
      here <= (here || probe) && !ends;
      accepting <= (accepting || begins) && !take;
      taken <= taking && !ends;
      first_due <= (first_due || probe) && !first;
      age <= begins ? Time'(1) : age + 1'b1;
      waiting <= taking ? '0 : waiting + Count'(probe || phit);
      tail_waits <= !taking && (tail || tail_waits);
    end
  end

  logic [Time-1:0] accept_delay;  // at the edge before: it is constant in a run
  logic steady;
  always_ff @(posedge clk_i) begin
    accept_delay <= accept_delay_i;
    steady <= 1'b1;
    if (steady && !rst_i) begin
      `ECUBE_ENVIRONMENT(accept_delay == accept_delay_i);
    end
    if (!rst_i) begin
      `ECUBE_RULE(probe_is_reported)(probe_seen_i == probe_seen && probe_i == seen);
      `ECUBE_RULE(probe_is_taken_after_accept_delay)(accepted_i == accepted);
      `ECUBE_RULE(first_phit_is_reported)(received_first_i == received_first);
      `ECUBE_RULE(receiver_is_ready_after_the_tail)(received_tail_i == received_tail);
      `ECUBE_RULE(stop_when_full_or_with_a_tail)(stop_i == stop);
      `ECUBE_REGISTER(state_is_observed)
        (state_i ==
          (!here ? ecube_pkg::ReceiveIdle : taken ? ecube_pkg::ReceiveMoving : accepting ?
          ecube_pkg::ReceiveAccepting : ecube_pkg::ReceiveWaiting) &&
          (here || (!taken && !accepting)) && !(taken && accepting));
      `ECUBE_REGISTER(delay_is_the_rest)
        (!accepting ||
          (until_accepted_i == accept_delay_i - age && age != '0 && age < accept_delay_i));
      `ECUBE_REGISTER(flits_are_counted)
        (held_i == waiting && waiting <= Count'(Buffer) && (waiting != '0) == (here && !taken) &&
          tail_held_i == tail_waits && (!tail_waits || waiting > Count'(1)));
      `ECUBE_REGISTER(first_phit_is_marked)(!here || first_taken_i == !first_due);
    end
  end
endmodule
