// SPDX-License-Identifier: Apache-2.0
// Port of a network interface, hw/README.md sections 3 and 4: sets circuits up and sends their phits, accepts circuits
// and receives theirs. What the phits mean, and when a message is to be sent, is the node's.
module ecube_interface_port #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + 2,
    parameter int TIME = 32
) (
    input logic clk,
    input logic reset,
    input logic [DIM-1:0] node,

    // Constant in a run.
    input logic [TIME-1:0] phit_cycles,  // whole cycles from one phit to the next, c = phit_cycles + num / den
    input logic [TIME-1:0] phit_extra_num,  // < den
    input logic [TIME-1:0] phit_extra_den,
    input logic [TIME-1:0] accept_delay,  // A >= 1
    input logic [TIME-1:0] setup,  // F of a fixed-distance machine, otherwise 0
    input logic together_only,  // network.duplex = together
    input logic [TIME-1:0] together,

    // A message to be sent: its probe is driven at the edge at which `start` is seen.
    input logic start,
    input logic [DIM-1:0] route,  // source XOR destination
    input logic [TIME-1:0] phits,  // n >= 1

    output logic [WIDTH-1:0] wire_out,  // to the inject port
    input logic acknowledge_in,
    input logic [WIDTH-1:0] wire_in,  // from the eject port
    output logic acknowledge_out,

    input logic [PORTS-1:0] sending_ports,  // of this node
    input logic [PORTS-1:0] late_ports,
    output logic sending,  // phits, the tail still to come
    output logic late,  // sending, for so long that a circuit that arrives has to wait

    // For the observer: what happened at the last edge.
    output logic sent_first,
    output logic sent_tail,
    output logic sent,  // the inject port is free for another circuit from the next edge on
    output logic probe_seen,
    output logic accepted,  // the acknowledge was driven
    output logic received_first,
    output logic received_tail,
    output logic moving
);
  localparam int Payload = WIDTH - 2;
  localparam int Spare = Payload - 2 * DIM;

  // --- Sending --------------------------------------------------------------------------------------------------

  logic [1:0] send_state;
  logic [TIME-1:0] phits_left, until_phit, fraction, since_first, elapsed, padding;
  logic acknowledged, go, drive_phit, last_phit, tail_left;
  logic [DIM-1:0] send_number;
  logic [TIME-1:0] hops;
  logic [TIME:0] fraction_next;
  logic carry;

  always_comb begin
    hops = '0;
    for (int i = 0; i < DIM; i++) hops = hops + TIME'(route[i]);
  end

  // The probe left at edge p; the first phit leaves with the acknowledge, on a fixed-distance machine not before
  // p + F - h - 3.
  assign go = send_state == ecube_pkg::SendWaiting && (acknowledge_in || acknowledged) && elapsed >= padding;
  assign drive_phit = go || (send_state == ecube_pkg::SendMoving && until_phit == TIME'(1));
  assign last_phit = phits_left == TIME'(1);
  // Phit j leaves at T0 + floor(j c): `fraction` is the numerator of what floor has cut off.
  assign fraction_next = {1'b0, fraction} + {1'b0, phit_extra_num};
  assign carry = fraction_next >= {1'b0, phit_extra_den};
  assign sending = send_state == ecube_pkg::SendMoving;
  // Not one from the other: in SystemC an output that is read has its value of the delta cycle before.
  assign sent_tail = tail_left;
  assign sent = tail_left;
  assign late = sending && since_first >= together;

  always_ff @(posedge clk) begin
    if (reset) begin
      send_state <= ecube_pkg::SendIdle;
      wire_out <= '0;
      phits_left <= '0;
      until_phit <= '0;
      fraction <= '0;
      since_first <= '0;
      elapsed <= '0;
      padding <= '0;
      acknowledged <= 1'b0;
      send_number <= '0;
      sent_first <= 1'b0;
      tail_left <= 1'b0;
    end else begin
      wire_out <= '0;
      sent_first <= go;
      tail_left <= drive_phit && last_phit;
      if (send_state == ecube_pkg::SendIdle && start) begin
        wire_out <= {ecube_pkg::WireProbe, {Spare{1'b0}}, node, route};
        send_state <= ecube_pkg::SendWaiting;
        phits_left <= phits;
        fraction <= '0;
        since_first <= '0;
        elapsed <= TIME'(1);
        padding <= setup == '0 ? '0 : setup - hops - TIME'(3);
        acknowledged <= 1'b0;
        send_number <= '0;
      end
      if (send_state == ecube_pkg::SendWaiting) begin
        if (elapsed < padding) elapsed <= elapsed + 1'b1;
        if (acknowledge_in) acknowledged <= 1'b1;
      end
      if (sending) begin
        until_phit <= until_phit - 1'b1;
        if (since_first < together) since_first <= since_first + 1'b1;
      end
      if (drive_phit) begin
        wire_out <= {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, node, send_number};
        send_state <= last_phit ? ecube_pkg::SendIdle : ecube_pkg::SendMoving;
        phits_left <= phits_left - 1'b1;
        send_number <= send_number + 1'b1;
        fraction <= carry ? fraction_next[TIME-1:0] - phit_extra_den : fraction_next[TIME-1:0];
        until_phit <= carry ? phit_cycles + 1'b1 : phit_cycles;
      end
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  logic [1:0] receive_state;
  logic [TIME-1:0] until_acknowledge;
  logic [PORTS-1:0] serialised, serialising;
  logic accept, first_phit;
  logic [1:0] kind;
  logic [DIM-1:0] from, receive_number;

  // What a wider wire carries besides is the message's own.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_in[2*DIM+:Spare]};
  end

  assign kind = wire_in[Payload+:2];
  // A node that has been sending for long accepts a circuit when those sends have ended.
  always_comb begin
    unique case (receive_state)
      ecube_pkg::ReceiveIdle: serialising = together_only ? late_ports : '0;
      ecube_pkg::ReceiveWaiting: serialising = serialised & sending_ports;
      default: serialising = '0;
    endcase
  end
  assign accept = serialising == '0 &&
      ((receive_state == ecube_pkg::ReceiveIdle && kind == ecube_pkg::WireProbe) ||
      receive_state == ecube_pkg::ReceiveWaiting);

  always_ff @(posedge clk) begin
    if (reset) begin
      receive_state <= ecube_pkg::ReceiveIdle;
      until_acknowledge <= '0;
      serialised <= '0;
      acknowledge_out <= 1'b0;
      from <= '0;
      receive_number <= '0;
      first_phit <= 1'b0;
      probe_seen <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
    end else begin
      acknowledge_out <= 1'b0;
      probe_seen <= kind == ecube_pkg::WireProbe;
      received_first <= first_phit && (kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail);
      received_tail <= kind == ecube_pkg::WireTail;
      if (kind == ecube_pkg::WireProbe) first_phit <= 1'b1;
      if (kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail) first_phit <= 1'b0;
      if (receive_state == ecube_pkg::ReceiveIdle && kind == ecube_pkg::WireProbe) begin
        receive_state <= ecube_pkg::ReceiveWaiting;
        from <= wire_in[DIM+:DIM];
        receive_number <= '0;
      end
      serialised <= serialising;
      if (accept) begin
        receive_state <= accept_delay == TIME'(1) ? ecube_pkg::ReceiveMoving : ecube_pkg::ReceiveAccepting;
        acknowledge_out <= accept_delay == TIME'(1);
        until_acknowledge <= accept_delay - 1'b1;
      end
      if (receive_state == ecube_pkg::ReceiveAccepting) begin
        until_acknowledge <= until_acknowledge - 1'b1;
        if (until_acknowledge == TIME'(1)) begin
          acknowledge_out <= 1'b1;
          receive_state <= ecube_pkg::ReceiveMoving;
        end
      end
      if (receive_state == ecube_pkg::ReceiveMoving) begin
        if (kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail) receive_number <= receive_number + 1'b1;
        if (kind == ecube_pkg::WireTail) receive_state <= ecube_pkg::ReceiveIdle;
      end
    end
  end

  assign accepted = acknowledge_out;
  assign moving = wire_out != '0 || sending || (send_state == ecube_pkg::SendWaiting && elapsed < padding) || go ||
      acknowledge_out || receive_state == ecube_pkg::ReceiveAccepting || accept;

  always_ff @(posedge clk) begin
    if (!reset) begin
      // The circuits of a port are set up one after the other, each with a phit at least.
      assert (!start || send_state == ecube_pkg::SendIdle);
      assert (!start || phits != '0);
      // One acknowledge comes to each circuit, while it is waited for; the first phit leaves with it, or on a
      // fixed-distance machine when the set-up time is over.
      assert (!acknowledge_in || (send_state == ecube_pkg::SendWaiting && !acknowledged));
      assert (!go || ((acknowledge_in || acknowledged) && elapsed >= padding));
      // Phits follow at floor(j c): a whole number of cycles and a remainder below one.
      assert (phit_extra_num < phit_extra_den && phit_cycles != '0);
      assert (fraction < phit_extra_den && (!sending || (until_phit != '0 && phits_left != '0)));
      // A probe comes to a port that is done with the circuit before, with nothing of its route left.
      assert (kind != ecube_pkg::WireProbe || receive_state == ecube_pkg::ReceiveIdle);
      assert (kind != ecube_pkg::WireProbe || (wire_in[0+:DIM] == '0));
      // Acceptance waits for the sends of this node that made it wait, and for nothing else.
      assert (!accept || (serialised & sending_ports) == '0 || receive_state == ecube_pkg::ReceiveIdle);
      assert (receive_state != ecube_pkg::ReceiveWaiting || accept || serialised != '0);
      assert (!acknowledge_out || receive_state == ecube_pkg::ReceiveMoving);
      // Phits come to a circuit that has been accepted; they are its own, and in order.
      assert (kind == ecube_pkg::WireIdle || kind == ecube_pkg::WireProbe || receive_state == ecube_pkg::ReceiveMoving);
      assert (receive_state != ecube_pkg::ReceiveMoving || kind == ecube_pkg::WireIdle ||
              (wire_in[DIM+:DIM] == from && wire_in[0+:DIM] == receive_number));
    end
  end
endmodule
