// SPDX-License-Identifier: Apache-2.0
// Port of a network interface for worms, hw/README.md sections 4 and 10: sends a probe with its phits behind it, and
// takes probes and their phits.
module ecube_worm_port #(
    parameter int DIM = 3,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32,
    parameter int BUFFER = 1  // words that arrive before the probe is taken
) (
    input logic clk_i,
    input logic rst_i,
    input logic [DIM-1:0] node_i,  // label of the node of this port
    input logic [ecube_pkg::PortBits-1:0] number_i,

    // Constant in a run.
    input logic [TIME-1:0] phit_cycles_i,  // c >= 2
    input logic [TIME-1:0] accept_delay_i,  // A >= 1

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at the edge of the probe.
    input logic start_i,
    input logic [DIM-1:0] route_i,  // source XOR destination
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [TIME-1:0] phits_i,  // n >= 1

    output logic [WIDTH-1:0] wire_o,  // to the inject port
    input logic acknowledge_i,  // the stop
    input logic [WIDTH-1:0] wire_i,  // from the eject port
    output logic acknowledge_o,  // the stop
    input logic engine_i,  // a probe that is here or arrives at this edge has a receive engine

    // For the message library and the monitor: what happened at the last edge.
    output logic sent_first_o,
    output logic sent_tail_o,
    output logic sent_o,  // what will happen at the next edge: the inject wire is free for another worm
    output logic probe_seen_o,
    output logic accepted_o,  // the probe was taken
    output logic received_first_o,
    output logic received_tail_o,
    output logic [WIDTH-1:0] probe_o,  // the probe seen last, whose phits are received
    output logic report_o,  // one of these events happened, or a probe waits
    output logic moving_o
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_worm_port: DIM has to be 1 to 6");
  end
  if (WIDTH < 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_worm_port: WIDTH has to be 2 DIM + 21 at least, the bits of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_worm_port: TIME has to be 2 to 32");
  end
  if (BUFFER < 1 || BUFFER > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_worm_port: BUFFER has to be 1 to 8");
  end

  localparam int Payload = WIDTH - 2;
  localparam int Sequence = 2 * DIM + ecube_pkg::PortBits;  // its lowest bit
  localparam int Spare = Payload - Sequence - ecube_pkg::SequenceBits;
  localparam int Count = $clog2(BUFFER + 2);

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic stop;
  logic sent;
  logic sent_first;
  logic sent_tail;
  logic probe_seen;
  logic accepted;
  logic received_first;
  logic received_tail;
  assign acknowledge_o = stop;
  assign sent_o = sent;
  assign sent_first_o = sent_first;
  assign sent_tail_o = sent_tail;
  assign probe_seen_o = probe_seen;
  assign accepted_o = accepted;
  assign received_first_o = received_first;
  assign received_tail_o = received_tail;

  // --- Sending --------------------------------------------------------------------------------------------------

  logic [1:0] send_state;
  logic [TIME-1:0] phits_left, until_phit;
  logic [ecube_pkg::SequenceBits-1:0] send_number;
  logic [WIDTH-1:0] drive;
  logic ready, drive_phit, last_phit, first_left;

  assign ready = until_phit == '0 && !acknowledge_i;
  assign drive_phit = send_state == ecube_pkg::SendMoving && ready;
  assign last_phit = phits_left == TIME'(1);
  assign wire_o = start_i ? {ecube_pkg::WireProbe, {Spare{1'b0}}, sequence_i, number_i, node_i, route_i} : drive;
  assign sent = send_state == ecube_pkg::SendClosing && ready;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state <= ecube_pkg::SendIdle;
      drive <= '0;
      phits_left <= '0;
      until_phit <= '0;
      send_number <= '0;
      first_left <= 1'b0;
      sent_first <= 1'b0;
      sent_tail <= 1'b0;
    end else begin
      drive <= '0;
      sent_first <= drive_phit && first_left;
      sent_tail <= drive_phit && last_phit;
      if (until_phit != '0) until_phit <= until_phit - 1'b1;
      if (sent) send_state <= ecube_pkg::SendIdle;
      if (drive_phit) begin
        drive <= {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, send_number, Sequence'(0)};
        if (last_phit) send_state <= ecube_pkg::SendClosing;
        phits_left <= phits_left - 1'b1;
        until_phit <= phit_cycles_i - 1'b1;
        send_number <= send_number + 1'b1;
        first_left <= 1'b0;
      end
      if (start_i) begin
        // The probe left at the edge before.
        send_state <= ecube_pkg::SendMoving;
        phits_left <= phits_i;
        until_phit <= phit_cycles_i - TIME'(2);
        send_number <= '0;
        first_left <= 1'b1;
      end
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  logic [1:0] receive_state;
  logic [TIME-1:0] until_taken;
  logic [Count-1:0] held, held_next;  // words that wait until the probe is taken, including the probe
  logic tail_held, first_taken, first_here, probe, phit, tail, accept, take, taken;
  logic [1:0] kind;
  logic [ecube_pkg::SequenceBits-1:0] receive_number;

  // Further bits of a wider wire are unused.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_i[Sequence+ecube_pkg::SequenceBits+:Spare]};
  end

  assign kind = wire_i[Payload+:2];
  assign probe = kind == ecube_pkg::WireProbe;
  assign phit = kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail;
  assign tail = tail_held || kind == ecube_pkg::WireTail;
  // Acceptance begins when the probe has an engine. The probe, and the words that have come behind it, are taken A - 1
  // edges later.
  assign accept = (probe || receive_state == ecube_pkg::ReceiveWaiting) && engine_i;
  assign take = (accept && accept_delay_i == TIME'(1)) ||
      (receive_state == ecube_pkg::ReceiveAccepting && until_taken == TIME'(1));
  assign taken = take || receive_state == ecube_pkg::ReceiveMoving;
  assign held_next = taken ? '0 : held + Count'(kind != ecube_pkg::WireIdle);
  // The first phit may have waited until the probe was taken. Numbers wrap around, so the first phit cannot be
  // recognised by its number.
  assign first_here = taken && (phit || held > Count'(1)) && (probe || !first_taken);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state <= ecube_pkg::ReceiveIdle;
      until_taken <= '0;
      held <= '0;
      tail_held <= 1'b0;
      stop <= 1'b0;
      receive_number <= '0;
      first_taken <= 1'b0;
      probe_o <= '0;
      probe_seen <= 1'b0;
      accepted <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
    end else begin
      probe_seen <= probe;
      accepted <= take;
      held <= held_next;
      tail_held <= !taken && tail;
      // A full buffer stops further words; a buffer that holds a tail stops the next worm.
      stop <= held_next == Count'(BUFFER) || (!taken && tail);
      if (probe) begin
        probe_o <= wire_i;
        receive_number <= '0;
        receive_state <= ecube_pkg::ReceiveWaiting;
      end
      if (accept) begin
        receive_state <= ecube_pkg::ReceiveAccepting;
        until_taken <= accept_delay_i - 1'b1;
      end
      if (receive_state == ecube_pkg::ReceiveAccepting) until_taken <= until_taken - 1'b1;
      if (take) receive_state <= ecube_pkg::ReceiveMoving;
      if (phit) receive_number <= receive_number + 1'b1;
      first_taken <= first_here || (first_taken && !probe);
      received_first <= first_here;
      received_tail <= taken && tail;
      if (taken && tail) receive_state <= ecube_pkg::ReceiveIdle;
    end
  end

  assign report_o = sent_first || sent_tail || sent || probe_seen || accepted || received_first ||
      received_tail || receive_state == ecube_pkg::ReceiveWaiting || receive_state == ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later. Words that a stop holds do not move.
  assign moving_o = drive != '0 || until_phit != '0 || drive_phit || sent || sent_first || sent_tail ||
      probe_seen || accepted || received_first || received_tail ||
      receive_state == ecube_pkg::ReceiveAccepting;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The worms of a port are sent one after the other, each with at least one phit, on a wire that is free.
      `ECUBE_NEIGHBOUR(one_after_the_other)(!start_i || send_state == ecube_pkg::SendIdle || sent);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || (phits_i != '0 && until_phit == '0));
      `ECUBE_NEIGHBOUR(paced)(phit_cycles_i > TIME'(1) && accept_delay_i != '0);
      // No word is driven onto a wire that is stopped.
      `ECUBE_ASSERT(stop_is_heeded)(!drive_phit || !acknowledge_i);
      // A probe comes to a port that has finished the worm before, with no dimension left on the probe's route.
      `ECUBE_NEIGHBOUR(one_worm_at_a_time)(!probe || receive_state == ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(route_is_behind)(!probe || (wire_i[0+:DIM] == '0));
      // Phits come behind their probe, in order, and there is room for them.
      `ECUBE_NEIGHBOUR(phits_behind_probe)(!phit || receive_state != ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(phits_in_order)(!phit || wire_i[Sequence+:ecube_pkg::SequenceBits] == receive_number);
      `ECUBE_NEIGHBOUR(buffer_has_room)(!phit || receive_state == ecube_pkg::ReceiveMoving || held != Count'(BUFFER));
    end
  end
`ifdef ECUBE_ONE_MODULE
  // The first cycle resets.
  logic started;
  initial started = 1'b0;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    assume (started != rst_i);
  end
`endif

`ifdef ECUBE_PROPERTIES
  ecube_rule_10_5_sending #(
      .DIM(DIM),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) sending (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .node_i(node_i),
      .number_i(number_i),
      .phit_cycles_i(phit_cycles_i),
      .start_i(start_i),
      .route_i(route_i),
      .sequence_i(sequence_i),
      .phits_i(phits_i),
      .stopped_i(acknowledge_i),
      .wire_i(wire_o),
      .sent_first_i(sent_first_o),
      .sent_tail_i(sent_tail_o),
      .sent_i(sent_o),
      .state_i(send_state),
      .phits_left_i(phits_left),
      .until_phit_i(until_phit),
      .phit_i(send_number),
      .first_i(first_left)
  );

  ecube_rule_10_5_receiving #(
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
  ) receiving (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .accept_delay_i(accept_delay_i),
      .wire_i(wire_i),
      .engine_i(engine_i),
      .stop_i(acknowledge_o),
      .probe_seen_i(probe_seen_o),
      .accepted_i(accepted_o),
      .received_first_i(received_first_o),
      .received_tail_i(received_tail_o),
      .probe_i(probe_o),
      .state_i(receive_state),
      .until_taken_i(until_taken),
      .held_i(held),
      .tail_held_i(tail_held),
      .first_taken_i(first_taken)
  );
`endif
endmodule
