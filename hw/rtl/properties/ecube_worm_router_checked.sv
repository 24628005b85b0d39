// SPDX-License-Identifier: Apache-2.0
// A router for worms, with the pins of the router, and beside it every rule that it obeys and what
// induction needs to know of its registers: they are those that the observer has.
module ecube_worm_router_checked #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
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
  localparam int Count = $clog2(Buffer + 2);
  // A count of many bits and its rest are asked for one input at a time (`induct` of proofs.sh).
  localparam int Together = Time > 8 ? 1 : N;

`ifdef YOSYS
  // yosys connects wires of these names when it flattens the router.
  (* hierconn *) logic [N*Buffer*Width-1:0] \router.flits_q ;
  (* hierconn *) logic [N*Count-1:0] \router.count_q ;
  (* hierconn *) logic [N*Time-1:0] \router.delay_q , \router.until_phit_q ;
  (* hierconn *) logic [N-1:0] \router.owned , \router.closing_q ;
  (* hierconn *) logic [N*N-1:0] \router.grant , \router.passing , \router.at_or_after ;
`endif
  ecube_worm_router #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer)
  ) router (.*);

  logic [N*Buffer*Width-1:0] flits;
  logic [N*Count-1:0] count;
  logic [N*Time-1:0] age, driven_ago;
  logic [N*N-1:0] worm;
  ecube_worm_rules #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time),
      .Buffer(Buffer),
      .Bits(N * (Buffer * Width + Count + 2 * Time + N + 2))
  ) rules (
      .stop_i(acknowledge_o),
      .driven_i(wire_o),
      .stopped_i(acknowledge_i),
      .grant_i(router.grant),
      .passing_i(router.passing),
      .granted_i(granted_o),
      .released_i(released_o),
      .refused_i(refused_o),
      .owners_i(owners_o),
      .asking_i(asking_o),
      .moving_i(moving_o),
      .closing_i(router.closing_q),
      .at_or_after_i(router.at_or_after),
      .registers_i({
        router.flits_q, router.count_q, router.delay_q, router.until_phit_q, owners_o,
            router.owned, router.closing_q
      }),
      .flits_o(flits),
      .count_o(count),
      .age_o(age),
      .worm_o(worm),
      .driven_ago_o(driven_ago),
      .*
  );

  ecube_first_reset first_reset (.*);

  logic [N-1:0] other_flits, other_count, other_delay, other_owner, other_pace, other_report;
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [Count-1:0] held_here;
      held_here = count[i*Count+:Count];
      other_count[i] = router.count_q[i*Count+:Count] != held_here || held_here > Count'(Buffer);
      other_flits[i] = 1'b0;
      for (int held = 1; held <= Buffer; held++)
      for (int k = 0; k < held; k++)
      if (held_here == Count'(held) && router.flits_q[(i*Buffer+k)*Width+:Width] !=
          flits[(i*Buffer+held-1-k)*Width+:Width])
        other_flits[i] = 1'b1;
      other_delay[i] = 1'b0;
      for (int held = 1; held <= Buffer; held++)
      if (held_here == Count'(held) && flits[(i*Buffer+held-1)*Width+Width-2+:2] ==
          ecube_pkg::WireProbe)
        other_delay[i] = router.delay_q[i*Time+:Time] != route_delay_i - age[i*Time+:Time] + 1'b1 ||
            age[i*Time+:Time] == '0 || age[i*Time+:Time] > route_delay_i;
      other_owner[i] = router.owned[i] != (worm[i*N+:N] != '0);
      other_pace[i] =
          router.until_phit_q[i*Time+:Time] != phit_cycles_i - driven_ago[i*Time+:Time] ||
          driven_ago[i*Time+:Time] > phit_cycles_i || driven_ago[i*Time+:Time] == '0;
      other_report[i] = granted_o[i] && wire_o[i*Width+Width-2+:2] != ecube_pkg::WireProbe;
    end

  logic [Time-1:0] route_delay, phit_cycles;  // at the edge before: they are constant in a run
  logic steady;
  always_ff @(posedge clk_i) begin
    route_delay <= route_delay_i;
    phit_cycles <= phit_cycles_i;
    steady <= 1'b1;
    if (!rst_i) begin
      `ECUBE_ENVIRONMENT(route_delay_i != '0 && phit_cycles_i > Time'(1));
      `ECUBE_ENVIRONMENT(!steady || (route_delay == route_delay_i && phit_cycles == phit_cycles_i));
      `ECUBE_REGISTER(count_is_observed)(other_count == '0);
      `ECUBE_REGISTER(flits_are_observed)(other_flits == '0);
      for (int i = 0; i < N; i += Together) begin
        `ECUBE_REGISTER(delay_is_the_rest)(other_delay[i+:Together] == '0);
        `ECUBE_REGISTER(pace_is_the_rest)(other_pace[i+:Together] == '0);
      end
      `ECUBE_REGISTER(owned_is_observed)(other_owner == '0);
      `ECUBE_REGISTER(reports_come_with_flits)(other_report == '0);
    end
  end
endmodule
