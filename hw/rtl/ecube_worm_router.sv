// SPDX-License-Identifier: Apache-2.0
// Router for worms, hw/README.md sections 2 and 10: every input has a buffer, phits follow their probe at the pace of the
// links, and a stop comes back from a buffer that is full or holds a tail.
module ecube_worm_router #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32,
    parameter int BUFFER = 1  // words of an input's buffer
) (
    input logic clk_i,
    input logic rst_i,
    input logic [TIME-1:0] route_delay_i,  // r >= 1, constant in a run
    input logic [TIME-1:0] phit_cycles_i,  // c >= 2, constant in a run

    input logic [(DIM+PORTS)*WIDTH-1:0] wire_i,
    output logic [DIM+PORTS-1:0] acknowledge_o,  // back along wire_i
    output logic [(DIM+PORTS)*WIDTH-1:0] wire_o,
    input logic [DIM+PORTS-1:0] acknowledge_i,  // back along wire_o

    // For the observer: what happened at the last edge.
    output logic [DIM+PORTS-1:0] granted_o,  // outputs that were given to a worm
    output logic [DIM+PORTS-1:0] released_o,  // outputs that could be granted again from that edge on
    output logic [DIM+PORTS-1:0] refused_o,  // inputs that asked and were refused
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_o,  // [output][input], the input connected to an output
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_o,  // [input][output], the output an input asks for
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_worm_router: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_worm_router: PORTS has to be 1 or DIM");
  end
  if (WIDTH < 2 * DIM + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_worm_router: WIDTH has to be 2 DIM + 2 at least: kind, source and route of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_worm_router: TIME has to be 2 to 32");
  end
  if (BUFFER < 1 || BUFFER > ecube_pkg::MostWords) begin : g_refuse_buffer
    `ECUBE_REFUSE("ecube_worm_router: BUFFER has to be 1 to 8");
  end

`ifdef ECUBE_FAULT_INPUT
  initial void'($value$plusargs("ecube_fault=%d", ecube_pkg::fault));
`endif
  localparam int N = DIM + PORTS;
  localparam int Payload = WIDTH - 2;
  localparam int Count = $clog2(BUFFER + 2);

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic [N*WIDTH-1:0] drive;
  logic [N-1:0] stop;
  logic [N-1:0] granted;
  logic [N-1:0] released;
  logic [N-1:0] refused;
  logic [N*N-1:0] owners;
  assign wire_o = drive;
  assign acknowledge_o = stop;
  assign granted_o = granted;
  assign released_o = released;
  assign refused_o = refused;
  assign owners_o = owners;

  logic [N-1:0] counting, requesting, holds_phit;  // of inputs
  logic [N-1:0] won, passed;  // inputs whose probe, or phit, leaves at this edge
  logic [N*N-1:0] request;  // [output][input]
  logic [N*N-1:0] grant;  // [output][input]
  logic [N*N-1:0] passing;  // [output][input]
  logic [N-1:0] owned;  // outputs
  logic [N-1:0] paced;  // outputs whose link cannot take a word yet
  logic [N-1:0] waiting;  // outputs whose last tail is still on the link or in the buffer at its end
  logic [N*WIDTH-1:0] head;  // [input]
  logic [N*Payload-1:0] probe_next;  // [input], as it leaves

  genvar i, o;

  // --- Inputs ---------------------------------------------------------------------------------------------------

  for (i = 0; i < N; i++) begin : g_input
    logic [BUFFER*WIDTH-1:0] words, words_next;  // the oldest lowest
    logic [Count-1:0] count, count_next;
    logic [TIME-1:0] delay;
    logic tail_inside, arriving, leaving, stored;
    logic [1:0] kind, head_kind;
    logic [N-1:0] wanted, grants, passes;
    logic [DIM-1:0] remaining;

    assign kind = wire_i[i*WIDTH+Payload+:2];
    assign arriving = kind != ecube_pkg::WireIdle;
    assign stored = count != '0;
    assign head[i*WIDTH+:WIDTH] = stored ? words[WIDTH-1:0] : wire_i[i*WIDTH+:WIDTH];
    assign head_kind = head[i*WIDTH+Payload+:2];
    assign counting[i] = stored && head_kind == ecube_pkg::WireProbe && delay != TIME'(1);
    assign requesting[i] = stored && head_kind == ecube_pkg::WireProbe && delay == TIME'(1);
    assign holds_phit[i] = head_kind == ecube_pkg::WireData || head_kind == ecube_pkg::WireTail;

    ecube_route #(
        .DIM(DIM),
        .PORTS(PORTS),
        .INPUT(i)
    ) routing (
        .route_i(head[i*WIDTH+:DIM]),
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
    assign probe_next[i*Payload+:Payload] = {head[i*WIDTH+DIM+:Payload-DIM], remaining};

    // A word that leaves makes room. A word that arrives goes behind the words in the buffer, or past an empty buffer.
    assign leaving = won[i] || passed[i];
    always_comb begin
      words_next = words;
      if (leaving && stored) words_next = words >> WIDTH;
      for (int k = 0; k < BUFFER; k++)
      if (arriving && (stored || !leaving) && count == Count'(k) + Count'(leaving && stored))
        words_next[k*WIDTH+:WIDTH] = wire_i[i*WIDTH+:WIDTH];
      count_next = count + Count'(arriving) - Count'(leaving);
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        words <= '0;
        count <= '0;
        delay <= '0;
        tail_inside <= 1'b0;
        stop[i] <= 1'b0;
      end else begin
        words <= words_next;
        count <= count_next;
        if (kind == ecube_pkg::WireProbe) delay <= ecube_pkg::fault == ecube_pkg::FaultHop ? route_delay_i + 1'b1 : route_delay_i;
        else if (counting[i]) delay <= delay - 1'b1;
        // A tail is the last word of its worm.
        tail_inside <= (tail_inside || kind == ecube_pkg::WireTail) && count_next != '0;
        stop[i] <= (count_next == Count'(BUFFER) ||
            ((tail_inside || kind == ecube_pkg::WireTail) && count_next != '0)) &&
            !(ecube_pkg::fault == ecube_pkg::FaultAcknowledge && i == DIM - 1);
      end
    end

    logic open;  // a probe has come in, but not yet its tail
    logic [N-1:0] outputs;  // outputs of the worm that comes in here
    for (o = 0; o < N; o++) begin : g_connected
      assign outputs[o] = owned[o] && owners[o*N+i];
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) open <= 1'b0;
      else if (kind == ecube_pkg::WireProbe) open <= 1'b1;
      else if (kind == ecube_pkg::WireTail) open <= 1'b0;
    end

    for (o = 0; o < BUFFER; o++) begin : g_word
      always_ff @(posedge clk_i) begin
        // No word in the buffer is idle; only the oldest can be a probe, only the last a tail.
        if (!rst_i && Count'(o) < count) begin
          `ECUBE_ASSERT(words_without_gap)(words[o*WIDTH+Payload+:2] != ecube_pkg::WireIdle);
          `ECUBE_ASSERT(probe_is_oldest)(o == 0 || words[o*WIDTH+Payload+:2] != ecube_pkg::WireProbe);
          `ECUBE_ASSERT(tail_is_last)((words[o*WIDTH+Payload+:2] == ecube_pkg::WireTail) == (tail_inside && Count'(o) + Count'(1) == count));
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // There is room for a word that comes in; a probe comes when the worm before has left, phits come behind their
        // probe.
        `ECUBE_ENVIRONMENT(!arriving || count != Count'(BUFFER));
        `ECUBE_ENVIRONMENT(kind != ecube_pkg::WireProbe || (!open && count == '0));
        `ECUBE_ENVIRONMENT(kind == ecube_pkg::WireIdle || kind == ecube_pkg::WireProbe || open);
        // A worm has no output while its probe is in the buffer, and has one from then on until its tail has left.
        `ECUBE_ASSERT(no_output_before_grant)(outputs == '0 || !stored || head_kind != ecube_pkg::WireProbe);
        `ECUBE_ASSERT(output_from_grant_on)(outputs != '0 || !open || (stored && head_kind == ecube_pkg::WireProbe));
        `ECUBE_ASSERT(output_until_tail)(outputs == '0 || open || tail_inside);
        `ECUBE_ASSERT(one_output)((outputs & (outputs - 1'b1)) == '0);
        `ECUBE_ASSERT(tail_is_known)(tail_inside == (stored && !open));
        // A buffer drives its stop while it is full, and while it holds a tail.
        `ECUBE_ASSERT(stops_when_full)(stop[i] == (count == Count'(BUFFER) || tail_inside));
        `ECUBE_ASSERT(waits_route_delay)(!stored || head_kind != ecube_pkg::WireProbe || delay != '0);
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it is granted.
        `ECUBE_ASSERT(asks_for_one_output)(!requesting[i] || (wanted != '0 && (wanted & (wanted - 1'b1)) == '0));
        `ECUBE_ASSERT(lowest_dimension_first)(!requesting[i] || head[i*WIDTH+:DIM] == '0 || (wanted[DIM-1:0] & (head[i*WIDTH+:DIM] - 1'b1)) == '0);
        `ECUBE_ASSERT(granted_one_output)((grants & (grants - 1'b1)) == '0 && (passes & (passes - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused[i] || requesting[i]);
        // No word leaves an empty buffer, and no word is lost.
        `ECUBE_ASSERT(nothing_from_nothing)(!leaving || stored || arriving);
        `ECUBE_ASSERT(nothing_lost)(count <= Count'(BUFFER));
      end
    end
  end

  // --- Outputs --------------------------------------------------------------------------------------------------

  for (o = 0; o < N; o++) begin : g_output
    localparam logic [DIM-1:0] Behind = o < DIM ? ~({DIM{1'b1}} << (o + 1)) : '1;
    logic [N-1:0] owner;  // the input connected to this output; of a free output the last one
    logic [TIME-1:0] until_phit;
    logic ready, granting, tail, driving;
    logic [N-1:0] grant_here, passing_here;
    logic [WIDTH-1:0] wire_next;

    // A word may be driven at the pace of the link, while there is no stop.
    assign ready = until_phit == '0 && (!acknowledge_i[o] || ecube_pkg::fault == ecube_pkg::FaultRelease);
    assign paced[o] = until_phit != '0;

    ecube_arbiter #(
        .INPUTS(N)
    ) arbiter (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .free_i(!owned[o] && ready),
        .request_i(request[o*N+:N]),
        .grant_o(grant_here)
    );
    assign grant[o*N+:N] = grant_here;
    assign granting = grant_here != '0;
    assign passing_here = owned[o] && ready ? owner & holds_phit : '0;
    assign passing[o*N+:N] = passing_here;
    assign owners[o*N+:N] = owner;
    assign driving = granting || passing_here != '0;

    always_comb begin
      wire_next = '0;
      tail = 1'b0;
      for (int k = 0; k < N; k++) begin
        if (passing_here[k]) begin
          wire_next = wire_next | head[k*WIDTH+:WIDTH];
          if (head[k*WIDTH+Payload+:2] == ecube_pkg::WireTail) tail = 1'b1;
        end
        if (grant_here[k]) wire_next = wire_next | {ecube_pkg::WireProbe, probe_next[k*Payload+:Payload]};
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owned[o] <= 1'b0;
        owner <= '0;
        until_phit <= '0;
        waiting[o] <= 1'b0;
        drive[o*WIDTH+:WIDTH] <= '0;
        granted[o] <= 1'b0;
        released[o] <= 1'b0;
      end else begin
        drive[o*WIDTH+:WIDTH] <= wire_next;
        granted[o] <= granting;
        released[o] <= waiting[o] && ready;
        waiting[o] <= tail || (waiting[o] && !ready);
        if (granting) begin
          owned[o] <= 1'b1;
          owner <= grant_here;
        end else if (tail) owned[o] <= 1'b0;
        if (driving) until_phit <= phit_cycles_i - 1'b1;
        else if (until_phit != '0) until_phit <= until_phit - 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // An output belongs to at most one worm, until its tail has been driven.
        `ECUBE_ASSERT(one_owner)(!owned[o] || (owner != '0 && (owner & (owner - 1'b1)) == '0));
        `ECUBE_ASSERT(held_until_tail)(!owned[o] || !granting);
        `ECUBE_ASSERT(owned_when_granted)(owned[o] || !granted[o]);
        // No word is driven onto a link that is stopped, or before its time.
        `ECUBE_ASSERT(stop_is_heeded)(!driving || (!acknowledge_i[o] && !paced[o]));
        // The output of a tail is not granted again before the tail has left the link and the buffer at its end.
        `ECUBE_ASSERT(waits_when_free)(!waiting[o] || !owned[o]);
        `ECUBE_ASSERT(granted_when_ready)(!(waiting[o] && !ready) || !granting);
        // A probe leaves by the lowest dimension of its route, which is then cleared; by an eject port when no
        // dimension remains.
        `ECUBE_ASSERT(dimension_behind_probe)(drive[o*WIDTH+Payload+:2] != ecube_pkg::WireProbe || (granted[o] && (drive[o*WIDTH+:DIM] & Behind) == '0));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) refused <= '0;
    else refused <= requesting & ~won;
  end

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets. Then an output stays with its worm until the tail.
  logic started;
  initial started = 1'b0;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    assume (started != rst_i);
    assume (route_delay_i != '0 && phit_cycles_i > TIME'(1));
  end
  for (o = 0; o < N; o++) begin : g_stays
    always_ff @(posedge clk_i) begin
      if (started && !rst_i && !$past(rst_i) && $past(owned[o]) && owned[o])
        `ECUBE_ASSERT(owner_stays)(owners[o*N+:N] == $past(owners[o*N+:N]));
    end
  end
`endif

  assign moving_o = drive != '0 || paced != '0 || counting != '0 || won != '0 || passed != '0 ||
      (requesting & ~refused) != '0 || (waiting & ~acknowledge_i) != '0;

  for (o = 1; o < N; o++) begin : g_pairs
    for (i = 0; i < o; i++) begin : g_other
      always_ff @(posedge clk_i) begin
        if (!rst_i) begin
          `ECUBE_ASSERT(no_output_twice)((owners[o*N+:N] & owners[i*N+:N]) == '0 || !owned[o] || !owned[i]);
        end
      end
    end
  end

`ifdef ECUBE_PROPERTIES
  logic [N*BUFFER*WIDTH-1:0] buffers;  // [input]
  logic [N*Count-1:0] counts;  // [input]
  logic [N*TIME-1:0] delays;  // [input]
  logic [N*TIME-1:0] until_phits;  // [output]
  for (i = 0; i < N; i++) begin : g_registers
    assign buffers[i*BUFFER*WIDTH+:BUFFER*WIDTH] = g_input[i].words;
    assign counts[i*Count+:Count] = g_input[i].count;
    assign delays[i*TIME+:TIME] = g_input[i].delay;
    assign until_phits[i*TIME+:TIME] = g_output[i].until_phit;
  end

  ecube_worm_properties #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
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
      .owned_i(owned),
      .waiting_i(waiting),
      .until_phit_i(until_phits)
  );
`endif
endmodule
