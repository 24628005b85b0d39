// SPDX-License-Identifier: Apache-2.0
// A router for circuits as somebody else would write it: owners and pointers are numbers, and one process has all
// registers. routers.txt makes others of it, right ones and wrong ones.
module ecube_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + 21,
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
  localparam int Bits = $clog2(N);
  localparam int Payload = Width - 2;
  localparam logic [1:0] Probe = 2'd1;
  localparam logic [1:0] Tail = 2'd3;

  typedef logic [Bits-1:0] number_t;

  // Inputs.
  logic [N-1:0] seeks_q;
  logic [Time-1:0] left_q[N];
  logic [Payload-1:0] probe_q[N];
  logic [N-1:0] asks;
  number_t target[N];
  logic [Width-1:0] word[N];
  logic [N-1:0] probes, tails;

  // Outputs.
  logic [N-1:0] owned_q, wanted, busy;
  number_t owner_q[N];
  number_t pointer_q[N];
  number_t winner[N];
  logic [Width-1:0] out_q[N];
  logic [N-1:0] back_q, granted_q, released_q, refused_q;

  function automatic number_t output_of(input logic [Dim-1:0] route, input int arrived);
    output_of = number_t'(Ports == 1 ? Dim : arrived < Dim ? Dim + arrived : arrived);
    for (int d = Dim - 1; d >= 0; d--) if (route[d]) output_of = number_t'(d);
  endfunction

  function automatic logic [Payload-1:0] onward(input logic [Payload-1:0] probe);
    onward = probe;
    onward[Dim-1:0] = probe[Dim-1:0] & (probe[Dim-1:0] - 1'b1);
  endfunction

  always_comb begin
    for (int i = 0; i < N; i++) begin
      word[i] = wire_i[i*Width+:Width];
      probes[i] = word[i][Payload+:2] == Probe;
      tails[i] = word[i][Payload+:2] == Tail;
      target[i] = output_of(probe_q[i][Dim-1:0], i);
      asks[i] = seeks_q[i] && left_q[i] == Time'(1);
    end
    for (int o = 0; o < N; o++) begin
      wanted[o] = 1'b0;
      winner[o] = '0;
      for (int k = N - 1; k >= 0; k--) begin
        if (asks[(int'(pointer_q[o]) + k) % N] && int'(target[(int'(pointer_q[o]) + k) % N]) == o) begin
          wanted[o] = 1'b1;
          winner[o] = number_t'((int'(pointer_q[o]) + k) % N);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      seeks_q <= '0;
      owned_q <= '0;
      back_q <= '0;
      granted_q <= '0;
      released_q <= '0;
      refused_q <= '0;
      for (int i = 0; i < N; i++) begin
        left_q[i] <= '0;
        probe_q[i] <= '0;
        owner_q[i] <= '0;
        pointer_q[i] <= '0;
        out_q[i] <= '0;
      end
    end else begin
      back_q <= '0;
      granted_q <= '0;
      released_q <= '0;
      refused_q <= asks;
      for (int i = 0; i < N; i++) begin
        if (probes[i]) begin
          seeks_q[i] <= 1'b1;
          left_q[i] <= route_delay_i;
          probe_q[i] <= word[i][Payload-1:0];
        end else if (seeks_q[i] && !asks[i]) begin
          left_q[i] <= left_q[i] - 1'b1;
        end
      end
      for (int o = 0; o < N; o++) begin
        out_q[o] <= '0;
        if (owned_q[o]) begin
          out_q[o] <= word[owner_q[o]];
          if (acknowledge_i[o]) back_q[owner_q[o]] <= 1'b1;
          if (tails[owner_q[o]]) begin
            owned_q[o] <= 1'b0;
            released_q[o] <= 1'b1;
          end
        end else if (wanted[o]) begin
          out_q[o] <= {Probe, onward(probe_q[winner[o]])};
          owned_q[o] <= 1'b1;
          owner_q[o] <= winner[o];
          pointer_q[o] <= number_t'((int'(winner[o]) + 1) % N);
          granted_q[o] <= 1'b1;
          seeks_q[winner[o]] <= 1'b0;
          refused_q[winner[o]] <= 1'b0;
        end
      end
    end
  end

  always_comb begin
    owners_o = '0;
    asking_o = '0;
    for (int i = 0; i < N; i++) begin
      wire_o[i*Width+:Width] = out_q[i];
      busy[i] = out_q[i][Payload+:2] != 2'd0;
      if (owned_q[i]) owners_o[i*N+int'(owner_q[i])] = 1'b1;
      if (asks[i]) asking_o[i*N+int'(target[i])] = 1'b1;
    end
    moving_o = busy != '0 || back_q != '0 || (seeks_q & ~asks) != '0 || (wanted & ~owned_q) != '0 || (asks & ~refused_q) != '0;
  end
  assign acknowledge_o = back_q;
  assign granted_o = granted_q;
  assign released_o = released_q;
  assign refused_o = refused_q;
endmodule
