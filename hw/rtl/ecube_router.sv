// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched hypercube, hw/README.md section 2. Inputs and outputs are numbered alike: the
// dimensions, then the node's ports. Inputs lead probes on; an output belongs to one circuit until its tail has passed.
module ecube_router #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int TIME = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [TIME-1:0] route_delay_i,  // r >= 1, constant in a run

    input logic [(DIM+PORTS)*WIDTH-1:0] wire_i,
    output logic [DIM+PORTS-1:0] acknowledge_o,  // back along wire_i
    output logic [(DIM+PORTS)*WIDTH-1:0] wire_o,
    input logic [DIM+PORTS-1:0] acknowledge_i,  // back along wire_o

    // For the observer: what happened at the last edge.
    output logic [DIM+PORTS-1:0] granted_o,  // outputs that were given to a circuit
    output logic [DIM+PORTS-1:0] released_o,  // outputs whose owner's tail was processed
    output logic [DIM+PORTS-1:0] refused_o,  // inputs that asked and were refused
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_o,  // [output][input], the input connected to an output
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_o,  // [input][output], the output an input asks for
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  if (DIM < 1 || DIM > ecube_pkg::MostDimensions) begin : g_refuse_dim
    `ECUBE_REFUSE("ecube_router: DIM has to be 1 to 6");
  end
  if (PORTS != 1 && PORTS != DIM) begin : g_refuse_ports
    `ECUBE_REFUSE("ecube_router: PORTS has to be 1 or DIM");
  end
  if (WIDTH < 2 * DIM + 2) begin : g_refuse_width
    `ECUBE_REFUSE("ecube_router: WIDTH has to be 2 DIM + 2 at least: kind, source and route of a probe");
  end
  if (TIME < 2 || TIME > 32) begin : g_refuse_time
    `ECUBE_REFUSE("ecube_router: TIME has to be 2 to 32");
  end

`ifdef ECUBE_FAULT_INPUT
  initial void'($value$plusargs("ecube_fault=%d", ecube_pkg::fault));
`endif
  localparam int N = DIM + PORTS;
  localparam int Payload = WIDTH - 2;

  // Copies of outputs that are read here too: in SystemC, an output that is read has its value of the delta cycle
  // before.
  logic [N*WIDTH-1:0] drive;
  logic [N-1:0] acknowledge;
  logic [N-1:0] granted;
  logic [N-1:0] released;
  logic [N-1:0] refused;
  logic [N*N-1:0] owners;
  assign wire_o = drive;
  assign acknowledge_o = acknowledge;
  assign granted_o = granted;
  assign released_o = released;
  assign refused_o = refused;
  assign owners_o = owners;

  logic [N-1:0] wire_probe, wire_tail, wire_busy;
  logic [N-1:0] counting, requesting, held;  // of inputs
  logic [N*N-1:0] request;  // [output][input]
  logic [N*N-1:0] grant;  // [output][input]
  logic [N-1:0] won;  // inputs
  logic [N-1:0] owned;  // outputs
  logic [N-1:0] granting;  // outputs that are granted at this edge
  logic [N-1:0] passing_tail;  // outputs
  logic [N*Payload-1:0] probe_next;  // [input], as it leaves

  genvar i, o;

  // --- Inputs ---------------------------------------------------------------------------------------------------

  for (i = 0; i < N; i++) begin : g_input
    logic [1:0] state;
    logic [TIME-1:0] delay;
    logic [Payload-1:0] probe;
    logic [1:0] kind;
    logic [N-1:0] wanted, grants;
    logic [N-1:0] asked;  // the output that the probe asks for at this edge
    logic [TIME-1:0] first_delay;
    logic [DIM-1:0] route, remaining;
    logic asks_next;

    assign kind = wire_i[i*WIDTH+Payload+:2];
    assign wire_probe[i] = kind == ecube_pkg::WireProbe;
    assign wire_tail[i] = kind == ecube_pkg::WireTail;
    assign counting[i] = state == ecube_pkg::InputSeeking && !requesting[i];
    assign held[i] = state == ecube_pkg::InputHeld;

    ecube_route #(
        .DIM(DIM),
        .PORTS(PORTS),
        .INPUT(i)
    ) routing (
        .route_i(route),
        .wanted_o(wanted),
        .remaining_o(remaining)
    );

    // Whether an input asks, and for which output, is in registers: neither the count nor the route is in the path of
    // the arbiters.
    assign first_delay = ecube_pkg::fault == ecube_pkg::FaultHop ? route_delay_i + 1'b1 : route_delay_i;
    assign route = state == ecube_pkg::InputIdle ? wire_i[i*WIDTH+:DIM] : probe[DIM-1:0];
    assign asks_next = state == ecube_pkg::InputIdle ? wire_probe[i] && first_delay == TIME'(1) : counting[i] && delay == TIME'(2);

    for (o = 0; o < N; o++) begin : g_request
      assign request[o*N+i] = asked[o];
      assign grants[o] = grant[o*N+i];
      assign asking_o[i*N+o] = asked[o];
    end
    assign won[i] = grants != '0;
    assign probe_next[i*Payload+:Payload] = {probe[Payload-1:DIM], remaining};

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        state <= ecube_pkg::InputIdle;
        delay <= '0;
        probe <= '0;
        asked <= '0;
        requesting[i] <= 1'b0;
      end else begin
        requesting[i] <= asks_next || (requesting[i] && !won[i]);
        asked <= asks_next ? wanted : won[i] ? '0 : asked;
        unique case (state)
          ecube_pkg::InputIdle:
          if (wire_probe[i]) begin
            state <= ecube_pkg::InputSeeking;
            delay <= first_delay;
            probe <= wire_i[i*WIDTH+:Payload];
          end
          ecube_pkg::InputSeeking:
          if (counting[i]) delay <= delay - 1'b1;
          else if (won[i]) state <= ecube_pkg::InputHeld;
          ecube_pkg::InputHeld: if (wire_tail[i]) state <= ecube_pkg::InputIdle;
          default: state <= ecube_pkg::InputIdle;
        endcase
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // A probe comes to an input without a circuit, phits come to an input with one.
        `ECUBE_ENVIRONMENT(!wire_probe[i] || state == ecube_pkg::InputIdle);
        `ECUBE_ENVIRONMENT(kind == ecube_pkg::WireIdle || wire_probe[i] || held[i]);
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it is granted.
        `ECUBE_ASSERT(waits_route_delay)(state != ecube_pkg::InputSeeking || delay != '0);
        `ECUBE_ASSERT(asks_for_one_output)(wanted != '0 && (wanted & (wanted - 1'b1)) == '0);
        `ECUBE_ASSERT(lowest_dimension_first)(!requesting[i] || probe[DIM-1:0] == '0 || (wanted[DIM-1:0] & (probe[DIM-1:0] - 1'b1)) == '0);
        `ECUBE_ASSERT(asks_when_delay_is_over)(requesting[i] == (state == ecube_pkg::InputSeeking && delay == TIME'(1)));
        `ECUBE_ASSERT(asks_by_route)(asked == (requesting[i] ? wanted : '0));
        `ECUBE_ASSERT(granted_one_output)((grants & (grants - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused[i] || requesting[i]);
      end
    end
  end

  // --- Outputs --------------------------------------------------------------------------------------------------

  for (o = 0; o < N; o++) begin : g_output
    localparam logic [DIM-1:0] Behind = o < DIM ? ~({DIM{1'b1}} << (o + 1)) : '1;
    logic [N-1:0] owner;  // the input connected to this output; of a free output the last one
    logic free;
    logic [N-1:0] grant_here;
    logic [WIDTH-1:0] wire_next;
    logic acknowledge_next;

    ecube_arbiter #(
        .INPUTS(N)
    ) arbiter (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .free_i(free),
        .request_i(request[o*N+:N]),
        .grant_o(grant_here)
    );
    assign grant[o*N+:N] = grant_here;
    assign granting[o] = free && request[o*N+:N] != '0;
    assign passing_tail[o] = owned[o] && (owner & wire_tail) != '0;
    assign free = !owned[o] || (ecube_pkg::fault == ecube_pkg::FaultRelease && passing_tail[o]);
    assign owners[o*N+:N] = owner;

    always_comb begin
      wire_next = '0;
      for (int k = 0; k < N; k++) begin
        if (owned[o] && owner[k]) wire_next = wire_next | wire_i[k*WIDTH+:WIDTH];
        if (grant_here[k]) wire_next = wire_next | {ecube_pkg::WireProbe, probe_next[k*Payload+:Payload]};
      end
    end

    // The acknowledge of the circuit that came in by input o.
    always_comb begin
      acknowledge_next = 1'b0;
      for (int k = 0; k < N; k++)
      if (owned[k] && owners[k*N+o] && acknowledge_i[k] && !(ecube_pkg::fault == ecube_pkg::FaultAcknowledge && k == DIM - 1))
        acknowledge_next = 1'b1;
    end

    ecube_link #(
        .WIDTH(WIDTH)
    ) link (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .wire_i(wire_next),
        .acknowledge_i(acknowledge_next),
        .wire_o(drive[o*WIDTH+:WIDTH]),
        .acknowledge_o(acknowledge[o])
    );
    assign wire_busy[o] = drive[o*WIDTH+Payload+:2] != ecube_pkg::WireIdle;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owned[o] <= 1'b0;
        owner <= '0;
        granted[o] <= 1'b0;
        released[o] <= 1'b0;
      end else begin
        granted[o] <= granting[o];
        released[o] <= passing_tail[o];
        if (granting[o]) begin
          owned[o] <= 1'b1;
          owner <= grant_here;
        end else if (passing_tail[o]) owned[o] <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // An output belongs to at most one circuit, until the tail has passed: from the edge after, the output can be
        // granted.
        `ECUBE_ASSERT(one_owner)(!owned[o] || (owner != '0 && (owner & (owner - 1'b1)) == '0 && (owner & ~held) == '0));
        `ECUBE_ASSERT(held_until_tail)(!owned[o] || !granting[o]);
        `ECUBE_ASSERT(owned_when_granted)(owned[o] || !granted[o]);
        `ECUBE_ASSERT(free_after_tail)(!released[o] || !owned[o]);
        // A probe leaves by the lowest dimension of its route, which is then cleared; by an eject port when no
        // dimension remains.
        `ECUBE_ASSERT(dimension_behind_probe)(drive[o*WIDTH+Payload+:2] != ecube_pkg::WireProbe || (granted[o] && (drive[o*WIDTH+:DIM] & Behind) == '0));
        // Phits leave by owned outputs; a tail by an output that was owned until then.
        `ECUBE_ASSERT(phits_by_owned_outputs)(!wire_busy[o] || owned[o] || released[o]);
        // Acknowledges come back to circuits.
        `ECUBE_ENVIRONMENT(!acknowledge_i[o] || owned[o]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) refused <= '0;
    else refused <= requesting & ~won;
  end

`ifdef ECUBE_ONE_MODULE
  // The first cycle resets. Then a grant stays until its tail, and acknowledges come back along granted outputs.
  logic started;
  initial started = 1'b0;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    assume (started != rst_i);
    assume (route_delay_i != '0);
  end
  for (o = 0; o < N; o++) begin : g_stays
    always_ff @(posedge clk_i) begin
      if (started && !rst_i && !$past(rst_i) && $past(owned[o]) && !$past(passing_tail[o]))
        `ECUBE_ASSERT(owner_stays)(owned[o] && owners[o*N+:N] == $past(owners[o*N+:N]));
      // An acknowledge goes back by the input that the output is connected to.
      if (started && !rst_i && !$past(rst_i) && $past(owned[o]) && $past(acknowledge_i[o]))
        `ECUBE_ASSERT(acknowledge_goes_back)((acknowledge & $past(owners[o*N+:N])) != '0);
    end
  end
  // A held input owns an output.
  for (i = 0; i < N; i++) begin : g_has
    logic [N-1:0] outputs;
    for (o = 0; o < N; o++) begin : g_output
      assign outputs[o] = owned[o] && owners[o*N+i];
    end
    always_ff @(posedge clk_i) if (!rst_i) `ECUBE_ASSERT(held_has_output)(held[i] == (outputs != '0));
  end
`endif

  assign moving_o = wire_busy != '0 || acknowledge != '0 || counting != '0 || granting != '0 ||
      (requesting & ~refused) != '0;

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
  logic [N*2-1:0] states;  // [input]
  logic [N*TIME-1:0] delays;  // [input]
  logic [N*Payload-1:0] probes;  // [input]
  for (i = 0; i < N; i++) begin : g_registers
    assign states[i*2+:2] = g_input[i].state;
    assign delays[i*TIME+:TIME] = g_input[i].delay;
    assign probes[i*Payload+:Payload] = g_input[i].probe;
  end

  ecube_router_properties #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME)
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
      .owned_i(owned)
  );
`endif
endmodule
