// SPDX-License-Identifier: Apache-2.0
// Port of a network interface, hw/README.md sections 3 and 4: sets circuits up and sends their phits, accepts circuits
// and receives their phits. The message library knows what the phits mean, and decides when a message is sent.
module ecube_interface_port #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [DIM-1:0] node_i,  // label of the node of this port
    input logic [ecube_pkg::PortBits-1:0] number_i,

    // Constant in a run.
    input logic [TIME-1:0] phit_cycles_i,  // whole cycles from one phit to the next, c = phit_cycles + num / den
    input logic [TIME-1:0] phit_extra_num_i,  // < den
    input logic [TIME-1:0] phit_extra_den_i,
    input logic [TIME-1:0] accept_delay_i,  // A >= 1
    input logic [TIME-1:0] setup_i,  // F of a fixed-distance machine, otherwise 0
    input logic together_only_i,  // network.duplex = together
    input logic [TIME-1:0] together_i,

    // A message to be sent. The probe is driven while `start_i` is up, one cycle, which begins at the edge of the probe.
    input logic start_i,
    input logic [DIM-1:0] route_i,  // source XOR destination
    input logic [ecube_pkg::SequenceBits-1:0] sequence_i,
    input logic [TIME-1:0] phits_i,  // n >= 1

    output logic [WIDTH-1:0] wire_o,  // to the inject port
    input logic acknowledge_i,
    input logic [WIDTH-1:0] wire_i,  // from the eject port
    output logic acknowledge_o,
    input logic engine_i,  // a probe that is here or arrives at this edge has a receive engine

    input logic [PORTS-1:0] sending_ports_i,  // of this node
    input logic [PORTS-1:0] late_ports_i,
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
    output logic [WIDTH-1:0] probe_o,  // the probe seen last, whose phits are received
    output logic report_o,  // one of these events happened, or a probe waits
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_interface_port: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_interface_port: PORTS has to be 1 or DIM");
  end
  if (WIDTH < 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_interface_port: WIDTH has to be 2 DIM + 21 at least, the bits of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_interface_port: TIME has to be 2 to 32");
  end

  localparam int Payload = WIDTH - 2;
  localparam int Sequence = 2 * DIM + ecube_pkg::PortBits;  // its lowest bit
  localparam int Spare = Payload - Sequence - ecube_pkg::SequenceBits;

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic acknowledge;
  logic sending;
  logic waits_for_sends;
  logic sent_first;
  logic probe_seen;
  logic received_first;
  logic received_tail;
  assign acknowledge_o = acknowledge;
  assign sending_o = sending;
  assign serialised_o = waits_for_sends;
  assign sent_first_o = sent_first;
  assign probe_seen_o = probe_seen;
  assign received_first_o = received_first;
  assign received_tail_o = received_tail;

  // --- Sending --------------------------------------------------------------------------------------------------

  logic [1:0] send_state;
  logic [TIME-1:0] phits_left, until_phit, fraction, since_first, since_probe, padding;
  logic acknowledged, go, drive_phit, last_phit, tail_left;
  logic [ecube_pkg::SequenceBits-1:0] send_number;
  logic [WIDTH-1:0] drive;
  logic [TIME-1:0] hops;
  logic [TIME:0] fraction_next;
  logic carry;

  always_comb begin
    hops = '0;
    for (int i = 0; i < DIM; i++) hops = hops + TIME'(route_i[i]);
  end

  // The probe left at edge p; the first phit leaves with the acknowledge, on a fixed-distance machine not before
  // p + F - h - 3.
  assign go = send_state == ecube_pkg::SendWaiting && (acknowledge_i || acknowledged) && since_probe >= padding;
  assign drive_phit = go || (send_state == ecube_pkg::SendMoving && until_phit == TIME'(1));
  assign last_phit = phits_left == TIME'(1);
  // Phit j leaves at T0 + floor(j c): `fraction` is the numerator of the fraction that floor has cut off.
  assign fraction_next = {1'b0, fraction} + {1'b0, phit_extra_num_i};
  assign carry = fraction_next >= {1'b0, phit_extra_den_i};
  assign wire_o = start_i ? {ecube_pkg::WireProbe, {Spare{1'b0}}, sequence_i, number_i, node_i, route_i} : drive;
  assign sending = send_state == ecube_pkg::SendMoving;
  assign sent_tail_o = tail_left;
  assign sent_o = tail_left;
  assign late_o = sending && since_first >= together_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      send_state <= ecube_pkg::SendIdle;
      drive <= '0;
      phits_left <= '0;
      until_phit <= '0;
      fraction <= '0;
      since_first <= '0;
      since_probe <= '0;
      padding <= '0;
      acknowledged <= 1'b0;
      send_number <= '0;
      sent_first <= 1'b0;
      tail_left <= 1'b0;
    end else begin
      drive <= '0;
      sent_first <= go;
      tail_left <= drive_phit && last_phit;
      if (start_i) begin
        // The probe left at the edge before.
        send_state <= ecube_pkg::SendWaiting;
        phits_left <= phits_i;
        fraction <= '0;
        since_first <= '0;
        since_probe <= TIME'(2);
        padding <= setup_i == '0 ? '0 : setup_i - hops - TIME'(3);
        acknowledged <= 1'b0;
        send_number <= '0;
      end
      if (send_state == ecube_pkg::SendWaiting) begin
        if (since_probe < padding) since_probe <= since_probe + 1'b1;
        if (acknowledge_i) acknowledged <= 1'b1;
      end
      if (sending) begin
        until_phit <= until_phit - 1'b1;
        if (since_first < together_i) since_first <= since_first + 1'b1;
      end
      if (drive_phit) begin
        drive <= {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, send_number, Sequence'(0)};
        send_state <= last_phit ? ecube_pkg::SendIdle : ecube_pkg::SendMoving;
        phits_left <= phits_left - 1'b1;
        send_number <= send_number + 1'b1;
        fraction <= carry ? fraction_next[TIME-1:0] - phit_extra_den_i : fraction_next[TIME-1:0];
        until_phit <= carry ? phit_cycles_i + 1'b1 : phit_cycles_i;
      end
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  logic [1:0] receive_state;
  logic [TIME-1:0] until_acknowledge;
  logic [PORTS-1:0] serialised, serialising;
  logic waiting, engine, engaged, accept, first_phit, probe, phit, tail;
  logic [1:0] kind;
  logic [ecube_pkg::SequenceBits-1:0] receive_number;

  // Further bits of a wider wire are unused.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_i[Sequence+ecube_pkg::SequenceBits+:Spare]};
  end

  assign kind = wire_i[Payload+:2];
  assign probe = kind == ecube_pkg::WireProbe;
  assign tail = kind == ecube_pkg::WireTail;
  assign phit = kind == ecube_pkg::WireData || tail;
  assign waiting = probe || receive_state == ecube_pkg::ReceiveWaiting;
  // A node with sends that have been under way for too long accepts a circuit when those sends have ended.
  always_comb begin
    serialising = serialised & sending_ports_i;
    if (probe) serialising = together_only_i ? late_ports_i : '0;
  end
  // An engine may be given before these sends have ended.
  assign engaged = engine_i || (engine && !probe);
  assign accept = waiting && engaged && serialising == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      receive_state <= ecube_pkg::ReceiveIdle;
      until_acknowledge <= '0;
      serialised <= '0;
      engine <= 1'b0;
      acknowledge <= 1'b0;
      receive_number <= '0;
      first_phit <= 1'b0;
      probe_o <= '0;
      probe_seen <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
    end else begin
      acknowledge <= 1'b0;
      probe_seen <= probe;
      received_first <= first_phit && phit;
      received_tail <= tail;
      if (phit) first_phit <= 1'b0;
      if (probe) begin
        receive_state <= ecube_pkg::ReceiveWaiting;
        probe_o <= wire_i;
        receive_number <= '0;
        first_phit <= 1'b1;
      end
      if (waiting) begin
        serialised <= serialising;
        engine <= engaged && !accept;
      end
      if (accept) begin
        // Acceptance begins; the acknowledge is driven A - 1 edges later.
        receive_state <= accept_delay_i == TIME'(1) ? ecube_pkg::ReceiveMoving : ecube_pkg::ReceiveAccepting;
        acknowledge <= accept_delay_i == TIME'(1);
        until_acknowledge <= accept_delay_i - 1'b1;
      end
      if (receive_state == ecube_pkg::ReceiveAccepting) begin
        until_acknowledge <= until_acknowledge - 1'b1;
        if (until_acknowledge == TIME'(1)) begin
          acknowledge <= 1'b1;
          receive_state <= ecube_pkg::ReceiveMoving;
        end
      end
      if (receive_state == ecube_pkg::ReceiveMoving) begin
        if (phit) receive_number <= receive_number + 1'b1;
        if (tail) receive_state <= ecube_pkg::ReceiveIdle;
      end
    end
  end

  assign accepted_o = acknowledge;
  assign waits_for_sends = receive_state == ecube_pkg::ReceiveWaiting && serialised != '0;
  assign report_o = sent_first || tail_left || probe_seen || received_first || received_tail || acknowledge ||
      receive_state == ecube_pkg::ReceiveWaiting || receive_state == ecube_pkg::ReceiveAccepting;
  // The report is withdrawn one edge later. A probe that waits for an engine, and a sender that waits for an
  // acknowledge, change no register.
  assign moving_o = drive != '0 || sending || (send_state == ecube_pkg::SendWaiting && since_probe < padding) || go ||
      sent_first || tail_left || probe_seen || received_first || received_tail || acknowledge ||
      receive_state == ecube_pkg::ReceiveAccepting || waits_for_sends;

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // The circuits of a port are set up one after the other, each with at least one phit.
      `ECUBE_NEIGHBOUR(one_after_the_other)(!start_i || send_state == ecube_pkg::SendIdle);
      `ECUBE_NEIGHBOUR(a_phit_at_least)(!start_i || phits_i != '0);
      // Each circuit gets one acknowledge, while it waits for one. The first phit leaves with the acknowledge or, on a
      // fixed-distance machine, when the set-up time is over.
      `ECUBE_NEIGHBOUR(one_acknowledge)(!acknowledge_i || (send_state == ecube_pkg::SendWaiting && !acknowledged));
      `ECUBE_ASSERT(first_phit_with_acknowledge)(!go || ((acknowledge_i || acknowledged) && since_probe >= padding));
      // Phits follow at floor(j c): a whole number of cycles and a remainder below one.
      `ECUBE_NEIGHBOUR(ratio_is_proper)(phit_extra_num_i < phit_extra_den_i && phit_cycles_i != '0);
      `ECUBE_ASSERT(floor_of_ratio)(fraction < phit_extra_den_i && (!sending || (until_phit != '0 && phits_left != '0)));
      // A probe comes to a port that has finished the circuit before, with no dimension left on the probe's route.
      `ECUBE_NEIGHBOUR(one_circuit_at_a_time)(!probe || receive_state == ecube_pkg::ReceiveIdle);
      `ECUBE_NEIGHBOUR(route_is_behind)(!probe || (wire_i[0+:DIM] == '0));
      // Acceptance waits for the node's late sends, for an engine, and for nothing else.
      `ECUBE_ASSERT(accepts_after_own_sends)(!accept || probe || (serialised & sending_ports_i) == '0);
      `ECUBE_ASSERT(waits_for_nothing_else)(receive_state != ecube_pkg::ReceiveWaiting || serialised != '0 || !engine);
      `ECUBE_ASSERT(acknowledged_is_accepted)(!acknowledge || receive_state == ecube_pkg::ReceiveMoving);
      // Phits come to a circuit that has been accepted, in order.
      `ECUBE_NEIGHBOUR(phits_after_acceptance)(!phit || receive_state == ecube_pkg::ReceiveMoving);
      `ECUBE_NEIGHBOUR(phits_in_order)(!phit || wire_i[Sequence+:ecube_pkg::SequenceBits] == receive_number);
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
  ecube_rule_3_5_sending #(
      .DIM(DIM),
      .WIDTH(WIDTH),
      .TIME(TIME)
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
      .state_i(send_state),
      .phits_left_i(phits_left),
      .until_phit_i(until_phit),
      .fraction_i(fraction),
      .since_first_i(since_first),
      .since_probe_i(since_probe),
      .padding_i(padding),
      .acknowledged_i(acknowledged),
      .phit_i(send_number)
  );

  ecube_rule_3_2_receiving #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME)
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
      .state_i(receive_state),
      .until_acknowledge_i(until_acknowledge),
      .serialising_i(serialised),
      .engine_kept_i(engine),
      .first_phit_i(first_phit)
  );
`endif
endmodule
