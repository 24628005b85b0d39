// SPDX-License-Identifier: Apache-2.0
// Port of a network interface for worms, hw/README.md sections 4 and 10: sends a probe with its phits behind it, and
// takes probes and their phits.
module ecube_worm_port #(
    parameter int Dim = 3,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1  // words that arrive before the probe is taken
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Dim-1:0] node_i,  // label of the node of this port
    input logic [ecube_pkg::PortBits-1:0] number_i,

    // Constant in a run.
    input logic [Time-1:0] phit_cycles_i,  // c >= 2
    input logic [Time-1:0] accept_delay_i,  // A >= 1

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at the edge of the probe.
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
    output logic sent_o,  // what will happen at the next edge: the inject wire is free for another worm
    output logic probe_seen_o,
    output logic accepted_o,  // the probe was taken
    output logic received_first_o,
    output logic received_tail_o,
    output logic [Width-1:0] probe_o,  // the probe seen last, whose phits are received
    output logic report_o,  // one of these events happened, or a probe waits
    output logic moving_o
);
  if (Dim < 1 || Dim > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_worm_port: Dim has to be 1 to 6");
  end
  if (Width < 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_worm_port: Width has to be 2 Dim + 21 at least, the bits of a probe");
  end
  if (Time < 2 || Time > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_worm_port: Time has to be 2 to 32");
  end
  if (Buffer < 1 || Buffer > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_worm_port: Buffer has to be 1 to 8");
  end

  localparam int Payload = Width - 2;
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;  // its lowest bit
  localparam int Spare = Payload - Sequence - ecube_pkg::SequenceBits;
  localparam int Count = $clog2(Buffer + 2);

  // A word below its kind and its spare bits: of a probe all, of a phit the number.
  typedef struct packed {
    logic [ecube_pkg::SequenceBits-1:0] number;
    logic [ecube_pkg::PortBits-1:0] port;
    logic [Dim-1:0] source;
    logic [Dim-1:0] route;
  } word_t;
  word_t leaving, arriving;
  always_comb begin
    leaving.number = sequence_i;
    leaving.port = number_i;
    leaving.source = node_i;
    leaving.route = route_i;
  end
  assign arriving = wire_i[Payload-Spare-1:0];
  logic unused_arriving;
  assign unused_arriving = &{1'b0, arriving.port, arriving.source};

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic stop_q;
  logic sent;
  logic sent_first_q;
  logic sent_tail_q;
  logic [Width-1:0] probe_q, probe_d;
  logic probe_seen_q;
  logic accepted_q;
  logic received_first_q;
  logic received_tail_q;
  assign acknowledge_o = stop_q;
  assign sent_o = sent;
  assign sent_first_o = sent_first_q;
  assign sent_tail_o = sent_tail_q;
  assign probe_o = probe_q;
  assign probe_seen_o = probe_seen_q;
  assign accepted_o = accepted_q;
  assign received_first_o = received_first_q;
  assign received_tail_o = received_tail_q;

  // --- Sending --------------------------------------------------------------------------------------------------

  `ECUBE_ENUM(send_state_e) send_state_q, send_state_d;
  logic [Time-1:0] phits_left_q, phits_left_d, until_phit_q, until_phit_d;
  logic [ecube_pkg::SequenceBits-1:0] send_number_q, send_number_d;
  logic [Width-1:0] drive_q, drive_d;
  logic ready, drive_phit, last_phit, first_left_q, first_left_d;

  assign ready = until_phit_q == '0 && !acknowledge_i;
  assign drive_phit = send_state_q == ecube_pkg::SendMoving && ready;
  assign last_phit = phits_left_q == Time'(1);
  assign wire_o = start_i ? {ecube_pkg::WireProbe, {Spare{1'b0}}, leaving} : drive_q;
  assign sent = send_state_q == ecube_pkg::SendClosing && ready;

  always_comb begin
    send_state_d = send_state_q;
    phits_left_d = phits_left_q;
    until_phit_d = until_phit_q;
    send_number_d = send_number_q;
    first_left_d = first_left_q;
    drive_d = '0;
    if (until_phit_q != '0) until_phit_d = until_phit_q - 1'b1;
    if (sent) send_state_d = ecube_pkg::SendIdle;
    if (drive_phit) begin
      drive_d = {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, send_number_q, Sequence'(0)};
      if (last_phit) send_state_d = ecube_pkg::SendClosing;
      phits_left_d = phits_left_q - 1'b1;
      until_phit_d = phit_cycles_i - 1'b1;
      send_number_d = send_number_q + 1'b1;
      first_left_d = 1'b0;
    end
    if (start_i) begin
      // The probe left at the edge before.
      send_state_d = ecube_pkg::SendMoving;
      phits_left_d = phits_i;
      until_phit_d = phit_cycles_i - Time'(2);
      send_number_d = '0;
      first_left_d = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state_q <= ecube_pkg::SendIdle;
      drive_q <= '0;
      phits_left_q <= '0;
      until_phit_q <= '0;
      send_number_q <= '0;
      first_left_q <= 1'b0;
      sent_first_q <= 1'b0;
      sent_tail_q <= 1'b0;
    end else begin
      send_state_q <= send_state_d;
      drive_q <= drive_d;
      phits_left_q <= phits_left_d;
      until_phit_q <= until_phit_d;
      send_number_q <= send_number_d;
      first_left_q <= first_left_d;
      sent_first_q <= drive_phit && first_left_q;
      sent_tail_q <= drive_phit && last_phit;
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  `ECUBE_ENUM(receive_state_e) receive_state_q, receive_state_d;
  logic [Time-1:0] until_taken_q, until_taken_d;
  logic [Count-1:0] held_q, held_d;  // words that wait until the probe is taken, including the probe
  logic tail_held_q, first_taken_q, first_here, probe, phit, tail, accept, take, taken;
  logic [1:0] kind;
  logic [ecube_pkg::SequenceBits-1:0] receive_number_q, receive_number_d;

  // Further bits of a wider wire are unused.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_i[Sequence+ecube_pkg::SequenceBits+:Spare]};
  end

  assign kind = wire_i[Payload+:2];
  assign probe = kind == ecube_pkg::WireProbe;
  assign phit = kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail;
  assign tail = tail_held_q || kind == ecube_pkg::WireTail;
  // Acceptance begins when the probe has an engine. The probe, and the words that have come behind it, are taken A - 1
  // edges later.
  assign accept = (probe || receive_state_q == ecube_pkg::ReceiveWaiting) && engine_i;
  assign take = (accept && accept_delay_i == Time'(1)) ||
      (receive_state_q == ecube_pkg::ReceiveAccepting && until_taken_q == Time'(1));
  assign taken = take || receive_state_q == ecube_pkg::ReceiveMoving;
  assign held_d = taken ? '0 : held_q + Count'(kind != ecube_pkg::WireIdle);
  // The first phit may have waited until the probe was taken. Numbers wrap around, so the first phit cannot be
  // recognised by its number.
  assign first_here = taken && (phit || held_q > Count'(1)) && (probe || !first_taken_q);

  always_comb begin
    receive_state_d = receive_state_q;
    until_taken_d = until_taken_q;
    receive_number_d = receive_number_q;
    probe_d = probe_q;
    if (probe) begin
      probe_d = wire_i;
      receive_number_d = '0;
      receive_state_d = ecube_pkg::ReceiveWaiting;
    end
    if (accept) begin
      receive_state_d = ecube_pkg::ReceiveAccepting;
      until_taken_d = accept_delay_i - 1'b1;
    end
    if (receive_state_q == ecube_pkg::ReceiveAccepting) until_taken_d = until_taken_q - 1'b1;
    if (take) receive_state_d = ecube_pkg::ReceiveMoving;
    if (phit) receive_number_d = receive_number_q + 1'b1;
    if (taken && tail) receive_state_d = ecube_pkg::ReceiveIdle;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state_q <= ecube_pkg::ReceiveIdle;
      until_taken_q <= '0;
      held_q <= '0;
      tail_held_q <= 1'b0;
      stop_q <= 1'b0;
      receive_number_q <= '0;
      first_taken_q <= 1'b0;
      probe_q <= '0;
      probe_seen_q <= 1'b0;
      accepted_q <= 1'b0;
      received_first_q <= 1'b0;
      received_tail_q <= 1'b0;
    end else begin
      receive_state_q <= receive_state_d;
      until_taken_q <= until_taken_d;
      receive_number_q <= receive_number_d;
      probe_q <= probe_d;
      probe_seen_q <= probe;
      accepted_q <= take;
      held_q <= held_d;
      tail_held_q <= !taken && tail;
      // A full buffer stops further words; a buffer that holds a tail stops the next worm.
      stop_q <= held_d == Count'(Buffer) || (!taken && tail);
      first_taken_q <= first_here || (first_taken_q && !probe);
      received_first_q <= first_here;
      received_tail_q <= taken && tail;
    end
  end

  assign report_o = sent_first_q || sent_tail_q || sent || probe_seen_q || accepted_q || received_first_q ||
      received_tail_q || receive_state_q == ecube_pkg::ReceiveWaiting || receive_state_q == ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later. Words that a stop holds do not move.
  assign moving_o = drive_q != '0 || until_phit_q != '0 || drive_phit || sent || sent_first_q || sent_tail_q ||
      probe_seen_q || accepted_q || received_first_q || received_tail_q ||
      receive_state_q == ecube_pkg::ReceiveAccepting;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The worms of a port are sent one after the other, each with at least one phit, on a wire that is free.
      `ECUBE_NEIGHBOUR(one_after_the_other)(!start_i || send_state_q == ecube_pkg::SendIdle || sent);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || (phits_i != '0 && until_phit_q == '0));
      `ECUBE_NEIGHBOUR(paced)(phit_cycles_i > Time'(1) && accept_delay_i != '0);
      // No word is driven onto a wire that is stopped.
      `ECUBE_ASSERT(stop_is_heeded)(!drive_phit || !acknowledge_i);
      // A probe comes to a port that has finished the worm before, with no dimension left on the probe's route.
      `ECUBE_NEIGHBOUR(one_worm_at_a_time)(!probe || receive_state_q == ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(route_is_behind)(!probe || arriving.route == '0);
      // Phits come behind their probe, in order, and there is room for them.
      `ECUBE_NEIGHBOUR(phits_behind_probe)(!phit || receive_state_q != ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(phits_in_order)(!phit || arriving.number == receive_number_q);
      `ECUBE_NEIGHBOUR(buffer_has_room)(!phit || receive_state_q == ecube_pkg::ReceiveMoving || held_q != Count'(Buffer));
    end
  end
`ifdef ECUBE_ONE_MODULE
  // The first cycle resets.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q != rst_i);
  end
`endif

`ifdef ECUBE_PROPERTIES
  ecube_rule_10_5_sending #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time)
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
      .state_i(send_state_q),
      .phits_left_i(phits_left_q),
      .until_phit_i(until_phit_q),
      .phit_i(send_number_q),
      .first_i(first_left_q)
  );

  ecube_rule_10_5_receiving #(
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
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
      .state_i(receive_state_q),
      .until_taken_i(until_taken_q),
      .held_i(held_q),
      .tail_held_i(tail_held_q),
      .first_taken_i(first_taken_q)
  );
`endif
endmodule
