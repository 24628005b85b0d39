// SPDX-License-Identifier: Apache-2.0
// Observes the worms of a router: the words that an input holds, how long ago its probe came in, which output its worm
// has, and how long ago an output drove a word. Uses the router's wires, grants and departures only.
module ecube_worm_observer #(
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
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] grant_i,  // [output][input], at the edge to come
    input logic [(DIM+PORTS)*(DIM+PORTS)-1:0] passing_i,  // [output][input], a phit leaves at the edge to come

    output logic [(DIM+PORTS)*BUFFER*WIDTH-1:0] words_o,  // [input] that are waiting, the newest lowest
    output logic [(DIM+PORTS)*$clog2(BUFFER+2)-1:0] count_o,  // [input] how many
    output logic [(DIM+PORTS)*WIDTH-1:0] oldest_o,  // [input] the word that leaves next; it may be on the wire
    output logic [DIM+PORTS-1:0] present_o,  // inputs that have such a word
    output logic [(DIM+PORTS)*TIME-1:0] age_o,  // [input] edges since the probe was seen, counted up to the route delay
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] worm_o,  // [output][input] the worm of this input has this output
    output logic [(DIM+PORTS)*TIME-1:0] driven_ago_o  // [output] edges since a word was driven, counted up to c
);
  localparam int N = DIM + PORTS;
  localparam int Payload = WIDTH - 2;
  localparam int Count = $clog2(BUFFER + 2);

  for (genvar i = 0; i < N; i++) begin : g_input
    logic [BUFFER*WIDTH-1:0] words;
    logic [Count-1:0] count;
    logic [WIDTH-1:0] arrived, oldest;
    logic arrives, leaves, tail_leaves;
    logic [N-1:0] worm, grants, departures;

    for (genvar o = 0; o < N; o++) begin : g_output
      assign grants[o] = grant_i[o*N+i];
      assign departures[o] = passing_i[o*N+i];
      assign worm_o[o*N+i] = worm[o];
    end
    assign arrived = wire_i[i*WIDTH+:WIDTH];
    assign arrives = arrived[Payload+:2] != ecube_pkg::WireIdle;
    assign leaves = grants != '0 || departures != '0;
    assign tail_leaves = departures != '0 && oldest[Payload+:2] == ecube_pkg::WireTail;
    always_comb begin
      oldest = arrived;
      for (int k = 0; k < BUFFER; k++) if (count == Count'(k + 1)) oldest = words[k*WIDTH+:WIDTH];
    end
    assign words_o[i*BUFFER*WIDTH+:BUFFER*WIDTH] = words;
    assign count_o[i*Count+:Count] = count;
    assign oldest_o[i*WIDTH+:WIDTH] = oldest;
    assign present_o[i] = count != '0 || arrives;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        words <= '0;
        count <= '0;
        worm <= '0;
        age_o[i*TIME+:TIME] <= '0;
      end else begin
        if (arrives) words <= (words << WIDTH) | (BUFFER * WIDTH)'(arrived);
        count <= count + Count'(arrives) - Count'(leaves);
        if (arrived[Payload+:2] == ecube_pkg::WireProbe) age_o[i*TIME+:TIME] <= TIME'(1);
        else if (age_o[i*TIME+:TIME] < route_delay_i) age_o[i*TIME+:TIME] <= age_o[i*TIME+:TIME] + 1'b1;
        if (grants != '0) worm <= grants;
        else if (tail_leaves) worm <= '0;
      end
    end
  end

  for (genvar o = 0; o < N; o++) begin : g_driven
    logic [TIME-1:0] ago;
    assign driven_ago_o[o*TIME+:TIME] = ago;
    always_ff @(posedge clk_i) begin
      if (rst_i) ago <= phit_cycles_i;
      else if (grant_i[o*N+:N] != '0 || passing_i[o*N+:N] != '0) ago <= TIME'(1);
      else if (ago < phit_cycles_i) ago <= ago + 1'b1;
    end
  end
endmodule
