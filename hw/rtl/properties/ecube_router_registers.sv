// SPDX-License-Identifier: Apache-2.0
// The registers of a router are those that its observer has. A proof by induction needs these statements, because it
// starts in any state; what they say of the pins, the rules say.
module ecube_router_registers #(
    parameter int N = 4,
    parameter int Width = 8,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [N-1:0] seeking_i,
    input logic [N*Time-1:0] age_i,
    input logic [N*(Width-2)-1:0] probe_i,
    input logic [N*N-1:0] circuit_i,

    input logic [N*2-1:0] state_i,
    input logic [N*Time-1:0] delay_i,
    input logic [N*(Width-2)-1:0] register_i,
    input logic [N-1:0] owned_i,
    input logic [N-1:0] granted_i,
    input logic [N-1:0] released_i,
    input logic [N*Width-1:0] driven_i
);
  logic [N-1:0] other_word;
  logic [N-1:0] other_state, other_delay, other_probe, other_owner, other_time;
  logic [Time-1:0] route_delay;  // at the edge before: it is constant in a run
  logic steady;
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [N-1:0] outputs;
      logic [1:0] state, kind;
      for (int o = 0; o < N; o++) outputs[o] = circuit_i[o*N+i];
      state = seeking_i[i] ? ecube_pkg::InputSeeking : outputs != '0 ? ecube_pkg::InputHeld : ecube_pkg::InputIdle;
      other_state[i] = state_i[i*2+:2] != state;
      other_probe[i] = seeking_i[i] && register_i[i*(Width-2)+:Width-2] != probe_i[i*(Width-2)+:Width-2];
      other_delay[i] = seeking_i[i] && delay_i[i*Time+:Time] != route_delay_i - age_i[i*Time+:Time] + 1'b1;
      other_time[i] = seeking_i[i] && (age_i[i*Time+:Time] == '0 || age_i[i*Time+:Time] > route_delay_i);
      other_owner[i] = owned_i[i] != (circuit_i[i*N+:N] != '0);
      kind = driven_i[i*Width+Width-2+:2];
      other_word[i] = granted_i[i] != (kind == ecube_pkg::WireProbe) || released_i[i] != (kind == ecube_pkg::WireTail);
    end

  always_ff @(posedge clk_i) begin
    route_delay <= route_delay_i;
    steady <= 1'b1;
    if (!rst_i) begin
      `ECUBE_ENVIRONMENT(!steady || route_delay == route_delay_i);
      `ECUBE_REGISTER(state_is_observed)(other_state == '0);
      `ECUBE_REGISTER(delay_is_the_rest)(other_delay == '0 && other_time == '0);
      `ECUBE_REGISTER(probe_is_kept)(other_probe == '0);
      `ECUBE_REGISTER(reports_come_with_words)(other_word == '0);
      `ECUBE_REGISTER(owned_is_observed)(other_owner == '0);
    end
  end
endmodule
