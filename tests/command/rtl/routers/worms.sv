// SPDX-License-Identifier: Apache-2.0
// A router for worms as somebody else would write it: buffers are rings, owners and pointers are numbers, and one process
// has all registers. routers.txt makes others of it, right ones and wrong ones.
module ecube_worm_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + 21,
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
  localparam int Bits = $clog2(N);
  localparam int Payload = Width - 2;
  localparam logic [1:0] Probe = 2'd1;
  localparam logic [1:0] Tail = 2'd3;

  typedef logic [Bits-1:0] number_t;
  typedef logic [3:0] place_t;  // in a ring

  // Inputs.
  logic [Width-1:0] ring_q[N*Buffer];
  place_t first_q[N], stored_q[N], stays[N];
  logic [Time-1:0] left_q[N];
  logic [Width-1:0] word[N], head[N];
  logic [N-1:0] comes, empty, waits, asks, leaves, tails, tail_q, stop_q, refused_q;
  number_t target[N];

  // Outputs.
  logic [N-1:0] free, wanted, grants, sends, ends, busy, paced;
  logic [N-1:0] owned_q, closing_q, granted_q, released_q;
  number_t owner_q[N];
  number_t pointer_q[N];
  number_t winner[N];
  logic [Time-1:0] pace_q[N];
  logic [Width-1:0] out_q[N];

  function automatic number_t output_of(input logic [Dim-1:0] route, input int arrived);
    output_of = number_t'(Ports == 1 ? Dim : arrived < Dim ? Dim + arrived : arrived);
    for (int d = Dim - 1; d >= 0; d--) if (route[d]) output_of = number_t'(d);
  endfunction

  function automatic logic [Width-1:0] onward(input logic [Width-1:0] probe);
    onward = probe;
    onward[Dim-1:0] = probe[Dim-1:0] & (probe[Dim-1:0] - 1'b1);
  endfunction

  always_comb begin
    leaves = '0;
    for (int i = 0; i < N; i++) begin
      word[i] = wire_i[i*Width+:Width];
      comes[i] = word[i][Payload+:2] != 2'd0;
      empty[i] = stored_q[i] == '0;
      head[i] = empty[i] ? word[i] : ring_q[i*Buffer+int'(first_q[i])];
      waits[i] = !empty[i] && head[i][Payload+:2] == Probe;
      asks[i] = waits[i] && left_q[i] == Time'(1);
      target[i] = output_of(head[i][Dim-1:0], i);
      tails[i] = tail_q[i] || word[i][Payload+:2] == Tail;
    end
    for (int o = 0; o < N; o++) begin
      paced[o] = pace_q[o] != '0;
      free[o] = !paced[o] && !acknowledge_i[o];
      wanted[o] = 1'b0;
      winner[o] = '0;
      for (int k = N - 1; k >= 0; k--) begin
        if (asks[(int'(pointer_q[o]) + k) % N] && int'(target[(int'(pointer_q[o]) + k) % N]) == o) begin
          wanted[o] = 1'b1;
          winner[o] = number_t'((int'(pointer_q[o]) + k) % N);
        end
      end
      grants[o] = free[o] && !owned_q[o] && wanted[o];
      sends[o] = free[o] && owned_q[o] && head[owner_q[o]][Payload+1];
      ends[o] = sends[o] && head[owner_q[o]][Payload+:2] == Tail;
      if (grants[o]) leaves[winner[o]] = 1'b1;
      if (sends[o]) leaves[owner_q[o]] = 1'b1;
    end
    for (int i = 0; i < N; i++) stays[i] = stored_q[i] + place_t'(comes[i]) - place_t'(leaves[i]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tail_q <= '0;
      stop_q <= '0;
      refused_q <= '0;
      owned_q <= '0;
      closing_q <= '0;
      granted_q <= '0;
      released_q <= '0;
      for (int i = 0; i < N; i++) begin
        first_q[i] <= '0;
        stored_q[i] <= '0;
        left_q[i] <= '0;
        owner_q[i] <= '0;
        pointer_q[i] <= '0;
        pace_q[i] <= '0;
        out_q[i] <= '0;
      end
    end else begin
      granted_q <= grants;
      released_q <= closing_q & free;
      closing_q <= ends | (closing_q & ~free);
      refused_q <= asks & ~leaves;
      for (int i = 0; i < N; i++) begin
        stored_q[i] <= stays[i];
        tail_q[i] <= tails[i] && stays[i] != '0;
        stop_q[i] <= stays[i] == place_t'(Buffer) || (tails[i] && stays[i] != '0);
        if (comes[i] && (!empty[i] || !leaves[i])) ring_q[i*Buffer+(int'(first_q[i])+int'(stored_q[i]))%Buffer] <= word[i];
        if (leaves[i] && !empty[i]) first_q[i] <= place_t'((int'(first_q[i]) + 1) % Buffer);
        if (word[i][Payload+:2] == Probe) left_q[i] <= route_delay_i;
        else if (waits[i] && !asks[i]) left_q[i] <= left_q[i] - 1'b1;
      end
      for (int o = 0; o < N; o++) begin
        out_q[o] <= '0;
        if (paced[o]) pace_q[o] <= pace_q[o] - 1'b1;
        if (grants[o] || sends[o]) pace_q[o] <= phit_cycles_i - 1'b1;
        if (sends[o]) out_q[o] <= head[owner_q[o]];
        if (ends[o]) owned_q[o] <= 1'b0;
        if (grants[o]) begin
          out_q[o] <= onward(head[winner[o]]);
          owned_q[o] <= 1'b1;
          owner_q[o] <= winner[o];
          pointer_q[o] <= number_t'((int'(winner[o]) + 1) % N);
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
      owners_o[i*N+int'(owner_q[i])] = 1'b1;
      if (asks[i]) asking_o[i*N+int'(target[i])] = 1'b1;
    end
    moving_o = busy != '0 || paced != '0 || (waits & ~asks) != '0 || (grants | sends) != '0 || (asks & ~refused_q) != '0 ||
        (closing_q & ~acknowledge_i) != '0;
  end
  assign acknowledge_o = stop_q;
  assign granted_o = granted_q;
  assign released_o = released_q;
  assign refused_o = refused_q;
endmodule
