// SPDX-License-Identifier: Apache-2.0
// Router for worms, hw/README.md sections 2 and 10: every input has a buffer, phits follow their
// probe at the pace of the links, and a stop comes back from a buffer that is full or holds a tail.
module ecube_worm_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1  // flits of an input's buffer
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,  // r >= 1, constant in a run
    input logic [Time-1:0] phit_cycles_i,  // c >= 2, constant in a run

    input logic [(Dim+Ports)*Width-1:0] wire_i,
    output logic [Dim+Ports-1:0] acknowledge_o,  // the stops, back along wire_i
    output logic [(Dim+Ports)*Width-1:0] wire_o,
    input logic [Dim+Ports-1:0] acknowledge_i,  // the stops, back along wire_o

    // For the observer: what happened at the last edge.
    output logic [Dim+Ports-1:0] granted_o,  // outputs that were given to a worm
    // Outputs that could be granted again from that edge on.
    output logic [Dim+Ports-1:0] released_o,
    output logic [Dim+Ports-1:0] refused_o,  // inputs that asked and were refused
    // [output][input], the input connected to an output.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,
    // [input][output], the output an input asks for.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  ecube_parameters #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) parameters ();

  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;
  localparam int Count = $clog2(Buffer + 2);

  // Inputs.
  logic [N*Buffer*Width-1:0] flits_q;  // the oldest lowest
  logic [N*Count-1:0] count_q;
  logic [N*Time-1:0] delay_q;
  logic [N-1:0] tail_inside_q, stop_q, refused_q;
  logic [N*Width-1:0] head;  // the flit that leaves next
  logic [N*Payload-1:0] probe_next;  // as it leaves
  logic [N-1:0] counting, requesting, phit, tail;  // of the head
  logic [N-1:0] won, passed;  // the probe, or a phit, leaves at this edge
  logic [N*N-1:0] asking;  // [input][output]

  // Outputs.
  logic [N*N-1:0] grant, passing, owners, at_or_after;  // [output][input]
  logic [N*Time-1:0] until_phit_q;
  logic [N-1:0] ready, paced;  // a flit may be driven; the link cannot take a flit yet
  logic [N-1:0] closing_q;  // the last tail is still on the link or in the buffer at its end
  logic [N-1:0] owned, tail_leaves, released_q;
  logic [N*Width-1:0] drive;

  // A signal of its own, because reading an output in SystemC gives the value of the delta cycle
  // before.
  assign wire_o = drive;
  assign acknowledge_o = stop_q;
  assign refused_o = refused_q;
  assign released_o = released_q;
  assign owners_o = owners;
  assign asking_o = asking;

  // For properties.
  logic unused_pointers;
  assign unused_pointers = &{1'b0, at_or_after};

  for (genvar i = 0; i < N; i++) begin : g_input
    logic [Buffer*Width-1:0] flits, flits_d;
    logic [Count-1:0] count, count_d, place;
    logic [Width-1:0] arrived;
    logic [1:0] kind, head_kind;
    logic [Dim-1:0] remaining;
    logic [N-1:0] wanted, grants, passes, outputs;
    logic stored, arriving, leaving, tail_here;

    assign flits = flits_q[i*Buffer*Width+:Buffer*Width];
    assign count = count_q[i*Count+:Count];
    assign arrived = wire_i[i*Width+:Width];
    assign kind = arrived[Payload+:2];
    assign arriving = kind != ecube_pkg::WireIdle;
    assign tail_here = tail_inside_q[i] || kind == ecube_pkg::WireTail;
    assign stored = count != '0;
    assign head[i*Width+:Width] = stored ? flits[Width-1:0] : arrived;
    assign head_kind = head[i*Width+Payload+:2];
    assign counting[i] =
        stored && head_kind == ecube_pkg::WireProbe && delay_q[i*Time+:Time] != Time'(1);
    assign requesting[i] =
        stored && head_kind == ecube_pkg::WireProbe && delay_q[i*Time+:Time] == Time'(1);
    assign tail[i] = head_kind == ecube_pkg::WireTail;
    assign phit[i] = head_kind == ecube_pkg::WirePhit || tail[i];

    ecube_route #(
        .Dim(Dim),
        .Ports(Ports),
        .Input(i)
    ) routing (
        .route_i(head[i*Width+:Dim]),
        .wanted_o(wanted),
        .remaining_o(remaining)
    );
    assign probe_next[i*Payload+:Payload] = {head[i*Width+Dim+:Payload-Dim], remaining};
    assign asking[i*N+:N] = requesting[i] ? wanted : '0;
    for (genvar o = 0; o < N; o++) begin : g_output
      assign grants[o] = grant[o*N+i];
      assign passes[o] = passing[o*N+i];
      assign outputs[o] = owned[o] && owners[o*N+i];
    end
    assign won[i] = grants != '0;
    assign passed[i] = passes != '0;

    // A flit that leaves makes room. A flit that arrives goes behind the flits in the buffer, or
    // past an empty buffer.
    assign leaving = won[i] || passed[i];
    assign count_d = count + Count'(arriving) - Count'(leaving);
    assign place = count - Count'(leaving && stored);
    always_comb begin
      flits_d = leaving && stored ? flits >> Width : flits;
      for (int k = 0; k < Buffer; k++) begin
        if (arriving && (stored || !leaving) && place == Count'(k)) begin
          flits_d[k*Width+:Width] = arrived;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        flits_q[i*Buffer*Width+:Buffer*Width] <= '0;
        count_q[i*Count+:Count] <= '0;
        delay_q[i*Time+:Time] <= '0;
        tail_inside_q[i] <= 1'b0;
        stop_q[i] <= 1'b0;
        refused_q[i] <= 1'b0;
      end else begin
        flits_q[i*Buffer*Width+:Buffer*Width] <= flits_d;
        count_q[i*Count+:Count] <= count_d;
        delay_q[i*Time+:Time] <= kind == ecube_pkg::WireProbe ?
            route_delay_i : delay_q[i*Time+:Time] - Time'(counting[i]);
        // A tail is the last flit of its worm.
        tail_inside_q[i] <= tail_here && count_d != '0;
        stop_q[i] <= count_d == Count'(Buffer) || (tail_here && count_d != '0);
        refused_q[i] <= requesting[i] && !won[i];
      end
    end

    logic open_q;  // for assertions: a probe has come in, but not yet its tail
    always_ff @(posedge clk_i) begin
      open_q <= !rst_i && (kind == ecube_pkg::WireProbe || (open_q && kind != ecube_pkg::WireTail));
    end

    for (genvar k = 0; k < Buffer; k++) begin : g_flit
      always_ff @(posedge clk_i) begin
        // No flit in the buffer is idle; only the oldest can be a probe, only the last a tail.
        if (!rst_i && Count'(k) < count) begin
          `ECUBE_ASSERT(flits_without_gap)(flits[k*Width+Payload+:2] != ecube_pkg::WireIdle);
          `ECUBE_ASSERT(probe_is_oldest)
            (k == 0 || flits[k*Width+Payload+:2] != ecube_pkg::WireProbe);
          `ECUBE_ASSERT(tail_is_last)((flits[k*Width+Payload+:2] == ecube_pkg::WireTail) ==
              (tail_inside_q[i] && Count'(k) + Count'(1) == count));
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // There is room for a flit that comes in; a probe comes when the worm before has left,
        // phits come behind their probe.
        `ECUBE_ENVIRONMENT(!arriving || count != Count'(Buffer));
        `ECUBE_ENVIRONMENT(kind != ecube_pkg::WireProbe || (!open_q && count == '0));
        `ECUBE_ENVIRONMENT(kind == ecube_pkg::WireIdle || kind == ecube_pkg::WireProbe || open_q);
        // A worm has no output while its probe is in the buffer, and has one from then on until its
        // tail has left.
        `ECUBE_ASSERT(no_output_before_grant)
          (outputs == '0 || !stored || head_kind != ecube_pkg::WireProbe);
        `ECUBE_ASSERT(output_from_grant_on)
          (outputs != '0 || !open_q || (stored && head_kind == ecube_pkg::WireProbe));
        `ECUBE_ASSERT(output_until_tail)(outputs == '0 || open_q || tail_inside_q[i]);
        `ECUBE_ASSERT(one_output)((outputs & (outputs - 1'b1)) == '0);
        `ECUBE_ASSERT(tail_is_known)(tail_inside_q[i] == (stored && !open_q));
        // A buffer drives its stop while it is full, and while it holds a tail.
        `ECUBE_ASSERT(stops_when_full)(stop_q[i] == (count == Count'(Buffer) || tail_inside_q[i]));
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it
        // is granted.
        `ECUBE_ASSERT(waits_route_delay)
          (!stored || head_kind != ecube_pkg::WireProbe || delay_q[i*Time+:Time] != '0);
        `ECUBE_ASSERT(asks_for_one_output)
          (!requesting[i] || (wanted != '0 && (wanted & (wanted - 1'b1)) == '0));
        `ECUBE_ASSERT(granted_one_output)
          ((grants & (grants - 1'b1)) == '0 && (passes & (passes - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused_q[i] || requesting[i]);
        // No flit leaves an empty buffer, and no flit is lost.
        `ECUBE_ASSERT(nothing_from_nothing)(!leaving || stored || arriving);
        `ECUBE_ASSERT(nothing_lost)(count <= Count'(Buffer));
      end
    end
  end

  for (genvar o = 0; o < N; o++) begin : g_output
    logic [N-1:0] requests;
    logic driving;
    for (genvar i = 0; i < N; i++) begin : g_request
      assign requests[i] = asking[i*N+o];
    end

    // A flit may be driven at the pace of the link, while there is no stop.
    assign paced[o] = until_phit_q[o*Time+:Time] != '0;
    assign ready[o] = !paced[o] && !acknowledge_i[o];
    ecube_output #(
        .Dim(Dim),
        .Ports(Ports),
        .Width(Width),
        .Output(o)
    ) part (
        .clk_i,
        .rst_i,
        .ready_i(ready[o]),
        .request_i(requests),
        .probe_i(probe_next),
        .word_i(head),
        .phit_i(phit),
        .tail_i(tail),
        .grant_o(grant[o*N+:N]),
        .passing_o(passing[o*N+:N]),
        .at_or_after_o(at_or_after[o*N+:N]),
        .owner_o(owners[o*N+:N]),
        .owned_o(owned[o]),
        .tail_o(tail_leaves[o]),
        .granted_o(granted_o[o]),
        .wire_o(drive[o*Width+:Width])
    );
    assign driving = grant[o*N+:N] != '0 || passing[o*N+:N] != '0;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        until_phit_q[o*Time+:Time] <= '0;
        closing_q[o] <= 1'b0;
        released_q[o] <= 1'b0;
      end else begin
        until_phit_q[o*Time+:Time] <= driving ?
            phit_cycles_i - 1'b1 : until_phit_q[o*Time+:Time] - Time'(paced[o]);
        closing_q[o] <= tail_leaves[o] || (closing_q[o] && !ready[o]);
        released_q[o] <= closing_q[o] && ready[o];
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // No flit is driven onto a link that is stopped, or before its time.
        `ECUBE_ASSERT(stop_is_heeded)(!driving || (!acknowledge_i[o] && !paced[o]));
        // The output of a tail is not granted again before the tail has left the link and the
        // buffer at its end.
        `ECUBE_ASSERT(closing_when_free)(!closing_q[o] || !owned[o]);
      end
    end
  end

  assign moving_o = drive != '0 || paced != '0 || counting != '0 || won != '0 || passed != '0 ||
      (requesting & ~refused_q) != '0 || (closing_q & ~acknowledge_i) != '0;
endmodule
