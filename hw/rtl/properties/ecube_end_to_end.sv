// SPDX-License-Identifier: Apache-2.0
// End to end: on a whole fabric every node sends one message at most, at any edge, to any node, of
// one phit or two. Each message arrives once, at source XOR route and at no other node, at the
// edges of rule 3.7 after it left, in time, and has its eject port no longer than its way back and
// its phits take. The neighbours' assumptions of every router and port are assertions here (phits
// in order, and one circuit at a time).
module ecube_end_to_end #(
    parameter int Dim = 1,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 3,
    // Edges from the probe to receiver ready, with everything in the way; 0 for no limit.
    parameter int Limit = 18,
    // The routes of all nodes, Dim bits each and node 0 lowest; with -1 they are any.
    parameter int Routes = -1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [(1<<Dim)-1:0] start_i
);
  localparam int Nodes = 1 << Dim;
  localparam int Age = $clog2(Limit + 2);

  (* anyconst *) logic [Nodes*Dim-1:0] any_route;
  logic [Nodes*Dim-1:0] route;
  assign route = Routes < 0 ? any_route : (Nodes * Dim)'(Routes);
  (* anyconst *) logic [Nodes-1:0] longer;  // two phits
  logic [Nodes*Time-1:0] phits;
  logic [Nodes*ecube_pkg::SequenceBits-1:0] sequences;
  logic [Nodes-1:0] sent_first, sent_tail, probe_seen, received_first, received_tail;
  logic [Nodes*Width-1:0] probe;
  always_comb
    for (int n = 0; n < Nodes; n++) begin
      phits[n*Time+:Time] = longer[n] ? Time'(2) : Time'(1);
      sequences[n*ecube_pkg::SequenceBits+:ecube_pkg::SequenceBits] = '0;
    end

  ecube_fabric #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) fabric (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .route_delay_i(Time'(1)),
      .accept_delay_i(Time'(1)),
      .phit_cycles_i(Time'(1)),
      .phit_extra_num_i(Time'(0)),
      .phit_extra_den_i(Time'(1)),
      .setup_i(Time'(0)),
      .together_only_i(1'b0),
      .together_i(Time'(0)),
      .start_i(start_i),
      .route_i(route),
      .sequence_i(sequences),
      .phits_i(phits),
      .engine_i({Nodes{1'b1}}),
      .sent_first_o(sent_first),
      .sent_tail_o(sent_tail),
      .probe_seen_o(probe_seen),
      .received_first_o(received_first),
      .received_tail_o(received_tail),
      .probe_o(probe)
  );

  ecube_first_reset first_reset (.*);

  function automatic logic [3:0] hops_of(input logic [Dim-1:0] way);
    hops_of = '0;
    for (int i = 0; i < Dim; i++) hops_of = hops_of + 4'(way[i]);
  endfunction
  // 15 and more are 15, later than any arrival.
  function automatic logic [3:0] later(input logic [3:0] edges);
    later = edges + 4'(edges != '1);
  endfunction

  logic [Nodes-1:0] sent, delivered;  // no node starts twice
  always_ff @(posedge clk_i) begin
    sent <= rst_i ? '0 : sent | start_i;
    assume (rst_i ? start_i == '0 : (start_i & sent) == '0);
  end

  // What arrives at an edge, by the node it comes from; edges since the probe, and since the tail
  // left.
  logic [Nodes-1:0] arrives, seen, astray, at_home;
  logic [Nodes*Age-1:0] age;
  logic [Nodes*4-1:0] since_tail, since_first;  // [source]
  logic [Nodes*4-1:0] since_seen;  // [destination] edges since the probe came
  logic [Nodes-1:0] too_late, twice, early_or_late, first_early_or_late, slow, unsent;
  always_comb begin
    arrives = '0;
    seen = '0;
    astray = '0;
    first_early_or_late = '0;
    slow = '0;
    for (int n = 0; n < Nodes; n++)
    for (int s = 0; s < Nodes; s++)
    if (probe[n*Width+Dim+:Dim] == Dim'(s)) begin
      if (probe_seen[n]) seen[s] = 1'b1;
      if (received_tail[n]) arrives[s] = 1'b1;
      if ((probe_seen[n] || received_tail[n]) && (Dim'(s) ^ route[s*Dim+:Dim]) != Dim'(n)) begin
        astray[n] = 1'b1;
      end
      if (received_first[n]) begin
        first_early_or_late[n] = since_first[s*4+:4] != hops_of(route[s*Dim+:Dim]) + 4'd1;
      end
      // A + 2 h + 3 + (n - 1) c edges, less the edge at which the count begins.
      if (received_tail[n]) begin
        slow[n] = since_seen[n*4+:4] !=
            (hops_of(route[s*Dim+:Dim]) << 1) + 4'd3 + 4'(longer[s]);
      end
    end
    for (int s = 0; s < Nodes; s++) begin
      logic [3:0] hops;
      hops = hops_of(route[s*Dim+:Dim]);
      at_home[s] = hops == '0;
      too_late[s] = Limit != 0 && sent[s] && !delivered[s] && age[s*Age+:Age] > Age'(Limit);
      twice[s] = arrives[s] && delivered[s];
      unsent[s] = (arrives[s] || seen[s]) && !sent[s];
      early_or_late[s] = arrives[s] && since_tail[s*4+:4] != hops + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    delivered <= rst_i ? '0 : delivered | arrives;
    for (int s = 0; s < Nodes; s++) begin
      if (rst_i || start_i[s]) age[s*Age+:Age] <= Age'(2);
      else if (age[s*Age+:Age] != '1) age[s*Age+:Age] <= age[s*Age+:Age] + 1'b1;
      since_tail[s*4+:4] <= rst_i ? '1 : sent_tail[s] ? '0 : later(since_tail[s*4+:4]);
      since_first[s*4+:4] <= rst_i ? '1 : sent_first[s] ? '0 : later(since_first[s*4+:4]);
      since_seen[s*4+:4] <= rst_i ? '1 : probe_seen[s] ? '0 : later(since_seen[s*4+:4]);
    end
    if (!rst_i) begin
      `ECUBE_RULE(arrives_at_source_xor_route)(astray == '0);
      `ECUBE_RULE(arrives_once)(twice == '0);
      `ECUBE_RULE(nothing_arrives_unsent)(unsent == '0);
      `ECUBE_RULE(first_phit_arrives_after_its_hops)(first_early_or_late == '0);
      `ECUBE_RULE(tail_arrives_after_its_hops)(early_or_late == '0);
      `ECUBE_RULE(eject_port_is_given_back)(slow == '0);
      `ECUBE_RULE(arrives_in_time)(too_late == '0);
`ifdef ECUBE_REACHED
      // Meant to fail, to show that all messages can arrive: two phits of every node, at another
      // node unless the routes are given.
      `ECUBE_RULE(never_all_delivered)
        (delivered != '1 || longer != '1 || (Routes < 0 && at_home != '0));
`endif
    end
  end
endmodule
