// SPDX-License-Identifier: Apache-2.0
// An output of a router, for circuits or for worms: its arbiter, the input that it belongs to until
// the tail has left, and the register that drives its wire.
module ecube_output #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 8,
    parameter int Output = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic ready_i,  // a word may be driven at this edge

    // [input]
    input logic [Dim+Ports-1:0] request_i,
    input logic [(Dim+Ports)*(Width-2)-1:0] probe_i,  // as it leaves
    input logic [(Dim+Ports)*Width-1:0] word_i,
    input logic [Dim+Ports-1:0] phit_i,  // the word is a phit
    input logic [Dim+Ports-1:0] tail_i,  // the word is a tail
    output logic [Dim+Ports-1:0] grant_o,  // at the edge to come
    output logic [Dim+Ports-1:0] passing_o,  // a phit leaves at the edge to come
    output logic [Dim+Ports-1:0] at_or_after_o,  // the arbiter's pointer
    output logic [Dim+Ports-1:0] owner_o,  // of a free output the last one

    output logic owned_o,
    output logic tail_o,  // leaves at the edge to come
    output logic granted_o,  // at the last edge
    output logic [Width-1:0] wire_o
);
  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;
  // Dimensions that a probe has behind it when it leaves here.
  localparam logic [Dim-1:0] Behind = Output < Dim ? ~({Dim{1'b1}} << (Output + 1)) : '1;

  logic owned_q, granted_q;
  logic [N-1:0] owner_q;
  logic [Width-1:0] wire_q, wire_d;
  assign owned_o = owned_q;
  assign owner_o = owner_q;
  assign granted_o = granted_q;
  assign wire_o = wire_q;

  ecube_arbiter #(
      .Inputs(N)
  ) arbiter (
      .clk_i,
      .rst_i,
      .free_i(!owned_q && ready_i),
      .request_i,
      .grant_o,
      .at_or_after_o
  );
  assign passing_o = owned_q && ready_i ? owner_q & phit_i : '0;
  assign tail_o = (passing_o & tail_i) != '0;

  always_comb begin
    wire_d = '0;
    for (int k = 0; k < N; k++) begin
      if (passing_o[k]) begin
        wire_d = wire_d | word_i[k*Width+:Width];
      end
      if (grant_o[k]) begin
        wire_d = wire_d | {ecube_pkg::WireProbe, probe_i[k*Payload+:Payload]};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      owned_q <= 1'b0;
      owner_q <= '0;
      granted_q <= 1'b0;
      wire_q <= '0;
    end else begin
      owned_q <= grant_o != '0 || (owned_q && !tail_o);
      owner_q <= grant_o != '0 ? grant_o : owner_q;
      granted_q <= grant_o != '0;
      wire_q <= wire_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      // An output belongs to at most one message, until the tail has left.
      `ECUBE_ASSERT(one_owner)(!owned_q || (owner_q != '0 && (owner_q & (owner_q - 1'b1)) == '0));
      `ECUBE_ASSERT(held_until_tail)(!owned_q || grant_o == '0);
      `ECUBE_ASSERT(owned_when_granted)(owned_q || !granted_q);
      // A probe leaves by the lowest dimension of its route, which is then cleared; by an eject
      // port when no dimension remains.
      `ECUBE_ASSERT(dimension_behind_probe)
        (wire_q[Payload+:2] != ecube_pkg::WireProbe ||
            (granted_q && (wire_q[Dim-1:0] & Behind) == '0));
    end
  end
endmodule
