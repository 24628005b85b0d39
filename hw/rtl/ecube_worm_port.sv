// SPDX-License-Identifier: Apache-2.0
// Port of a network interface for worms, hw/README.md sections 4 and 10: sends a probe with its
// phits behind it, and takes probes and their phits.
module ecube_worm_port #(
    parameter int Dim = 3,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1  // flits that arrive before the probe is taken
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,  // label of the node of this port
    input logic [ecube_pkg::PortBits-1:0] number_i,

    // Constant in a run.
    input logic [Time-1:0] phit_cycles_i,  // c >= 2
    input logic [Time-1:0] accept_delay_i,  // A >= 1

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at
    // the edge of the probe.
    input logic start_i,
    input logic [Dim-1:0] route_i,  // source XOR destination
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [Time-1:0] phits_i,  // n >= 1

    output logic [Width-1:0] wire_o,  // to the inject port
    input logic acknowledge_i,  // the stop
    input logic [Width-1:0] wire_i,  // from the eject port
    output logic acknowledge_o,  // the stop
    input logic engine_i,  // a probe that is here or arrives at this edge has a receive engine

    // For the message library and the monitor: what happened at the last edge.
    output logic sent_first_o,
    output logic sent_tail_o,
    // What will happen at the next edge: the inject wire is free for another worm.
    output logic sent_o,
    output logic probe_seen_o,
    output logic accepted_o,  // the probe was taken
    output logic received_first_o,
    output logic received_tail_o,
    output logic [Width-1:0] probe_o,  // the probe seen last, whose phits are received
    output logic report_o,  // one of these events happened, or a probe waits
    output logic moving_o
);
  ecube_parameters #(
      .Dim(Dim),
      .Width(Width),
      .Key(ecube_pkg::PortBits + ecube_pkg::SequenceBits),
      .Time(Time),
      .Buffer(Buffer)
  ) parameters ();

  localparam int Count = $clog2(Buffer + 2);

  // --- Sending -----------------------------------------------------------------------------------

  `ECUBE_ENUM(send_state_e) send_state_q, send_state_d;
  logic [Time-1:0] until_phit_q, until_phit_d;
  logic ready, drive_phit, last_phit, busy, sent;

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

  assign ready = until_phit_q == '0 && !acknowledge_i;
  assign drive_phit = send_state_q == ecube_pkg::SendMoving && ready;
  // Not from a register: the wire is free at the edge at which no stop is seen, and a register
  // would lose that edge.
  assign sent = send_state_q == ecube_pkg::SendClosing && ready;
  assign sent_o = sent;

  always_comb begin
    send_state_d = send_state_q;
    until_phit_d = until_phit_q - Time'(until_phit_q != '0);
    if (sent) begin
      send_state_d = ecube_pkg::SendIdle;
    end
    if (drive_phit) begin
      send_state_d = last_phit ? ecube_pkg::SendClosing : ecube_pkg::SendMoving;
      until_phit_d = phit_cycles_i - 1'b1;
    end
    if (start_i) begin
      // The probe left at the edge before.
      send_state_d = ecube_pkg::SendMoving;
      until_phit_d = phit_cycles_i - Time'(2);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state_q <= ecube_pkg::SendIdle;
      until_phit_q <= '0;
    end else begin
      send_state_q <= send_state_d;
      until_phit_q <= until_phit_d;
    end
  end

  // --- Receiving ---------------------------------------------------------------------------------

  `ECUBE_ENUM(receive_state_e) receive_state_q, receive_state_d;
  logic [Time-1:0] until_accepted_q, until_accepted_d;
  // Flits that wait until the probe is taken, including the probe.
  logic [Count-1:0] held_q, held_d;
  logic stop_q, accepted_q, tail_held_q, first_taken_q, received_first_q, received_tail_q;
  logic probe, phit, arriving_tail, tail, accept, take, taken, first_here;

  ecube_receiver #(
      .Dim(Dim),
      .Width(Width)
  ) receiver (
      .clk_i,
      .rst_i,
      .wire_i,
      .comes_o(probe),
      .phit_o(phit),
      .tail_o(arriving_tail),
      .probe_seen_o,
      .probe_o
  );
  assign acknowledge_o = stop_q;
  assign accepted_o = accepted_q;
  assign received_first_o = received_first_q;
  assign received_tail_o = received_tail_q;

  assign tail = tail_held_q || arriving_tail;
  // Acceptance begins when the probe has an engine. The probe, and the flits that have come behind
  // it, are taken A - 1 edges later.
  assign accept = (probe || receive_state_q == ecube_pkg::ReceiveWaiting) && engine_i;
  assign take = (accept && accept_delay_i == Time'(1)) ||
      (receive_state_q == ecube_pkg::ReceiveAccepting && until_accepted_q == Time'(1));
  assign taken = take || receive_state_q == ecube_pkg::ReceiveMoving;
  assign held_d = taken ? '0 : held_q + Count'(probe || phit);
  // The first phit may have waited until the probe was taken. Numbers wrap around, so the first
  // phit cannot be recognised by its number.
  assign first_here = taken && (phit || held_q > Count'(1)) && (probe || !first_taken_q);

  always_comb begin
    receive_state_d = receive_state_q;
    until_accepted_d = until_accepted_q;
    if (probe) begin
      receive_state_d = ecube_pkg::ReceiveWaiting;
    end
    if (accept) begin
      receive_state_d = ecube_pkg::ReceiveAccepting;
      until_accepted_d = accept_delay_i - 1'b1;
    end
    if (receive_state_q == ecube_pkg::ReceiveAccepting) begin
      until_accepted_d = until_accepted_q - 1'b1;
    end
    if (take) begin
      receive_state_d = ecube_pkg::ReceiveMoving;
    end
    if (taken && tail) begin
      receive_state_d = ecube_pkg::ReceiveIdle;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state_q <= ecube_pkg::ReceiveIdle;
      until_accepted_q <= '0;
      held_q <= '0;
      tail_held_q <= 1'b0;
      stop_q <= 1'b0;
      first_taken_q <= 1'b0;
      accepted_q <= 1'b0;
      received_first_q <= 1'b0;
      received_tail_q <= 1'b0;
    end else begin
      receive_state_q <= receive_state_d;
      until_accepted_q <= until_accepted_d;
      held_q <= held_d;
      tail_held_q <= !taken && tail;
      // A full buffer stops further flits; a buffer that holds a tail stops the next worm.
      stop_q <= held_d == Count'(Buffer) || (!taken && tail);
      first_taken_q <= first_here || (first_taken_q && !probe);
      accepted_q <= take;
      received_first_q <= first_here;
      received_tail_q <= taken && tail;
    end
  end

  assign report_o =
      sent_first_o || sent_tail_o || sent || probe_seen_o || accepted_q || received_first_q ||
      received_tail_q || receive_state_q == ecube_pkg::ReceiveWaiting || receive_state_q ==
          ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later; what was sent is on the wire then. Flits that a stop
  // holds do not move.
  assign moving_o = busy || until_phit_q != '0 || drive_phit || sent || probe_seen_o ||
      accepted_q || received_first_q ||
      received_tail_q || receive_state_q == ecube_pkg::ReceiveAccepting;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The worms of a port are sent one after the other, each with at least one phit, on a wire
      // that is free.
      `ECUBE_NEIGHBOUR(one_after_the_other)
        (!start_i || send_state_q == ecube_pkg::SendIdle || sent);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || (phits_i != '0 && until_phit_q == '0));
      `ECUBE_NEIGHBOUR(paced)(phit_cycles_i > Time'(1) && accept_delay_i != '0);
      // No flit is driven onto a wire that is stopped.
      `ECUBE_ASSERT(stop_is_heeded)(!drive_phit || !acknowledge_i);
      // A probe comes to a port that has finished the worm before, phits behind it, and there is
      // room for them.
      `ECUBE_NEIGHBOUR(one_worm_at_a_time)(!probe || receive_state_q == ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(phits_behind_probe)(!phit || receive_state_q != ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(buffer_has_room)
        (!phit || receive_state_q == ecube_pkg::ReceiveMoving || held_q != Count'(Buffer));
    end
  end
endmodule
