// SPDX-License-Identifier: Apache-2.0
// A router for circuits, with the pins of the router, and beside it every rule that it obeys and
// what induction needs to know of its registers: they are those that the observer has. Induction
// starts in any state, so the rules also tie the registers to the pins.
module ecube_router_checked #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    output logic [Dim+Ports-1:0] acknowledge_o,
    output logic [(Dim+Ports)*Width-1:0] wire_o,
    input logic [Dim+Ports-1:0] acknowledge_i,
    output logic [Dim+Ports-1:0] granted_o,
    output logic [Dim+Ports-1:0] released_o,
    output logic [Dim+Ports-1:0] refused_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,
    output logic moving_o
);
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;
  // A count of many bits and its rest are asked for one input at a time (`induct` of proofs.sh).
  localparam int Together = Time > 8 ? 1 : N;

`ifdef YOSYS
  // yosys connects wires of these names when it flattens the router.
  (* hierconn *) logic [N-1:0] \router.counting_q , \router.requesting_q , \router.held_q ,
      \router.owned ;
  (* hierconn *) logic [N*Time-1:0] \router.delay_q ;
  (* hierconn *) logic [N*Payload-1:0] \router.probe_q ;
  (* hierconn *) logic [N*N-1:0] \router.grant , \router.at_or_after ;
`endif
  ecube_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) router (.*);

  logic [N-1:0] seeking;
  logic [N*Time-1:0] age;
  logic [N*Payload-1:0] probe;
  logic [N*N-1:0] circuit;
  ecube_router_rules #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Bits(N * (4 + Time + Payload + N))
  ) rules (
      .acknowledged_i(acknowledge_o),
      .driven_i(wire_o),
      .grant_i(router.grant),
      .granted_i(granted_o),
      .released_i(released_o),
      .refused_i(refused_o),
      .owners_i(owners_o),
      .asking_i(asking_o),
      .moving_i(moving_o),
      .at_or_after_i(router.at_or_after),
      .registers_i({
        router.counting_q, router.requesting_q, router.held_q, router.owned, router.delay_q,
            router.probe_q, owners_o
      }),
      .seeking_o(seeking),
      .age_o(age),
      .probe_o(probe),
      .circuit_o(circuit),
      .*
  );

  ecube_first_reset first_reset (.*);

  logic [N-1:0] other_state, other_delay, other_probe, other_owner, other_word;
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [N-1:0] outputs;
      logic [1:0] kind;
      for (int o = 0; o < N; o++) outputs[o] = circuit[o*N+i];
      other_state[i] = seeking[i] != (router.counting_q[i] || router.requesting_q[i]) ||
          router.held_q[i] != (outputs != '0);
      other_delay[i] =
          seeking[i] && (router.delay_q[i*Time+:Time] != route_delay_i - age[i*Time+:Time] + 1'b1 ||
          age[i*Time+:Time] == '0 || age[i*Time+:Time] > route_delay_i);
      other_probe[i] =
          seeking[i] && router.probe_q[i*Payload+:Payload] != probe[i*Payload+:Payload];
      other_owner[i] = router.owned[i] != (circuit[i*N+:N] != '0);
      kind = wire_o[i*Width+Payload+:2];
      other_word[i] = granted_o[i] != (kind == ecube_pkg::WireProbe) || released_o[i] !=
          (kind == ecube_pkg::WireTail);
    end

  logic [Time-1:0] route_delay;  // at the edge before: it is constant in a run
  logic steady;
  always_ff @(posedge clk_i) begin
    route_delay <= route_delay_i;
    steady <= 1'b1;
    if (!rst_i) begin
      `ECUBE_ENVIRONMENT(route_delay_i != '0 && (!steady || route_delay == route_delay_i));
      `ECUBE_REGISTER(state_is_observed)(other_state == '0);
      for (int i = 0; i < N; i += Together) begin
        `ECUBE_REGISTER(delay_is_the_rest)(other_delay[i+:Together] == '0);
      end
      `ECUBE_REGISTER(probe_is_kept)(other_probe == '0);
      `ECUBE_REGISTER(owned_is_observed)(other_owner == '0);
      `ECUBE_REGISTER(reports_come_with_words)(other_word == '0);
    end
  end
endmodule
