// SPDX-License-Identifier: Apache-2.0
// Port of a network interface, hw/README.md sections 3 and 4: sets circuits up and sends their
// phits, accepts circuits and receives their phits. The message library knows what the phits mean,
// and decides when a message is sent.
module ecube_interface_port #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,  // label of the node of this port
    input logic [ecube_pkg::PortBits-1:0] number_i,

    // Constant in a run.
    // Whole cycles from one phit to the next, c = phit_cycles + num / den.
    input logic [Time-1:0] phit_cycles_i,
    input logic [Time-1:0] phit_extra_num_i,  // < den
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] accept_delay_i,  // A >= 1
    input logic [Time-1:0] setup_i,  // F of a fixed-distance machine, otherwise 0
    input logic together_only_i,  // network.duplex = together
    input logic [Time-1:0] together_i,

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at
    // the edge of the probe.
    input logic start_i,
    input logic [Dim-1:0] route_i,  // source XOR destination
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,  // n >= 1

    output logic [Width-1:0] wire_o,  // to the inject port
    input logic acknowledge_i,
    input logic [Width-1:0] wire_i,  // from the eject port
    output logic acknowledge_o,
    input logic engine_i,  // a probe that is here or arrives at this edge has a receive engine

    input logic [Ports-1:0] sending_ports_i,  // of this node
    input logic [Ports-1:0] late_ports_i,
    output logic sending_o,  // the port sends phits; the tail is still to come
    // The port has been sending for so long that a circuit that arrives has to wait.
    output logic late_o,
    output logic serialised_o,  // a probe waits for this node's own sends

    // For the message library and the monitor: what happened at the last edge.
    output logic sent_first_o,
    output logic sent_tail_o,
    output logic sent_o,  // the inject port is free for another circuit from the next edge on
    output logic probe_seen_o,
    output logic accepted_o,  // the acknowledge was driven
    output logic received_first_o,
    output logic received_tail_o,
    output logic [Width-1:0] probe_o,  // the probe seen last, whose phits are received
    output logic report_o,  // one of these events happened, or a probe waits
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  ecube_parameters #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Key(ecube_pkg::PortBits + ecube_pkg::SequenceBits),
      .Time(Time)
  ) parameters ();

  // --- Sending -----------------------------------------------------------------------------------

  `ECUBE_ENUM(send_state_e) send_state_q, send_state_d;
  // Counts go down to 0, which is found without an adder: edges before a phit may leave, and before
  // a circuit is late.
  logic [Time-1:0] until_phit_q, until_phit_d, until_late_q, until_late_d;
  // Phit j leaves at T0 + floor(j c). This is the fraction that floor cuts off at the next phit, as
  // a numerator less den: at 0 or above another whole cycle is due.
  logic [Time:0] excess_q, excess_d;
  logic acknowledged_q, acknowledged_d;
  logic sending, ready, go, drive_phit, last_phit, busy;
  logic [Time-1:0] hops;
  logic carry;

  ecube_sender #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time)
  ) sender (
      .clk_i,
      .rst_i,
      .node_i,
      .number_i,
      .start_i,
      .route_i,
      .sequence_i,
      .phits_i,
      .drive_i(drive_phit),
      .last_o(last_phit),
      .busy_o(busy),
      .wire_o,
      .sent_first_o,
      .sent_tail_o
  );
  assign sent_o = sent_tail_o;

  always_comb begin
    hops = '0;
    for (int i = 0; i < Dim; i++) begin
      hops = hops + Time'(route_i[i]);
    end
  end

  // The probe left at edge p; the first phit leaves with the acknowledge, on a fixed-distance
  // machine not before p + F - h - 3.
  assign ready = until_phit_q == '0;
  assign go = send_state_q == ecube_pkg::SendWaiting && (acknowledge_i || acknowledged_q) && ready;
  assign drive_phit = go || (sending && ready);
  assign carry = !excess_q[Time];
  assign sending = send_state_q == ecube_pkg::SendMoving;
  assign sending_o = sending;
  assign late_o = sending && until_late_q == '0;

  always_comb begin
    send_state_d = send_state_q;
    until_phit_d = until_phit_q;
    until_late_d = until_late_q;
    excess_d = excess_q;
    acknowledged_d = acknowledged_q;
    if (start_i) begin
      // The probe left at the edge before; edge p + 2 is the next.
      send_state_d = ecube_pkg::SendWaiting;
      excess_d = {1'b0, phit_extra_num_i} - {1'b0, phit_extra_den_i};
      until_phit_d = setup_i == '0 ? '0 : setup_i - hops - Time'(5);
      until_late_d = together_i;
      acknowledged_d = 1'b0;
    end
    if (send_state_q == ecube_pkg::SendWaiting) begin
      acknowledged_d = acknowledged_q || acknowledge_i;
    end
    if (send_state_q != ecube_pkg::SendIdle && !ready) begin
      until_phit_d = until_phit_q - 1'b1;
    end
    if (sending && until_late_q != '0) begin
      until_late_d = until_late_q - 1'b1;
    end
    if (drive_phit) begin
      send_state_d = last_phit ? ecube_pkg::SendIdle : ecube_pkg::SendMoving;
      excess_d = excess_q - (carry ? {1'b0, phit_extra_den_i} : '0) + {1'b0, phit_extra_num_i};
      until_phit_d = carry ? phit_cycles_i : phit_cycles_i - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state_q <= ecube_pkg::SendIdle;
      until_phit_q <= '0;
      until_late_q <= '0;
      excess_q <= '0;
      acknowledged_q <= 1'b0;
    end else begin
      send_state_q <= send_state_d;
      until_phit_q <= until_phit_d;
      until_late_q <= until_late_d;
      excess_q <= excess_d;
      acknowledged_q <= acknowledged_d;
    end
  end

  // --- Receiving ---------------------------------------------------------------------------------

  `ECUBE_ENUM(receive_state_e) receive_state_q, receive_state_d;
  logic [Time-1:0] until_acknowledge_q, until_acknowledge_d;
  logic [Ports-1:0] serialised_q, serialised_d, serialising;
  logic acknowledge_q, acknowledge_d, engine_q, engine_d, first_phit_q, received_first_q,
      received_tail_q;
  logic probe, phit, tail, waiting, engaged, accept, waits_for_sends;

  ecube_receiver #(
      .Dim(Dim),
      .Width(Width)
  ) receiver (
      .clk_i,
      .rst_i,
      .wire_i,
      .comes_o(probe),
      .phit_o(phit),
      .tail_o(tail),
      .probe_seen_o,
      .probe_o
  );
  assign acknowledge_o = acknowledge_q;
  assign accepted_o = acknowledge_q;
  assign received_first_o = received_first_q;
  assign received_tail_o = received_tail_q;
  assign serialised_o = waits_for_sends;

  assign waiting = probe || receive_state_q == ecube_pkg::ReceiveWaiting;
  // A node with sends that have been under way for too long accepts a circuit when those sends have
  // ended. An engine may be given before.
  assign serialising =
      !probe ? serialised_q & sending_ports_i : together_only_i ? late_ports_i : '0;
  assign engaged = engine_i || (engine_q && !probe);
  assign accept = waiting && engaged && serialising == '0;
  assign waits_for_sends = receive_state_q == ecube_pkg::ReceiveWaiting && serialised_q != '0;

  always_comb begin
    receive_state_d = receive_state_q;
    until_acknowledge_d = until_acknowledge_q;
    serialised_d = serialised_q;
    engine_d = engine_q;
    acknowledge_d = 1'b0;
    if (waiting) begin
      receive_state_d = ecube_pkg::ReceiveWaiting;
      serialised_d = serialising;
      engine_d = engaged && !accept;
    end
    if (accept) begin
      // Acceptance begins; the acknowledge is driven A - 1 edges later.
      receive_state_d =
          accept_delay_i == Time'(1) ? ecube_pkg::ReceiveMoving : ecube_pkg::ReceiveAccepting;
      acknowledge_d = accept_delay_i == Time'(1);
      until_acknowledge_d = accept_delay_i - 1'b1;
    end
    if (receive_state_q == ecube_pkg::ReceiveAccepting) begin
      until_acknowledge_d = until_acknowledge_q - 1'b1;
      if (until_acknowledge_q == Time'(1)) begin
        acknowledge_d = 1'b1;
        receive_state_d = ecube_pkg::ReceiveMoving;
      end
    end
    if (receive_state_q == ecube_pkg::ReceiveMoving && tail) begin
      receive_state_d = ecube_pkg::ReceiveIdle;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state_q <= ecube_pkg::ReceiveIdle;
      until_acknowledge_q <= '0;
      serialised_q <= '0;
      engine_q <= 1'b0;
      acknowledge_q <= 1'b0;
      first_phit_q <= 1'b0;
      received_first_q <= 1'b0;
      received_tail_q <= 1'b0;
    end else begin
      receive_state_q <= receive_state_d;
      until_acknowledge_q <= until_acknowledge_d;
      serialised_q <= serialised_d;
      engine_q <= engine_d;
      acknowledge_q <= acknowledge_d;
      first_phit_q <= probe || (first_phit_q && !phit);
      received_first_q <= first_phit_q && phit;
      received_tail_q <= tail;
    end
  end

  assign report_o = sent_first_o || sent_tail_o || probe_seen_o || received_first_q ||
      received_tail_q || acknowledge_q ||
      receive_state_q == ecube_pkg::ReceiveWaiting || receive_state_q ==
          ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later; what was sent is on the wire then. A probe that waits
  // for an engine, and a sender that waits for an acknowledge, change no register.
  assign moving_o = busy || sending ||
      (send_state_q == ecube_pkg::SendWaiting && !ready) || go ||
      probe_seen_o || received_first_q || received_tail_q || acknowledge_q ||
      receive_state_q == ecube_pkg::ReceiveAccepting || waits_for_sends;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The circuits of a port are set up one after the other, each with at least one phit.
      `ECUBE_NEIGHBOUR(one_after_the_other)(!start_i || send_state_q == ecube_pkg::SendIdle);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || phits_i != '0);
      // Each circuit gets one acknowledge, while it waits for one. The first phit leaves with the
      // acknowledge or, on a fixed-distance machine, when the set-up time is over.
      `ECUBE_NEIGHBOUR(one_acknowledge)
        (!acknowledge_i || (send_state_q == ecube_pkg::SendWaiting && !acknowledged_q));
      `ECUBE_ASSERT(first_phit_with_acknowledge)
        (!go || ((acknowledge_i || acknowledged_q) && until_phit_q == '0));
      // Phits follow at floor(j c): a whole number of cycles and a remainder below one.
      `ECUBE_NEIGHBOUR(ratio_is_proper)(phit_extra_num_i < phit_extra_den_i && phit_cycles_i != '0);
      `ECUBE_ASSERT(floor_of_ratio)
        (!sending || (excess_q[Time] ? {1'b0, phit_extra_den_i} >= '0 - excess_q :
          excess_q < {1'b0, phit_extra_num_i}));
      // A probe comes to a port that has finished the circuit before.
      `ECUBE_NEIGHBOUR(one_circuit_at_a_time)(!probe || receive_state_q == ecube_pkg::ReceiveIdle);
      // Acceptance waits for the node's late sends, for an engine, and for nothing else.
      `ECUBE_ASSERT(accepts_after_own_sends)
        (!accept || probe || (serialised_q & sending_ports_i) == '0);
      `ECUBE_ASSERT(waits_for_nothing_else)
        (receive_state_q != ecube_pkg::ReceiveWaiting || serialised_q != '0 || !engine_q);
      `ECUBE_ASSERT(acknowledged_is_accepted)
        (!acknowledge_q || receive_state_q == ecube_pkg::ReceiveMoving);
      // Phits come to a circuit that has been accepted.
      `ECUBE_NEIGHBOUR(phits_after_acceptance)
        (!phit || receive_state_q == ecube_pkg::ReceiveMoving);
    end
  end
endmodule
