// SPDX-License-Identifier: Apache-2.0
// Every rule of hw/README.md that a router for worms obeys, applied to its wires and to what it reports. The router
// passes its registers for the proof by induction.
module ecube_worm_properties #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 8,
    parameter int TIME = 32,
    parameter int BUFFER = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [TIME-1:0] route_delay_i,
    input logic [TIME-1:0] phit_cycles_i,
    input logic [(DIM+PORTS)*WIDTH-1:0] wire_i,
    input logic [DIM+PORTS-1:0] stop_i,  // back along wire_i
    input logic [(DIM+PORTS)*WIDTH-1:0] driven_i,
    input logic [DIM+PORTS-1:0] stopped_i,  // back along driven_i
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] grant_i,  // [output][input], at the edge to come
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] passing_i,  // [output][input], at the edge to come
    input logic [DIM+PORTS-1:0] granted_i,
    input logic [DIM+PORTS-1:0] released_i,
    input logic [DIM+PORTS-1:0] refused_i,
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners_i,
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking_i,
    input logic moving_i,

    input logic [(DIM+PORTS)*BUFFER*WIDTH-1:0] buffer_i,
    input logic [(DIM+PORTS)*$clog2(BUFFER+2)-1:0] filled_i,
    input logic [(DIM+PORTS)*TIME-1:0] delay_i,
    input logic [DIM+PORTS-1:0] owned_i,
    input logic [DIM+PORTS-1:0] waiting_i,
    input logic [(DIM+PORTS)*TIME-1:0] until_phit_i
);
  localparam int N = DIM + PORTS;
  localparam int Count = $clog2(BUFFER + 2);

  logic [N-1:0] busy, present, ends_stop;
  logic [N*BUFFER*WIDTH-1:0] words;
  logic [N*Count-1:0] count;
  logic [N*WIDTH-1:0] oldest;
  logic [N*TIME-1:0] age, driven_ago;
  logic [N*N-1:0] worm;
  logic [N-1:0] waits;
  logic [N*DIM-1:0] routes;
  always_comb
    for (int i = 0; i < N; i++) begin
      busy[i] = wire_i[i*WIDTH+WIDTH-2+:2] != ecube_pkg::WireIdle;
      waits[i] = count[i*Count+:Count] != '0 && oldest[i*WIDTH+WIDTH-2+:2] == ecube_pkg::WireProbe;
      routes[i*DIM+:DIM] = oldest[i*WIDTH+:DIM];
    end
  // A stop that ends lets words move, so it counts as coming in.
  always_ff @(posedge clk_i) ends_stop <= stopped_i;

  ecube_worm_observer #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
  ) observer (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .wire_i(wire_i),
      .grant_i(grant_i),
      .passing_i(passing_i),
      .words_o(words),
      .count_o(count),
      .oldest_o(oldest),
      .present_o(present),
      .age_o(age),
      .worm_o(worm),
      .driven_ago_o(driven_ago)
  );

  ecube_rule_2_4_order #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH)
  ) rule_2_4 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .wire_i(wire_i),
      .driven_i(driven_i),
      .waits_i(waits),
      .route_i(routes),
      .asking_i(asking_i),
      .held_i(worm)
  );

  ecube_rule_10_1_buffer #(
      .DIM(DIM),
      .N(N),
      .WIDTH(WIDTH)
  ) rule_10_1 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .oldest_i(oldest),
      .grant_i(grant_i),
      .passing_i(passing_i),
      .driven_i(driven_i)
  );

  ecube_rule_10_2_stop #(
      .N(N),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
  ) rule_10_2 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .phit_cycles_i(phit_cycles_i),
      .words_i(words),
      .count_i(count),
      .oldest_i(oldest),
      .present_i(present),
      .worm_i(worm),
      .driven_ago_i(driven_ago),
      .grant_i(grant_i),
      .passing_i(passing_i),
      .stop_i(stop_i),
      .stopped_i(stopped_i)
  );

  ecube_rule_10_3_probe #(
      .DIM(DIM),
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
  ) rule_10_3 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .oldest_i(oldest),
      .count_i(count),
      .age_i(age),
      .asking_i(asking_i)
  );

  ecube_rule_10_4_hold #(
      .N(N),
      .WIDTH(WIDTH),
      .TIME(TIME)
  ) rule_10_4 (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .phit_cycles_i(phit_cycles_i),
      .oldest_i(oldest),
      .worm_i(worm),
      .owners_i(owners_i),
      .driven_ago_i(driven_ago),
      .asking_i(asking_i),
      .grant_i(grant_i),
      .passing_i(passing_i),
      .stopped_i(stopped_i),
      .granted_i(granted_i),
      .released_i(released_i),
      .refused_i(refused_i),
      .waiting_i(waiting_i)
  );

  ecube_still #(
      .BITS(N * (BUFFER * WIDTH + Count + 2 * TIME + WIDTH + N + 5))
  ) still (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .moving_i(moving_i),
      .comes_i(busy != '0 || (ends_stop & ~stopped_i) != '0),
      .registers_i({
        buffer_i, filled_i, delay_i, until_phit_i, driven_i, owners_i, owned_i, waiting_i, stop_i, granted_i, refused_i
      })
  );

  ecube_worm_registers #(
      .N(N),
      .WIDTH(WIDTH),
      .TIME(TIME),
      .BUFFER(BUFFER)
  ) registers (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(route_delay_i),
      .phit_cycles_i(phit_cycles_i),
      .words_i(words),
      .count_i(count),
      .age_i(age),
      .worm_i(worm),
      .driven_ago_i(driven_ago),
      .buffer_i(buffer_i),
      .filled_i(filled_i),
      .delay_i(delay_i),
      .owned_i(owned_i),
      .until_phit_i(until_phit_i),
      .driven_i(driven_i),
      .granted_i(granted_i)
  );
endmodule
