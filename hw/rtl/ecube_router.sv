// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched hypercube, hw/README.md section 2. Inputs and outputs are numbered alike: the
// dimensions, then the node's ports. Inputs lead probes on; an output belongs to one circuit until its tail has passed.
module ecube_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,  // r >= 1, constant in a run

    input logic [(Dim+Ports)*Width-1:0] wire_i,
    output logic [Dim+Ports-1:0] acknowledge_o,  // back along wire_i
    output logic [(Dim+Ports)*Width-1:0] wire_o,
    input logic [Dim+Ports-1:0] acknowledge_i,  // back along wire_o

    // For the observer: what happened at the last edge.
    output logic [Dim+Ports-1:0] granted_o,  // outputs that were given to a circuit
    output logic [Dim+Ports-1:0] released_o,  // outputs whose owner's tail was processed
    output logic [Dim+Ports-1:0] refused_o,  // inputs that asked and were refused
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,  // [output][input], the input connected to an output
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,  // [input][output], the output an input asks for
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  if (Dim < 1 || Dim > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_router: Dim has to be 1 to 6");
  end
  if (Ports != 1 && Ports != Dim) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_router: Ports has to be 1 or Dim");
  end
  if (Width < 2 * Dim + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_router: Width has to be 2 Dim + 2 at least: kind, source and route of a probe");
  end
  if (Time < 2 || Time > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_router: Time has to be 2 to 32");
  end

`ifdef ECUBE_FAULT_INPUT
  initial void'($value$plusargs("ecube_fault=%d", ecube_pkg::fault));
`endif
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic [N*Width-1:0] drive;
  logic [N-1:0] acknowledge;
  logic [N-1:0] granted_q;
  logic [N-1:0] released_q;
  logic [N-1:0] refused_q;
  logic [N*N-1:0] owners;
  assign wire_o = drive;
  assign acknowledge_o = acknowledge;
  assign granted_o = granted_q;
  assign released_o = released_q;
  assign refused_o = refused_q;
  assign owners_o = owners;

  logic [N-1:0] wire_probe, wire_tail, wire_busy;
  logic [N-1:0] counting, requesting_q, held;  // of inputs
  logic [N*N-1:0] request;  // [output][input]
  logic [N*N-1:0] grant;  // [output][input]
  logic [N-1:0] won;  // inputs
  logic [N-1:0] owned_q, owned_d;  // outputs
  logic [N-1:0] granting;  // outputs that are granted at this edge
  logic [N-1:0] passing_tail;  // outputs
  logic [N*Payload-1:0] probe_next;  // [input], as it leaves

  genvar i, o;

  // --- Inputs ---------------------------------------------------------------------------------------------------

  for (i = 0; i < N; i++) begin : g_input
    `ECUBE_ENUM(input_state_e) state_q, state_d;
    logic [Time-1:0] delay_q, delay_d;
    logic [Payload-1:0] probe_q, probe_d;
    logic [1:0] kind;
    logic [N-1:0] wanted, grants;
    logic [N-1:0] asked_q;  // the output that the probe asks for at this edge
    logic [Time-1:0] first_delay;
    logic [Dim-1:0] route, remaining;
    logic asks_next;

    assign kind = wire_i[i*Width+Payload+:2];
    assign wire_probe[i] = kind == ecube_pkg::WireProbe;
    assign wire_tail[i] = kind == ecube_pkg::WireTail;
    assign counting[i] = state_q == ecube_pkg::InputSeeking && !requesting_q[i];
    assign held[i] = state_q == ecube_pkg::InputHeld;

    ecube_route #(
        .Dim(Dim),
        .Ports(Ports),
        .Input(i)
    ) routing (
        .route_i(route),
        .wanted_o(wanted),
        .remaining_o(remaining)
    );

    // Whether an input asks, and for which output, is in registers: neither the count nor the route is in the path of
    // the arbiters.
    assign first_delay = ecube_pkg::fault == ecube_pkg::FaultHop ? route_delay_i + 1'b1 : route_delay_i;
    assign route = state_q == ecube_pkg::InputIdle ? wire_i[i*Width+:Dim] : probe_q[Dim-1:0];
    assign asks_next = state_q == ecube_pkg::InputIdle ? wire_probe[i] && first_delay == Time'(1) : counting[i] && delay_q == Time'(2);

    for (o = 0; o < N; o++) begin : g_request
      assign request[o*N+i] = asked_q[o];
      assign grants[o] = grant[o*N+i];
      assign asking_o[i*N+o] = asked_q[o];
    end
    assign won[i] = grants != '0;
    assign probe_next[i*Payload+:Payload] = {probe_q[Payload-1:Dim], remaining};

    always_comb begin
      state_d = state_q;
      delay_d = delay_q;
      probe_d = probe_q;
      unique case (state_q)
        ecube_pkg::InputIdle:
        if (wire_probe[i]) begin
          state_d = ecube_pkg::InputSeeking;
          delay_d = first_delay;
          probe_d = wire_i[i*Width+:Payload];
        end
        ecube_pkg::InputSeeking:
        if (counting[i]) delay_d = delay_q - 1'b1;
        else if (won[i]) state_d = ecube_pkg::InputHeld;
        ecube_pkg::InputHeld: if (wire_tail[i]) state_d = ecube_pkg::InputIdle;
        default: state_d = ecube_pkg::InputIdle;
      endcase
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        state_q <= ecube_pkg::InputIdle;
        delay_q <= '0;
        probe_q <= '0;
        asked_q <= '0;
        requesting_q[i] <= 1'b0;
      end else begin
        state_q <= state_d;
        delay_q <= delay_d;
        probe_q <= probe_d;
        requesting_q[i] <= asks_next || (requesting_q[i] && !won[i]);
        asked_q <= asks_next ? wanted : won[i] ? '0 : asked_q;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // A probe comes to an input without a circuit, phits come to an input with one.
        `ECUBE_ENVIRONMENT(!wire_probe[i] || state_q == ecube_pkg::InputIdle);
        `ECUBE_ENVIRONMENT(kind == ecube_pkg::WireIdle || wire_probe[i] || held[i]);
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it is granted.
        `ECUBE_ASSERT(waits_route_delay)(state_q != ecube_pkg::InputSeeking || delay_q != '0);
        `ECUBE_ASSERT(asks_for_one_output)(wanted != '0 && (wanted & (wanted - 1'b1)) == '0);
        `ECUBE_ASSERT(lowest_dimension_first)(!requesting_q[i] || probe_q[Dim-1:0] == '0 || (wanted[Dim-1:0] & (probe_q[Dim-1:0] - 1'b1)) == '0);
        `ECUBE_ASSERT(asks_when_delay_is_over)(requesting_q[i] == (state_q == ecube_pkg::InputSeeking && delay_q == Time'(1)));
        `ECUBE_ASSERT(asks_by_route)(asked_q == (requesting_q[i] ? wanted : '0));
        `ECUBE_ASSERT(granted_one_output)((grants & (grants - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused_q[i] || requesting_q[i]);
      end
    end
  end

  // --- Outputs --------------------------------------------------------------------------------------------------

  for (o = 0; o < N; o++) begin : g_output
    localparam logic [Dim-1:0] Behind = o < Dim ? ~({Dim{1'b1}} << (o + 1)) : '1;
    logic [N-1:0] owner_q, owner_d;  // the input connected to this output; of a free output the last one
    logic free;
    logic [N-1:0] grant_here;
    logic [Width-1:0] wire_next;
    logic acknowledge_next;

    ecube_arbiter #(
        .Inputs(N)
    ) arbiter (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .free_i(free),
        .request_i(request[o*N+:N]),
        .grant_o(grant_here)
    );
    assign grant[o*N+:N] = grant_here;
    assign granting[o] = free && request[o*N+:N] != '0;
    assign passing_tail[o] = owned_q[o] && (owner_q & wire_tail) != '0;
    assign free = !owned_q[o] || (ecube_pkg::fault == ecube_pkg::FaultRelease && passing_tail[o]);
    assign owners[o*N+:N] = owner_q;

    always_comb begin
      wire_next = '0;
      for (int k = 0; k < N; k++) begin
        if (owned_q[o] && owner_q[k]) wire_next = wire_next | wire_i[k*Width+:Width];
        if (grant_here[k]) wire_next = wire_next | {ecube_pkg::WireProbe, probe_next[k*Payload+:Payload]};
      end
    end

    // The acknowledge of the circuit that came in by input o.
    always_comb begin
      acknowledge_next = 1'b0;
      for (int k = 0; k < N; k++)
      if (owned_q[k] && owners[k*N+o] && acknowledge_i[k] && !(ecube_pkg::fault == ecube_pkg::FaultAcknowledge && k == Dim - 1))
        acknowledge_next = 1'b1;
    end

    ecube_link #(
        .Width(Width)
    ) link (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .wire_i(wire_next),
        .acknowledge_i(acknowledge_next),
        .wire_o(drive[o*Width+:Width]),
        .acknowledge_o(acknowledge[o])
    );
    assign wire_busy[o] = drive[o*Width+Payload+:2] != ecube_pkg::WireIdle;

    always_comb begin
      owned_d[o] = owned_q[o];
      owner_d = owner_q;
      if (granting[o]) begin
        owned_d[o] = 1'b1;
        owner_d = grant_here;
      end else if (passing_tail[o]) owned_d[o] = 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owned_q[o] <= 1'b0;
        owner_q <= '0;
        granted_q[o] <= 1'b0;
        released_q[o] <= 1'b0;
      end else begin
        owned_q[o] <= owned_d[o];
        owner_q <= owner_d;
        granted_q[o] <= granting[o];
        released_q[o] <= passing_tail[o];
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // An output belongs to at most one circuit, until the tail has passed: from the edge after, the output can be
        // granted.
        `ECUBE_ASSERT(one_owner)(!owned_q[o] || (owner_q != '0 && (owner_q & (owner_q - 1'b1)) == '0 && (owner_q & ~held) == '0));
        `ECUBE_ASSERT(held_until_tail)(!owned_q[o] || !granting[o]);
        `ECUBE_ASSERT(owned_when_granted)(owned_q[o] || !granted_q[o]);
        `ECUBE_ASSERT(free_after_tail)(!released_q[o] || !owned_q[o]);
        // A probe leaves by the lowest dimension of its route, which is then cleared; by an eject port when no
        // dimension remains.
        `ECUBE_ASSERT(dimension_behind_probe)(drive[o*Width+Payload+:2] != ecube_pkg::WireProbe || (granted_q[o] && (drive[o*Width+:Dim] & Behind) == '0));
        // Phits leave by owned outputs; a tail by an output that was owned until then.
        `ECUBE_ASSERT(phits_by_owned_outputs)(!wire_busy[o] || owned_q[o] || released_q[o]);
        // Acknowledges come back to circuits.
        `ECUBE_ENVIRONMENT(!acknowledge_i[o] || owned_q[o]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) refused_q <= '0;
    else refused_q <= requesting_q & ~won;
  end

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets. Then a grant stays until its tail, and acknowledges come back along granted outputs.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q != rst_i);
    assume (route_delay_i != '0);
  end
  for (o = 0; o < N; o++) begin : g_stays
    always_ff @(posedge clk_i) begin
      if (started_q && !rst_i && !$past(rst_i) && $past(owned_q[o]) && !$past(passing_tail[o]))
        `ECUBE_ASSERT(owner_stays)(owned_q[o] && owners[o*N+:N] == $past(owners[o*N+:N]));
      // An acknowledge goes back by the input that the output is connected to.
      if (started_q && !rst_i && !$past(rst_i) && $past(owned_q[o]) && $past(acknowledge_i[o]))
        `ECUBE_ASSERT(acknowledge_goes_back)((acknowledge & $past(owners[o*N+:N])) != '0);
    end
  end
  // A held input owns an output.
  for (i = 0; i < N; i++) begin : g_has
    logic [N-1:0] outputs;
    for (o = 0; o < N; o++) begin : g_output
      assign outputs[o] = owned_q[o] && owners[o*N+i];
    end
    always_ff @(posedge clk_i) if (!rst_i) `ECUBE_ASSERT(held_has_output)(held[i] == (outputs != '0));
  end
`endif

  assign moving_o = wire_busy != '0 || acknowledge != '0 || counting != '0 || granting != '0 ||
      (requesting_q & ~refused_q) != '0;

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
  logic [N*2-1:0] states;  // [input]
  logic [N*Time-1:0] delays;  // [input]
  logic [N*Payload-1:0] probes;  // [input]
  for (i = 0; i < N; i++) begin : g_registers
    assign states[i*2+:2] = g_input[i].state_q;
    assign delays[i*Time+:Time] = g_input[i].delay_q;
    assign probes[i*Payload+:Payload] = g_input[i].probe_q;
  end

  ecube_router_properties #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) properties (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .wire_i(wire_i),
      .acknowledged_i(acknowledge_o),
      .driven_i(wire_o),
      .acknowledge_i(acknowledge_i),
      .grant_i(grant),
      .granted_i(granted_o),
      .released_i(released_o),
      .refused_i(refused_o),
      .owners_i(owners_o),
      .asking_i(asking_o),
      .moving_i(moving_o),
      .state_i(states),
      .delay_i(delays),
      .probe_i(probes),
      .owned_i(owned_q)
  );
`endif
endmodule
