// SPDX-License-Identifier: Apache-2.0
// Rules 3.2, 3.3, 3.7, 4.7 and 4.8, the destination's interface: acceptance begins when the probe
// has an engine and the node's own late sends have ended; the acknowledge is driven A - 1 edges
// later, once; phits and tail are reported.
module ecube_rule_3_2_receiving #(
    parameter int Ports = 1,
    parameter int Width = 27,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] accept_delay_i,
    input logic together_only_i,
    input logic [Width-1:0] wire_i,
    input logic engine_i,
    input logic [Ports-1:0] sending_ports_i,
    input logic [Ports-1:0] late_ports_i,
    input logic acknowledge_i,  // what the port drives
    input logic accepted_i,
    input logic probe_seen_i,
    input logic received_first_i,
    input logic received_tail_i,
    input logic serialised_i,
    input logic [Width-1:0] probe_i,

    input logic [1:0] state_i,
    input logic [Time-1:0] until_acknowledge_i,
    input logic [Ports-1:0] serialising_i,
    input logic engine_kept_i,
    input logic first_phit_i
);
  logic waits, accepting, open, has_engine, first_due;  // of the circuit that has come
  logic [Ports-1:0] late;  // sends that it waits for
  logic [Time-1:0] age;  // edges since acceptance began
  logic probe, tail, phit, begins, acknowledges;
  logic [Ports-1:0] late_still;
  logic probe_seen, acknowledged, received_first, received_tail;
  logic [Width-1:0] seen;

  assign probe = wire_i[Width-1-:2] == ecube_pkg::WireProbe;
  assign tail = wire_i[Width-1-:2] == ecube_pkg::WireTail;
  assign phit = tail || wire_i[Width-1-:2] == ecube_pkg::WirePhit;
  assign late_still = probe ? (together_only_i ? late_ports_i : '0) : late & sending_ports_i;
  assign begins = (probe || waits) && (engine_i || (has_engine && !probe)) && late_still == '0;
  assign acknowledges =
      begins ? accept_delay_i == Time'(1) : accepting && age == accept_delay_i - 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      waits <= 1'b0;
      accepting <= 1'b0;
      open <= 1'b0;
      has_engine <= 1'b0;
      first_due <= 1'b0;
      late <= '0;
      age <= '0;
      probe_seen <= 1'b0;
      acknowledged <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
      seen <= '0;
    end else begin
      probe_seen <= probe;
      acknowledged <= acknowledges;
      received_first <= phit && first_due;
      received_tail <= tail;
      if (probe) seen <= wire_i;
      waits <= (waits || probe) && !begins;
      if (probe || waits) begin
        has_engine <= (engine_i || (has_engine && !probe)) && !begins;
        late <= late_still;
      end
      accepting <= (accepting || begins) && !acknowledges;
      open <= (open || acknowledges) && !tail;
      age <= begins ? Time'(1) : age + 1'b1;
      first_due <= probe || (first_due && !phit);
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
    `ECUBE_ENVIRONMENT(accept_delay_i != '0);
    if (!rst_i) begin
      `ECUBE_RULE(probe_is_reported)(probe_seen_i == probe_seen && probe_i == seen);
      `ECUBE_RULE(acknowledge_after_accept_delay)
        (acknowledge_i == acknowledged && accepted_i == acknowledged);
      `ECUBE_RULE(first_phit_is_reported)(received_first_i == received_first);
      `ECUBE_RULE(receiver_is_ready_after_the_tail)(received_tail_i == received_tail);
      `ECUBE_RULE(serialised_is_reported)(serialised_i == (waits && late != '0));
      `ECUBE_REGISTER(state_is_observed)
        (state_i ==
          (waits ? ecube_pkg::ReceiveWaiting : accepting ? ecube_pkg::ReceiveAccepting : open ?
          ecube_pkg::ReceiveMoving : ecube_pkg::ReceiveIdle) && !(waits && (accepting || open)) &&
          !(accepting && open));
      `ECUBE_REGISTER(delay_is_the_rest)
        (!accepting ||
          (until_acknowledge_i == accept_delay_i - age && age != '0 && age < accept_delay_i));
      `ECUBE_REGISTER(waiting_is_observed)
        (!waits || (serialising_i == late && engine_kept_i == has_engine));
      `ECUBE_REGISTER(first_phit_is_marked)(first_phit_i == first_due);
    end
  end
endmodule
