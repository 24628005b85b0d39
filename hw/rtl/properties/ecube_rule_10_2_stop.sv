// SPDX-License-Identifier: Apache-2.0
// Rule 10.2: the stop is driven if after that edge the buffer is full or holds a tail. A flit is
// driven if there is one, no stop was seen, and c edges have gone since the flit before; never
// otherwise.
module ecube_rule_10_2_stop #(
    parameter int N = 4,
    parameter int Width = 8,
    parameter int Time = 32,
    parameter int Buffer = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] phit_cycles_i,
    input logic [N*Buffer*Width-1:0] flits_i,  // [input], the newest lowest
    input logic [N*$clog2(Buffer+2)-1:0] count_i,  // [input]
    input logic [N*Width-1:0] oldest_i,  // [input]
    input logic [N-1:0] present_i,  // inputs
    input logic [N*N-1:0] worm_i,  // [output][input]
    input logic [N*Time-1:0] driven_ago_i,  // [output]
    input logic [N*N-1:0] grant_i,  // [output][input], at the edge to come
    input logic [N*N-1:0] passing_i,  // [output][input], at the edge to come
    input logic [N-1:0] stop_i,  // [input] what the router drives
    input logic [N-1:0] stopped_i  // [output] what comes back
);
  localparam int Count = $clog2(Buffer + 2);

  logic [N-1:0] full, has_tail, probes;  // inputs
  logic [N-1:0] paces, stops, idle, not_its_own;  // outputs
  always_comb begin
    for (int i = 0; i < N; i++) begin
      full[i] = count_i[i*Count+:Count] >= Count'(Buffer);
      has_tail[i] = 1'b0;
      for (int k = 0; k < Buffer; k++)
      if (Count'(k) < count_i[i*Count+:Count] && flits_i[(i*Buffer+k)*Width+Width-2+:2] ==
          ecube_pkg::WireTail)
        has_tail[i] = 1'b1;
      probes[i] = oldest_i[i*Width+Width-2+:2] == ecube_pkg::WireProbe;
    end
    for (int o = 0; o < N; o++) begin
      logic [N-1:0] worm, passing;
      logic driving, paced;
      worm = worm_i[o*N+:N];
      passing = passing_i[o*N+:N];
      driving = grant_i[o*N+:N] != '0 || passing != '0;
      paced = driven_ago_i[o*Time+:Time] < phit_cycles_i;
      paces[o] = driving && paced;
      stops[o] = driving && stopped_i[o];
      idle[o] = !paced && !stopped_i[o] && (worm & present_i & ~passing) != '0;
      not_its_own[o] = (passing & ~(worm & present_i & ~probes)) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      `ECUBE_RULE(stop_when_full)((full & ~stop_i) == '0);
      `ECUBE_RULE(stop_with_a_tail)((has_tail & ~stop_i) == '0);
      `ECUBE_RULE(no_other_stop)((stop_i & ~full & ~has_tail) == '0);
      `ECUBE_RULE(flits_keep_the_pace)(paces == '0);
      `ECUBE_RULE(no_flit_onto_a_stopped_link)(stops == '0);
      `ECUBE_RULE(flits_do_not_wait_without_reason)(idle == '0);
      `ECUBE_RULE(phits_leave_by_the_output_of_their_probe)(not_its_own == '0);
    end
  end
endmodule
