// SPDX-License-Identifier: Apache-2.0
// Router for worms, hw/README.md sections 2 and 10: every input has a buffer, phits follow their probe at the pace of the
// links, and a stop comes back from a buffer that is full or holds a tail.
module ecube_worm_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1  // words of an input's buffer
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,  // r >= 1, constant in a run
    input logic [Time-1:0] phit_cycles_i,  // c >= 2, constant in a run

    input logic [(Dim+Ports)*Width-1:0] wire_i,
    output logic [Dim+Ports-1:0] acknowledge_o,  // back along wire_i
    output logic [(Dim+Ports)*Width-1:0] wire_o,
    input logic [Dim+Ports-1:0] acknowledge_i,  // back along wire_o

    // For the observer: what happened at the last edge.
    output logic [Dim+Ports-1:0] granted_o,  // outputs that were given to a worm
    output logic [Dim+Ports-1:0] released_o,  // outputs that could be granted again from that edge on
    output logic [Dim+Ports-1:0] refused_o,  // inputs that asked and were refused
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,  // [output][input], the input connected to an output
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,  // [input][output], the output an input asks for
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  if (Dim < 1 || Dim > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_worm_router: Dim has to be 1 to 6");
  end
  if (Ports != 1 && Ports != Dim) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_worm_router: Ports has to be 1 or Dim");
  end
  if (Width < 2 * Dim + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_worm_router: Width has to be 2 Dim + 2 at least: kind, source and route of a probe");
  end
  if (Time < 2 || Time > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_worm_router: Time has to be 2 to 32");
  end
  if (Buffer < 1 || Buffer > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_worm_router: Buffer has to be 1 to 8");
  end

`ifdef ECUBE_FAULT_INPUT
  initial void'($value$plusargs("ecube_fault=%d", ecube_pkg::fault));
`endif
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;
  localparam int Count = $clog2(Buffer + 2);

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic [N*Width-1:0] drive_q;
  logic [N-1:0] stop_q;
  logic [N-1:0] granted_q;
  logic [N-1:0] released_q;
  logic [N-1:0] refused_q;
  logic [N*N-1:0] owners;
  assign wire_o = drive_q;
  assign acknowledge_o = stop_q;
  assign granted_o = granted_q;
  assign released_o = released_q;
  assign refused_o = refused_q;
  assign owners_o = owners;

  logic [N-1:0] counting, requesting, holds_phit;  // of inputs
  logic [N-1:0] won, passed;  // inputs whose probe, or phit, leaves at this edge
  logic [N*N-1:0] request;  // [output][input]
  logic [N*N-1:0] grant;  // [output][input]
  logic [N*N-1:0] passing;  // [output][input]
  logic [N-1:0] owned_q, owned_d;  // outputs
  logic [N-1:0] paced;  // outputs whose link cannot take a word yet
  logic [N-1:0] waiting_q;  // outputs whose last tail is still on the link or in the buffer at its end
  logic [N*Width-1:0] head;  // [input]
  logic [N*Payload-1:0] probe_next;  // [input], as it leaves

  genvar i, o;

  // --- Inputs ---------------------------------------------------------------------------------------------------

  for (i = 0; i < N; i++) begin : g_input
    logic [Buffer*Width-1:0] words_q, words_d;  // the oldest lowest
    logic [Count-1:0] count_q, count_d;
    logic [Time-1:0] delay_q, delay_d;
    logic tail_inside_q, arriving, leaving, stored;
    logic [1:0] kind, head_kind;
    logic [N-1:0] wanted, grants, passes;
    logic [Dim-1:0] remaining;

    assign kind = wire_i[i*Width+Payload+:2];
    assign arriving = kind != ecube_pkg::WireIdle;
    assign stored = count_q != '0;
    assign head[i*Width+:Width] = stored ? words_q[Width-1:0] : wire_i[i*Width+:Width];
    assign head_kind = head[i*Width+Payload+:2];
    assign counting[i] = stored && head_kind == ecube_pkg::WireProbe && delay_q != Time'(1);
    assign requesting[i] = stored && head_kind == ecube_pkg::WireProbe && delay_q == Time'(1);
    assign holds_phit[i] = head_kind == ecube_pkg::WireData || head_kind == ecube_pkg::WireTail;

    ecube_route #(
        .Dim(Dim),
        .Ports(Ports),
        .Input(i)
    ) routing (
        .route_i(head[i*Width+:Dim]),
        .wanted_o(wanted),
        .remaining_o(remaining)
    );

    for (o = 0; o < N; o++) begin : g_request
      assign request[o*N+i] = requesting[i] && wanted[o];
      assign grants[o] = grant[o*N+i];
      assign passes[o] = passing[o*N+i];
      assign asking_o[i*N+o] = requesting[i] && wanted[o];
    end
    assign won[i] = grants != '0;
    assign passed[i] = passes != '0;
    assign probe_next[i*Payload+:Payload] = {head[i*Width+Dim+:Payload-Dim], remaining};

    // A word that leaves makes room. A word that arrives goes behind the words in the buffer, or past an empty buffer.
    assign leaving = won[i] || passed[i];
    always_comb begin
      words_d = words_q;
      if (leaving && stored) words_d = words_q >> Width;
      for (int k = 0; k < Buffer; k++)
      if (arriving && (stored || !leaving) && count_q == Count'(k) + Count'(leaving && stored))
        words_d[k*Width+:Width] = wire_i[i*Width+:Width];
      count_d = count_q + Count'(arriving) - Count'(leaving);
    end

    always_comb begin
      delay_d = delay_q;
      if (kind == ecube_pkg::WireProbe) delay_d = ecube_pkg::fault == ecube_pkg::FaultHop ? route_delay_i + 1'b1 : route_delay_i;
      else if (counting[i]) delay_d = delay_q - 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        words_q <= '0;
        count_q <= '0;
        delay_q <= '0;
        tail_inside_q <= 1'b0;
        stop_q[i] <= 1'b0;
      end else begin
        delay_q <= delay_d;
        words_q <= words_d;
        count_q <= count_d;
        // A tail is the last word of its worm.
        tail_inside_q <= (tail_inside_q || kind == ecube_pkg::WireTail) && count_d != '0;
        stop_q[i] <= (count_d == Count'(Buffer) ||
            ((tail_inside_q || kind == ecube_pkg::WireTail) && count_d != '0)) &&
            !(ecube_pkg::fault == ecube_pkg::FaultAcknowledge && i == Dim - 1);
      end
    end

    logic open_q;  // a probe has come in, but not yet its tail
    logic [N-1:0] outputs;  // outputs of the worm that comes in here
    for (o = 0; o < N; o++) begin : g_connected
      assign outputs[o] = owned_q[o] && owners[o*N+i];
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) open_q <= 1'b0;
      else if (kind == ecube_pkg::WireProbe) open_q <= 1'b1;
      else if (kind == ecube_pkg::WireTail) open_q <= 1'b0;
    end

    for (o = 0; o < Buffer; o++) begin : g_word
      always_ff @(posedge clk_i) begin
        // No word in the buffer is idle; only the oldest can be a probe, only the last a tail.
        if (!rst_i && Count'(o) < count_q) begin
          `ECUBE_ASSERT(words_without_gap)(words_q[o*Width+Payload+:2] != ecube_pkg::WireIdle);
          `ECUBE_ASSERT(probe_is_oldest)(o == 0 || words_q[o*Width+Payload+:2] != ecube_pkg::WireProbe);
          `ECUBE_ASSERT(tail_is_last)((words_q[o*Width+Payload+:2] == ecube_pkg::WireTail) == (tail_inside_q && Count'(o) + Count'(1) == count_q));
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // There is room for a word that comes in; a probe comes when the worm before has left, phits come behind their
        // probe.
        `ECUBE_ENVIRONMENT(!arriving || count_q != Count'(Buffer));
        `ECUBE_ENVIRONMENT(kind != ecube_pkg::WireProbe || (!open_q && count_q == '0));
        `ECUBE_ENVIRONMENT(kind == ecube_pkg::WireIdle || kind == ecube_pkg::WireProbe || open_q);
        // A worm has no output while its probe is in the buffer, and has one from then on until its tail has left.
        `ECUBE_ASSERT(no_output_before_grant)(outputs == '0 || !stored || head_kind != ecube_pkg::WireProbe);
        `ECUBE_ASSERT(output_from_grant_on)(outputs != '0 || !open_q || (stored && head_kind == ecube_pkg::WireProbe));
        `ECUBE_ASSERT(output_until_tail)(outputs == '0 || open_q || tail_inside_q);
        `ECUBE_ASSERT(one_output)((outputs & (outputs - 1'b1)) == '0);
        `ECUBE_ASSERT(tail_is_known)(tail_inside_q == (stored && !open_q));
        // A buffer drives its stop while it is full, and while it holds a tail.
        `ECUBE_ASSERT(stops_when_full)(stop_q[i] == (count_q == Count'(Buffer) || tail_inside_q));
        `ECUBE_ASSERT(waits_route_delay)(!stored || head_kind != ecube_pkg::WireProbe || delay_q != '0);
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it is granted.
        `ECUBE_ASSERT(asks_for_one_output)(!requesting[i] || (wanted != '0 && (wanted & (wanted - 1'b1)) == '0));
        `ECUBE_ASSERT(lowest_dimension_first)(!requesting[i] || head[i*Width+:Dim] == '0 || (wanted[Dim-1:0] & (head[i*Width+:Dim] - 1'b1)) == '0);
        `ECUBE_ASSERT(granted_one_output)((grants & (grants - 1'b1)) == '0 && (passes & (passes - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused_q[i] || requesting[i]);
        // No word leaves an empty buffer, and no word is lost.
        `ECUBE_ASSERT(nothing_from_nothing)(!leaving || stored || arriving);
        `ECUBE_ASSERT(nothing_lost)(count_q <= Count'(Buffer));
      end
    end
  end

  // --- Outputs --------------------------------------------------------------------------------------------------

  for (o = 0; o < N; o++) begin : g_output
    localparam logic [Dim-1:0] Behind = o < Dim ? ~({Dim{1'b1}} << (o + 1)) : '1;
    logic [N-1:0] owner_q, owner_d;  // the input connected to this output; of a free output the last one
    logic [Time-1:0] until_phit_q, until_phit_d;
    logic ready, granting, tail, driving;
    logic [N-1:0] grant_here, passing_here;
    logic [Width-1:0] wire_next;

    // A word may be driven at the pace of the link, while there is no stop.
    assign ready = until_phit_q == '0 && (!acknowledge_i[o] || ecube_pkg::fault == ecube_pkg::FaultRelease);
    assign paced[o] = until_phit_q != '0;

    ecube_arbiter #(
        .Inputs(N)
    ) arbiter (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .free_i(!owned_q[o] && ready),
        .request_i(request[o*N+:N]),
        .grant_o(grant_here)
    );
    assign grant[o*N+:N] = grant_here;
    assign granting = grant_here != '0;
    assign passing_here = owned_q[o] && ready ? owner_q & holds_phit : '0;
    assign passing[o*N+:N] = passing_here;
    assign owners[o*N+:N] = owner_q;
    assign driving = granting || passing_here != '0;

    always_comb begin
      wire_next = '0;
      tail = 1'b0;
      for (int k = 0; k < N; k++) begin
        if (passing_here[k]) begin
          wire_next = wire_next | head[k*Width+:Width];
          if (head[k*Width+Payload+:2] == ecube_pkg::WireTail) tail = 1'b1;
        end
        if (grant_here[k]) wire_next = wire_next | {ecube_pkg::WireProbe, probe_next[k*Payload+:Payload]};
      end
    end

    always_comb begin
      owned_d[o] = owned_q[o];
      owner_d = owner_q;
      until_phit_d = until_phit_q;
      if (granting) begin
        owned_d[o] = 1'b1;
        owner_d = grant_here;
      end else if (tail) owned_d[o] = 1'b0;
      if (driving) until_phit_d = phit_cycles_i - 1'b1;
      else if (until_phit_q != '0) until_phit_d = until_phit_q - 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owned_q[o] <= 1'b0;
        owner_q <= '0;
        until_phit_q <= '0;
        waiting_q[o] <= 1'b0;
        drive_q[o*Width+:Width] <= '0;
        granted_q[o] <= 1'b0;
        released_q[o] <= 1'b0;
      end else begin
        owned_q[o] <= owned_d[o];
        owner_q <= owner_d;
        until_phit_q <= until_phit_d;
        drive_q[o*Width+:Width] <= wire_next;
        granted_q[o] <= granting;
        released_q[o] <= waiting_q[o] && ready;
        waiting_q[o] <= tail || (waiting_q[o] && !ready);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // An output belongs to at most one worm, until its tail has been driven.
        `ECUBE_ASSERT(one_owner)(!owned_q[o] || (owner_q != '0 && (owner_q & (owner_q - 1'b1)) == '0));
        `ECUBE_ASSERT(held_until_tail)(!owned_q[o] || !granting);
        `ECUBE_ASSERT(owned_when_granted)(owned_q[o] || !granted_q[o]);
        // No word is driven onto a link that is stopped, or before its time.
        `ECUBE_ASSERT(stop_is_heeded)(!driving || (!acknowledge_i[o] && !paced[o]));
        // The output of a tail is not granted again before the tail has left the link and the buffer at its end.
        `ECUBE_ASSERT(waits_when_free)(!waiting_q[o] || !owned_q[o]);
        `ECUBE_ASSERT(granted_when_ready)(!(waiting_q[o] && !ready) || !granting);
        // A probe leaves by the lowest dimension of its route, which is then cleared; by an eject port when no
        // dimension remains.
        `ECUBE_ASSERT(dimension_behind_probe)(drive_q[o*Width+Payload+:2] != ecube_pkg::WireProbe || (granted_q[o] && (drive_q[o*Width+:Dim] & Behind) == '0));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) refused_q <= '0;
    else refused_q <= requesting & ~won;
  end

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets. Then an output stays with its worm until the tail.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q != rst_i);
    assume (route_delay_i != '0 && phit_cycles_i > Time'(1));
  end
  for (o = 0; o < N; o++) begin : g_stays
    always_ff @(posedge clk_i) begin
      if (started_q && !rst_i && !$past(rst_i) && $past(owned_q[o]) && owned_q[o])
        `ECUBE_ASSERT(owner_stays)(owners[o*N+:N] == $past(owners[o*N+:N]));
    end
  end
`endif

  assign moving_o = drive_q != '0 || paced != '0 || counting != '0 || won != '0 || passed != '0 ||
      (requesting & ~refused_q) != '0 || (waiting_q & ~acknowledge_i) != '0;

  for (o = 1; o < N; o++) begin : g_pairs
    for (i = 0; i < o; i++) begin : g_other
      always_ff @(posedge clk_i) begin
        if (!rst_i) begin
          `ECUBE_ASSERT(no_output_twice)((owners[o*N+:N] & owners[i*N+:N]) == '0 || !owned_q[o] || !owned_q[i]);
        end
      end
    end
  end

`ifdef ECUBE_PROPERTIES
  logic [N*Buffer*Width-1:0] buffers;  // [input]
  logic [N*Count-1:0] counts;  // [input]
  logic [N*Time-1:0] delays;  // [input]
  logic [N*Time-1:0] until_phits;  // [output]
  for (i = 0; i < N; i++) begin : g_registers
    assign buffers[i*Buffer*Width+:Buffer*Width] = g_input[i].words_q;
    assign counts[i*Count+:Count] = g_input[i].count_q;
    assign delays[i*Time+:Time] = g_input[i].delay_q;
    assign until_phits[i*Time+:Time] = g_output[i].until_phit_q;
  end

  ecube_worm_properties #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) properties (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .wire_i(wire_i),
      .stop_i(acknowledge_o),
      .driven_i(wire_o),
      .stopped_i(acknowledge_i),
      .grant_i(grant),
      .passing_i(passing),
      .granted_i(granted_o),
      .released_i(released_o),
      .refused_i(refused_o),
      .owners_i(owners_o),
      .asking_i(asking_o),
      .moving_i(moving_o),
      .buffer_i(buffers),
      .filled_i(counts),
      .delay_i(delays),
      .owned_i(owned_q),
      .waiting_i(waiting_q),
      .until_phit_i(until_phits)
  );
`endif
endmodule
