// SPDX-License-Identifier: Apache-2.0
// Port of a network interface for worms, hw/README.md sections 4 and 10: sends a probe and its phits one behind the
// other, takes probes and their phits.
module ecube_worm_port #(
    parameter int DIM = 3,
    parameter int WIDTH = 2 * DIM + 2,
    parameter int TIME = 32,
    parameter int BUFFER = 1  // words that arrive before the probe is taken
) (
    input logic clk,
    input logic reset,
    input logic [DIM-1:0] node,

    // Constant in a run.
    input logic [TIME-1:0] phit_cycles,  // c >= 2
    input logic [TIME-1:0] accept_delay,  // A >= 1

    // A message to be sent: its probe is driven at the edge at which `start` is seen.
    input logic start,
    input logic [DIM-1:0] route,  // source XOR destination
    input logic [TIME-1:0] phits,  // n >= 1

    output logic [WIDTH-1:0] wire_out,  // to the inject port
    input logic stop_in,
    input logic [WIDTH-1:0] wire_in,  // from the eject port
    output logic stop_out,

    // For the observer: what happened at the last edge.
    output logic sent_first,
    output logic sent_tail,
    output logic sent,  // and what will at the next: the inject wire is free for another worm
    output logic probe_seen,
    output logic accepted,  // the probe was taken
    output logic received_first,
    output logic received_tail,
    output logic moving
);
  localparam int Payload = WIDTH - 2;
  localparam int Spare = Payload - 2 * DIM;
  localparam int Count = $clog2(BUFFER + 2);

  // --- Sending --------------------------------------------------------------------------------------------------

  logic [1:0] send_state;
  logic [TIME-1:0] phits_left, until_phit;
  logic [DIM-1:0] send_number;
  logic ready, drive_phit, last_phit, first_left;

  assign ready = until_phit == '0 && !stop_in;
  assign drive_phit = send_state == ecube_pkg::SendMoving && ready;
  assign last_phit = phits_left == TIME'(1);
  assign sent = send_state == ecube_pkg::SendClosing && ready;

  always_ff @(posedge clk) begin
    if (reset) begin
      send_state <= ecube_pkg::SendIdle;
      wire_out <= '0;
      phits_left <= '0;
      until_phit <= '0;
      send_number <= '0;
      first_left <= 1'b0;
      sent_first <= 1'b0;
      sent_tail <= 1'b0;
    end else begin
      wire_out <= '0;
      sent_first <= drive_phit && first_left;
      sent_tail <= drive_phit && last_phit;
      if (until_phit != '0) until_phit <= until_phit - 1'b1;
      if (sent) send_state <= ecube_pkg::SendIdle;
      if (start) begin
        wire_out <= {ecube_pkg::WireProbe, {Spare{1'b0}}, node, route};
        send_state <= ecube_pkg::SendMoving;
        phits_left <= phits;
        until_phit <= phit_cycles - 1'b1;
        send_number <= '0;
        first_left <= 1'b1;
      end
      if (drive_phit) begin
        wire_out <= {last_phit ? ecube_pkg::WireTail : ecube_pkg::WireData, {Spare{1'b0}}, node, send_number};
        if (last_phit) send_state <= ecube_pkg::SendClosing;
        phits_left <= phits_left - 1'b1;
        until_phit <= phit_cycles - 1'b1;
        send_number <= send_number + 1'b1;
        first_left <= 1'b0;
      end
    end
  end

  // --- Receiving ------------------------------------------------------------------------------------------------

  logic [1:0] receive_state;
  logic [TIME-1:0] until_taken;
  logic [Count-1:0] held, held_next;  // words that wait for the probe to be taken, the probe among them
  logic tail_held, first_held, first_taken, phit, take, taken;
  logic [1:0] kind;
  logic [DIM-1:0] from, receive_number;

  // What a wider wire carries besides is the message's own.
  if (Spare > 0) begin : g_spare
    logic unused_spare;
    assign unused_spare = &{1'b0, wire_in[2*DIM+:Spare]};
  end

  assign kind = wire_in[Payload+:2];
  assign phit = kind == ecube_pkg::WireData || kind == ecube_pkg::WireTail;
  assign take = (kind == ecube_pkg::WireProbe && accept_delay == TIME'(1)) ||
      (receive_state == ecube_pkg::ReceiveAccepting && until_taken == TIME'(1));
  assign taken = take || receive_state == ecube_pkg::ReceiveMoving;
  assign held_next = taken ? '0 : held + Count'(kind != ecube_pkg::WireIdle);

  always_ff @(posedge clk) begin
    if (reset) begin
      receive_state <= ecube_pkg::ReceiveIdle;
      until_taken <= '0;
      held <= '0;
      tail_held <= 1'b0;
      first_held <= 1'b0;
      stop_out <= 1'b0;
      from <= '0;
      receive_number <= '0;
      first_taken <= 1'b0;
      probe_seen <= 1'b0;
      accepted <= 1'b0;
      received_first <= 1'b0;
      received_tail <= 1'b0;
    end else begin
      probe_seen <= kind == ecube_pkg::WireProbe;
      accepted <= take;
      held <= held_next;
      tail_held <= !taken && (tail_held || kind == ecube_pkg::WireTail);
      // A full buffer stops what comes, and one with a tail the next worm.
      stop_out <= held_next == Count'(BUFFER) || (!taken && (tail_held || kind == ecube_pkg::WireTail));
      if (kind == ecube_pkg::WireProbe) begin
        from <= wire_in[DIM+:DIM];
        receive_number <= '0;
        until_taken <= accept_delay - 1'b1;
        receive_state <= ecube_pkg::ReceiveAccepting;
      end
      if (receive_state == ecube_pkg::ReceiveAccepting) until_taken <= until_taken - 1'b1;
      if (take) receive_state <= ecube_pkg::ReceiveMoving;
      if (phit) receive_number <= receive_number + 1'b1;
      // The first phit may have waited for the probe to be taken. Numbers wrap around: it is not known by its number.
      first_held <= !taken && (first_held || phit);
      first_taken <= kind != ecube_pkg::WireProbe && (first_taken || (taken && (first_held || phit)));
      received_first <= taken && (first_held || phit) && !first_taken;
      received_tail <= taken && (tail_held || kind == ecube_pkg::WireTail);
      if (taken && (tail_held || kind == ecube_pkg::WireTail)) receive_state <= ecube_pkg::ReceiveIdle;
    end
  end

  assign moving = wire_out != '0 || until_phit != '0 || drive_phit || sent ||
      receive_state == ecube_pkg::ReceiveAccepting;

  always_ff @(posedge clk) begin
    if (!reset) begin
      // The worms of a port are sent one after the other, each with a phit at least, on a wire that is free.
      assert (!start || send_state == ecube_pkg::SendIdle || sent);
      assert (!start || (phits != '0 && ready));
      assert (phit_cycles > TIME'(1) && accept_delay != '0);
      // Nothing is driven onto a wire that stops it.
      assert (!drive_phit || !stop_in);
      // A probe comes to a port that is done with the worm before, with nothing of its route left.
      assert (kind != ecube_pkg::WireProbe || receive_state == ecube_pkg::ReceiveIdle);
      assert (kind != ecube_pkg::WireProbe || (wire_in[0+:DIM] == '0));
      // Phits come behind their probe; they are its own, in order, and find room.
      assert (!phit || receive_state != ecube_pkg::ReceiveIdle);
      assert (!phit || (wire_in[DIM+:DIM] == from && wire_in[0+:DIM] == receive_number));
      assert (!phit || receive_state == ecube_pkg::ReceiveMoving || held != Count'(BUFFER));
    end
  end
endmodule
