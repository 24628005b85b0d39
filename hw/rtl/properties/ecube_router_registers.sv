// SPDX-License-Identifier: Apache-2.0
// The registers of a router are those that its observer has. A proof by induction needs these statements, because it
// starts in any state; what they say of the pins, the rules say.
module ecube_router_registers #(
    parameter int N = 4,
    parameter int WIDTH = 8,
    parameter int TIME = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [TIME-1:0] route_delay_i,
    input logic [N-1:0] seeking_i,
    input logic [N*TIME-1:0] age_i,
    input logic [N*(WIDTH-2)-1:0] probe_i,
    input logic [N*N-1:0] circuit_i,

    input logic [N*2-1:0] state_i,
    input logic [N*TIME-1:0] delay_i,
    input logic [N*(WIDTH-2)-1:0] register_i,
    input logic [N-1:0] owned_i,
    input logic [N-1:0] granted_i,
    input logic [N-1:0] released_i,
    input logic [N*WIDTH-1:0] driven_i
);
  logic [N-1:0] other_word;
  logic [N-1:0] other_state, other_delay, other_probe, other_owner, other_time;
  logic [TIME-1:0] route_delay;  // at the edge before: it is constant in a run
  logic steady;
  always_comb
    for (int i = 0; i < N; i++) begin
      logic [N-1:0] outputs;
      logic [1:0] state, kind;
      for (int o = 0; o < N; o++) outputs[o] = circuit_i[o*N+i];
      state = seeking_i[i] ? ecube_pkg::InputSeeking : outputs != '0 ? ecube_pkg::InputHeld : ecube_pkg::InputIdle;
      other_state[i] = state_i[i*2+:2] != state;
      other_probe[i] = seeking_i[i] && register_i[i*(WIDTH-2)+:WIDTH-2] != probe_i[i*(WIDTH-2)+:WIDTH-2];
      other_delay[i] = seeking_i[i] && delay_i[i*TIME+:TIME] != route_delay_i - age_i[i*TIME+:TIME] + 1'b1;
      other_time[i] = seeking_i[i] && (age_i[i*TIME+:TIME] == '0 || age_i[i*TIME+:TIME] > route_delay_i);
      other_owner[i] = owned_i[i] != (circuit_i[i*N+:N] != '0);
      kind = driven_i[i*WIDTH+WIDTH-2+:2];
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
