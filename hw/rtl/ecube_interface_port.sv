// SPDX-License-Identifier: Apache-2.0
// Port of a network interface, hw/README.md sections 3 and 4: sets circuits up and sends their phits, accepts circuits
// and receives their phits. The message library knows what the phits mean, and decides when a message is sent.
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
    input logic [Time-1:0] phit_cycles_i,  // whole cycles from one phit to the next, c = phit_cycles + num / den
    input logic [Time-1:0] phit_extra_num_i,  // < den
    input logic [Time-1:0] phit_extra_den_i,
    input logic [Time-1:0] accept_delay_i,  // A >= 1
    input logic [Time-1:0] setup_i,  // F of a fixed-distance machine, otherwise 0
    input logic together_only_i,  // network.duplex = together
    input logic [Time-1:0] together_i,

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at the edge of the probe.
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
    output logic late_o,  // the port has been sending for so long that a circuit that arrives has to wait
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
  if (Dim < 1 || Dim > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_interface_port: Dim has to be 1 to 6");
  end
  if (Ports != 1 && Ports != Dim) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_interface_port: Ports has to be 1 or Dim");
  end
  if (Width < 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_interface_port: Width has to be 2 Dim + 21 at least, the bits of a probe");
  end
  if (Time < 2 || Time > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_interface_port: Time has to be 2 to 32");
  end

  localparam int Payload = Width - 2;
  localparam int Sequence = 2 * Dim + ecube_pkg::PortBits;  // its lowest bit
  localparam int Spare = Payload - Sequence - ecube_pkg::SequenceBits;

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
  logic acknowledge_q, acknowledge_d;
  logic sending;
  logic waits_for_sends;
  logic sent_first_q;
  logic [Width-1:0] probe_q, probe_d;
  logic probe_seen_q;
  logic received_first_q;
  logic received_tail_q;
  assign acknowledge_o = acknowledge_q;
  assign sending_o = sending;
  assign serialised_o = waits_for_sends;
  assign sent_first_o = sent_first_q;
  assign probe_o = probe_q;
  assign probe_seen_o = probe_seen_q;
  assign received_first_o = received_first_q;
  assign received_tail_o = received_tail_q;

  // --- Sending --------------------------------------------------------------------------------------------------

  `ECUBE_ENUM(send_state_e) send_state_q, send_state_d;
  logic [Time-1:0] phits_left_q, phits_left_d, until_phit_q, until_phit_d, fraction_q, fraction_d, since_first_q, since_first_d, since_probe_q, since_probe_d, padding_q, padding_d;
  logic acknowledged_q, acknowledged_d, go, drive_phit, last_phit, tail_left_q;
  logic [ecube_pkg::SequenceBits-1:0] send_number_q, send_number_d;
  logic [Width-1:0] drive_q, drive_d;
  logic [Time-1:0] hops;
  logic [Time:0] fraction_next;
  logic carry;

  always_comb begin
    hops = '0;
    for (int i = 0; i < Dim; i++) hops = hops + Time'(route_i[i]);
  end

  // The probe left at edge p; the first phit leaves with the acknowledge, on a fixed-distance machine not before
  // p + F - h - 3.
  assign go = send_state_q == ecube_pkg::SendWaiting && (acknowledge_i || acknowledged_q) && since_probe_q >= padding_q;
  assign drive_phit = go || (send_state_q == ecube_pkg::SendMoving && until_phit_q == Time'(1));
  assign last_phit = phits_left_q == Time'(1);
  // Phit j leaves at T0 + floor(j c): `fraction` is the numerator of the fraction that floor has cut off.
  assign fraction_next = {1'b0, fraction_q} + {1'b0, phit_extra_num_i};
  assign carry = fraction_next >= {1'b0, phit_extra_den_i};
  assign wire_o = start_i ? {ecube_pkg::WireProbe, {Spare{1'b0}}, leaving} : drive_q;
  assign sending = send_state_q == ecube_pkg::SendMoving;
  assign sent_tail_o = tail_left_q;
  assign sent_o = tail_left_q;
  assign late_o = sending && since_first_q >= together_i;

  always_comb begin
    send_state_d = send_state_q;
    phits_left_d = phits_left_q;
    until_phit_d = until_phit_q;
    fraction_d = fraction_q;
    since_first_d = since_first_q;
    since_probe_d = since_probe_q;
    padding_d = padding_q;
    acknowledged_d = acknowledged_q;
    send_number_d = send_number_q;
    drive_d = '0;
    if (start_i) begin
      // The probe left at the edge before.
      send_state_d = ecube_pkg::SendWaiting;
      phits_left_d = phits_i;
      fraction_d = '0;
      since_first_d = '0;
      since_probe_d = Time'(2);
      padding_d = setup_i == '0 ? '0 : setup_i - hops - Time'(3);
      acknowledged_d = 1'b0;
      send_number_d = '0;
    end
    if (send_state_q == ecube_pkg::SendWaiting) begin
      if (since_probe_q < padding_q) since_probe_d = since_probe_q + 1'b1;
      if (acknowledge_i) acknowledged_d = 1'b1;
    end
    if (sending) begin
      until_phit_d = until_phit_q - 1'b1;
      if (since_first_q < together_i) since_first_d = since_first_q + 1'b1;
    end
    if (drive_phit) begin
      drive_d = {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, send_number_q, Sequence'(0)};
      send_state_d = last_phit ? ecube_pkg::SendIdle : ecube_pkg::SendMoving;
      phits_left_d = phits_left_q - 1'b1;
      send_number_d = send_number_q + 1'b1;
      fraction_d = carry ? fraction_next[Time-1:0] - phit_extra_den_i : fraction_next[Time-1:0];
      until_phit_d = carry ? phit_cycles_i + 1'b1 : phit_cycles_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state_q <= ecube_pkg::SendIdle;
      drive_q <= '0;
      phits_left_q <= '0;
      until_phit_q <= '0;
      fraction_q <= '0;
      since_first_q <= '0;
      since_probe_q <= '0;
      padding_q <= '0;
      acknowledged_q <= 1'b0;
      send_number_q <= '0;
      sent_first_q <= 1'b0;
      tail_left_q <= 1'b0;
    end else begin
      send_state_q <= send_state_d;
      drive_q <= drive_d;
      phits_left_q <= phits_left_d;
      until_phit_q <= until_phit_d;
      fraction_q <= fraction_d;
      since_first_q <= since_first_d;
      since_probe_q <= since_probe_d;
      padding_q <= padding_d;
      acknowledged_q <= acknowledged_d;
      send_number_q <= send_number_d;
      sent_first_q <= go;
      tail_left_q <= drive_phit && last_phit;
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  `ECUBE_ENUM(receive_state_e) receive_state_q, receive_state_d;
  logic [Time-1:0] until_acknowledge_q, until_acknowledge_d;
  logic [Ports-1:0] serialised_q, serialised_d, serialising;
  logic waiting, engine_q, engine_d, engaged, accept, first_phit_q, first_phit_d, probe, phit, tail;
  logic [1:0] kind;
  logic [ecube_pkg::SequenceBits-1:0] receive_number_q, receive_number_d;

  // Further bits of a wider wire are unused.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_i[Sequence+ecube_pkg::SequenceBits+:Spare]};
  end

  assign kind = wire_i[Payload+:2];
  assign probe = kind == ecube_pkg::WireProbe;
  assign tail = kind == ecube_pkg::WireTail;
  assign phit = kind == ecube_pkg::WireData || tail;
  assign waiting = probe || receive_state_q == ecube_pkg::ReceiveWaiting;
  // A node with sends that have been under way for too long accepts a circuit when those sends have ended.
  always_comb begin
    serialising = serialised_q & sending_ports_i;
    if (probe) serialising = together_only_i ? late_ports_i : '0;
  end
  // An engine may be given before these sends have ended.
  assign engaged = engine_i || (engine_q && !probe);
  assign accept = waiting && engaged && serialising == '0;

  always_comb begin
    receive_state_d = receive_state_q;
    until_acknowledge_d = until_acknowledge_q;
    serialised_d = serialised_q;
    engine_d = engine_q;
    receive_number_d = receive_number_q;
    first_phit_d = first_phit_q;
    probe_d = probe_q;
    acknowledge_d = 1'b0;
    if (phit) first_phit_d = 1'b0;
    if (probe) begin
      receive_state_d = ecube_pkg::ReceiveWaiting;
      probe_d = wire_i;
      receive_number_d = '0;
      first_phit_d = 1'b1;
    end
    if (waiting) begin
      serialised_d = serialising;
      engine_d = engaged && !accept;
    end
    if (accept) begin
      // Acceptance begins; the acknowledge is driven A - 1 edges later.
      receive_state_d = accept_delay_i == Time'(1) ? ecube_pkg::ReceiveMoving : ecube_pkg::ReceiveAccepting;
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
    if (receive_state_q == ecube_pkg::ReceiveMoving) begin
      if (phit) receive_number_d = receive_number_q + 1'b1;
      if (tail) receive_state_d = ecube_pkg::ReceiveIdle;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state_q <= ecube_pkg::ReceiveIdle;
      until_acknowledge_q <= '0;
      serialised_q <= '0;
      engine_q <= 1'b0;
      acknowledge_q <= 1'b0;
      receive_number_q <= '0;
      first_phit_q <= 1'b0;
      probe_q <= '0;
      probe_seen_q <= 1'b0;
      received_first_q <= 1'b0;
      received_tail_q <= 1'b0;
    end else begin
      receive_state_q <= receive_state_d;
      until_acknowledge_q <= until_acknowledge_d;
      serialised_q <= serialised_d;
      engine_q <= engine_d;
      acknowledge_q <= acknowledge_d;
      receive_number_q <= receive_number_d;
      first_phit_q <= first_phit_d;
      probe_q <= probe_d;
      probe_seen_q <= probe;
      received_first_q <= first_phit_q && phit;
      received_tail_q <= tail;
    end
  end

  assign accepted_o = acknowledge_q;
  assign waits_for_sends = receive_state_q == ecube_pkg::ReceiveWaiting && serialised_q != '0;
  assign report_o = sent_first_q || tail_left_q || probe_seen_q || received_first_q || received_tail_q || acknowledge_q ||
      receive_state_q == ecube_pkg::ReceiveWaiting || receive_state_q == ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later. A probe that waits for an engine, and a sender that waits for an
  // acknowledge, change no register.
  assign moving_o = drive_q != '0 || sending || (send_state_q == ecube_pkg::SendWaiting && since_probe_q < padding_q) || go ||
      sent_first_q || tail_left_q || probe_seen_q || received_first_q || received_tail_q || acknowledge_q ||
      receive_state_q == ecube_pkg::ReceiveAccepting || waits_for_sends;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The circuits of a port are set up one after the other, each with at least one phit.
      `ECUBE_NEIGHBOUR(one_after_the_other)(!start_i || send_state_q == ecube_pkg::SendIdle);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || phits_i != '0);
      // Each circuit gets one acknowledge, while it waits for one. The first phit leaves with the acknowledge or, on a
      // fixed-distance machine, when the set-up time is over.
      `ECUBE_NEIGHBOUR(one_acknowledge)(!acknowledge_i || (send_state_q == ecube_pkg::SendWaiting && !acknowledged_q));
      `ECUBE_ASSERT(first_phit_with_acknowledge)(!go || ((acknowledge_i || acknowledged_q) && since_probe_q >= padding_q));
      // Phits follow at floor(j c): a whole number of cycles and a remainder below one.
      `ECUBE_NEIGHBOUR(ratio_is_proper)(phit_extra_num_i < phit_extra_den_i && phit_cycles_i != '0);
      `ECUBE_ASSERT(floor_of_ratio)(fraction_q < phit_extra_den_i && (!sending || (until_phit_q != '0 && phits_left_q != '0)));
      // A probe comes to a port that has finished the circuit before, with no dimension left on the probe's route.
      `ECUBE_NEIGHBOUR(one_circuit_at_a_time)(!probe || receive_state_q == ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(route_is_behind)(!probe || arriving.route == '0);
      // Acceptance waits for the node's late sends, for an engine, and for nothing else.
      `ECUBE_ASSERT(accepts_after_own_sends)(!accept || probe || (serialised_q & sending_ports_i) == '0);
      `ECUBE_ASSERT(waits_for_nothing_else)(receive_state_q != ecube_pkg::ReceiveWaiting || serialised_q != '0 || !engine_q);
      `ECUBE_ASSERT(acknowledged_is_accepted)(!acknowledge_q || receive_state_q == ecube_pkg::ReceiveMoving);
      // Phits come to a circuit that has been accepted, in order.
      `ECUBE_NEIGHBOUR(phits_after_acceptance)(!phit || receive_state_q == ecube_pkg::ReceiveMoving);
      `ECUBE_NEIGHBOUR(phits_in_order)(!phit || arriving.number == receive_number_q);
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
  ecube_rule_3_5_sending #(
      .Dim(Dim),
      .Width(Width),
      .Time(Time)
  ) sending_rule (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .node_i(node_i),
      .number_i(number_i),
      .phit_cycles_i(phit_cycles_i),
      .phit_extra_num_i(phit_extra_num_i),
      .phit_extra_den_i(phit_extra_den_i),
      .setup_i(setup_i),
      .together_i(together_i),
      .start_i(start_i),
      .route_i(route_i),
      .sequence_i(sequence_i),
      .phits_i(phits_i),
      .acknowledge_i(acknowledge_i),
      .wire_i(wire_o),
      .sending_i(sending_o),
      .late_i(late_o),
      .sent_first_i(sent_first_o),
      .sent_tail_i(sent_tail_o),
      .sent_i(sent_o),
      .state_i(send_state_q),
      .phits_left_i(phits_left_q),
      .until_phit_i(until_phit_q),
      .fraction_i(fraction_q),
      .since_first_i(since_first_q),
      .since_probe_i(since_probe_q),
      .padding_i(padding_q),
      .acknowledged_i(acknowledged_q),
      .phit_i(send_number_q)
  );

  ecube_rule_3_2_receiving #(
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) receiving_rule (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .accept_delay_i(accept_delay_i),
      .together_only_i(together_only_i),
      .wire_i(wire_i),
      .engine_i(engine_i),
      .sending_ports_i(sending_ports_i),
      .late_ports_i(late_ports_i),
      .acknowledge_i(acknowledge_o),
      .accepted_i(accepted_o),
      .probe_seen_i(probe_seen_o),
      .received_first_i(received_first_o),
      .received_tail_i(received_tail_o),
      .serialised_i(serialised_o),
      .probe_i(probe_o),
      .state_i(receive_state_q),
      .until_acknowledge_i(until_acknowledge_q),
      .serialising_i(serialised_q),
      .engine_kept_i(engine_q),
      .first_phit_i(first_phit_q)
  );
`endif
endmodule
