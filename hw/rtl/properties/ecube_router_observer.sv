// SPDX-License-Identifier: Apache-2.0
// Observes the circuits of a router: which probe came in by which input, how long ago, and which
// output the circuit has had since. Uses the router's wires and grants only, so a rule about
// circuits does not rest on the router's registers.
module ecube_router_observer #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,
    input logic [(Dim+Ports)*Width-1:0] wire_i,
    input logic [(Dim+Ports)*(Dim+Ports)-1:0] grant_i,  // [output][input], at the edge to come

    output logic [Dim+Ports-1:0] seeking_o,  // inputs whose probe has no output yet
    // [input] edges since the probe was seen, counted up to the route delay.
    output logic [(Dim+Ports)*Time-1:0] age_o,
    output logic [(Dim+Ports)*(Width-2)-1:0] probe_o,  // [input] the probe as it came in
    // [output][input] the circuit of this input has this output.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] circuit_o
);
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;

  logic [N-1:0] comes, ends;  // inputs where a probe, or a tail, is on the wire
  always_comb
    for (int i = 0; i < N; i++) begin
      comes[i] = wire_i[i*Width+Payload+:2] == ecube_pkg::WireProbe;
      ends[i] = wire_i[i*Width+Payload+:2] == ecube_pkg::WireTail;
    end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      seeking_o <= '0;
      age_o <= '0;
      probe_o <= '0;
      circuit_o <= '0;
    end else begin
      for (int i = 0; i < N; i++) begin
        if (comes[i]) begin
          seeking_o[i] <= 1'b1;
          age_o[i*Time+:Time] <= Time'(1);
          probe_o[i*Payload+:Payload] <= wire_i[i*Width+:Payload];
        end else if (age_o[i*Time+:Time] < route_delay_i) begin
          age_o[i*Time+:Time] <= age_o[i*Time+:Time] + 1'b1;
        end
        for (int o = 0; o < N; o++) begin
          if (grant_i[o*N+i]) begin
            seeking_o[i] <= 1'b0;
            circuit_o[o*N+i] <= 1'b1;
          end else if (ends[i]) circuit_o[o*N+i] <= 1'b0;
        end
      end
    end
  end
endmodule
