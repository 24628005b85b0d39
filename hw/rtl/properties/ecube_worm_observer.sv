// SPDX-License-Identifier: Apache-2.0
// Observes the worms of a router: the flits that an input holds, how long ago its probe came in,
// which output its worm has, and how long ago an output drove a flit. Uses the router's wires,
// grants and departures only.
module ecube_worm_observer #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] grant_i,  // [output][input], at the edge to come
    // [output][input], a phit leaves at the edge to come.
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] passing_i,

    // [input] that are waiting, the newest lowest.
    output logic [(Dim+Ports)*Buffer*Width-1:0] flits_o,
    output logic [(Dim+Ports)*$clog2(Buffer+2)-1:0] count_o,  // [input] how many
    // [input] the flit that leaves next; it may be on the wire.
    output logic [(Dim+Ports)*Width-1:0] oldest_o,
    output logic [Dim+Ports-1:0] present_o,  // inputs that have such a flit
    // [input] edges since the probe was seen, counted up to the route delay.
    output logic [(Dim+Ports)*Time-1:0] age_o,
    // [output][input] the worm of this input has this output.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] worm_o,
    // [output] edges since a flit was driven, counted up to c.
    output logic [(Dim+Ports)*Time-1:0] driven_ago_o
);
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;
  localparam int Count = $clog2(Buffer + 2);

  for (genvar i = 0; i < N; i++) begin : g_input
    logic [Buffer*Width-1:0] flits;
    logic [Count-1:0] count;
    logic [Width-1:0] arrived, oldest;
    logic arrives, leaves, tail_leaves;
    logic [N-1:0] worm, grants, departures;

    for (genvar o = 0; o < N; o++) begin : g_output
      assign grants[o] = grant_i[o*N+i];
      assign departures[o] = passing_i[o*N+i];
      assign worm_o[o*N+i] = worm[o];
    end
    assign arrived = wire_i[i*Width+:Width];
    assign arrives = arrived[Payload+:2] != ecube_pkg::WireIdle;
    assign leaves = grants != '0 || departures != '0;
    assign tail_leaves = departures != '0 && oldest[Payload+:2] == ecube_pkg::WireTail;
    always_comb begin
      oldest = arrived;
      for (int k = 0; k < Buffer; k++) if (count == Count'(k + 1)) oldest = flits[k*Width+:Width];
    end
    assign flits_o[i*Buffer*Width+:Buffer*Width] = flits;
    assign count_o[i*Count+:Count] = count;
    assign oldest_o[i*Width+:Width] = oldest;
    assign present_o[i] = count != '0 || arrives;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        flits <= '0;
        count <= '0;
        worm <= '0;
        age_o[i*Time+:Time] <= '0;
      end else begin
        if (arrives) flits <= (flits << Width) | (Buffer * Width)'(arrived);
        count <= count + Count'(arrives) - Count'(leaves);
        if (arrived[Payload+:2] == ecube_pkg::WireProbe) age_o[i*Time+:Time] <= Time'(1);
        else if (age_o[i*Time+:Time] < route_delay_i) begin
          age_o[i*Time+:Time] <= age_o[i*Time+:Time] + 1'b1;
        end
        if (grants != '0) worm <= grants;
        else if (tail_leaves) worm <= '0;
      end
    end
  end

  for (genvar o = 0; o < N; o++) begin : g_driven
    logic [Time-1:0] ago;
    assign driven_ago_o[o*Time+:Time] = ago;
    always_ff @(posedge clk_i) begin
      if (rst_i) ago <= phit_cycles_i;
      else if (grant_i[o*N+:N] != '0 || passing_i[o*N+:N] != '0) ago <= Time'(1);
      else if (ago < phit_cycles_i) ago <= ago + 1'b1;
    end
  end
endmodule
