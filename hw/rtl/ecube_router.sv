// SPDX-License-Identifier: Apache-2.0
// Router of a circuit-switched hypercube, hw/README.md section 2. Inputs and outputs are numbered
// alike: the dimensions, then the node's ports. Inputs lead probes on; an output belongs to one
// circuit until its tail has passed.
module ecube_router #(
    parameter int Dim = 3,
    parameter int Ports = 1,
    parameter int Width = 2 * Dim + ecube_pkg::PortBits + ecube_pkg::SequenceBits + 2,
    parameter int Time = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [Time-1:0] route_delay_i,  // r >= 1, constant in a run

    input logic [(Dim+Ports)*Width-1:0] wire_i,
    output logic [Dim+Ports-1:0] acknowledge_o,  // back along wire_i
    output logic [(Dim+Ports)*Width-1:0] wire_o,
    input logic [Dim+Ports-1:0] acknowledge_i,  // back along wire_o

    // For the observer: what happened at the last edge.
    output logic [Dim+Ports-1:0] granted_o,  // outputs that were given to a circuit
    output logic [Dim+Ports-1:0] released_o,  // outputs whose owner's tail was processed
    output logic [Dim+Ports-1:0] refused_o,  // inputs that asked and were refused
    // [output][input], the input connected to an output.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] owners_o,
    // [input][output], the output an input asks for.
    output logic [(Dim+Ports)*(Dim+Ports)-1:0] asking_o,
    output logic moving_o  // something changes at the next edge without anything new coming in
);
  ecube_parameters #(
      .Dim(Dim),
      .Ports(Ports),
      .Width(Width),
      .Time(Time)
  ) parameters ();

  localparam int N = Dim + Ports;
  localparam int Payload = Width - 2;

  // Inputs. An input in none of these states is idle. Whether an input asks, and for which output,
  // is in registers: neither the count nor the route is in the path of the arbiters.
  logic [N-1:0] counting_q;  // its route delay
  logic [N-1:0] requesting_q;  // an output
  logic [N-1:0] held_q;  // connected, until the tail
  logic [N*Time-1:0] delay_q;
  logic [N*Payload-1:0] probe_q, probe_next;  // as it came in, and as it leaves
  logic [N*N-1:0] asked_q;  // [input][output], at this edge
  logic [N-1:0] probe, phit, tail;  // on the wire
  logic [N-1:0] won, refused_q;
  logic [N-1:0] acknowledge_q;

  // Outputs.
  logic [N*N-1:0] grant, passing, owners, at_or_after;  // [output][input]
  logic [N-1:0] owned, tail_passes, busy, released_q;
  logic [N*Width-1:0] drive;

  // A signal of its own, because reading an output in SystemC gives the value of the delta cycle
  // before.
  assign wire_o = drive;
  assign acknowledge_o = acknowledge_q;
  assign refused_o = refused_q;
  assign released_o = released_q;
  assign owners_o = owners;
  assign asking_o = asked_q;

  // For properties.
  logic unused_of_outputs;
  assign unused_of_outputs = &{1'b0, at_or_after, passing};

  for (genvar i = 0; i < N; i++) begin : g_input
    logic [1:0] kind;
    logic [Dim-1:0] route, remaining;
    logic [N-1:0] wanted, grants, outputs;
    logic arrives, asks_next;

    assign kind = wire_i[i*Width+Payload+:2];
    assign probe[i] = kind == ecube_pkg::WireProbe;
    assign tail[i] = kind == ecube_pkg::WireTail;
    assign phit[i] = kind == ecube_pkg::WirePhit || tail[i];
    assign arrives = probe[i] && !counting_q[i] && !requesting_q[i] && !held_q[i];
    for (genvar o = 0; o < N; o++) begin : g_output
      assign grants[o] = grant[o*N+i];
      assign outputs[o] = owned[o] && owners[o*N+i];
    end
    assign won[i] = grants != '0;

    assign route = arrives ? wire_i[i*Width+:Dim] : probe_q[i*Payload+:Dim];
    ecube_route #(
        .Dim(Dim),
        .Ports(Ports),
        .Input(i)
    ) routing (
        .route_i(route),
        .wanted_o(wanted),
        .remaining_o(remaining)
    );
    assign probe_next[i*Payload+:Payload] = {probe_q[i*Payload+Dim+:Payload-Dim], remaining};
    assign asks_next =
        counting_q[i] ? delay_q[i*Time+:Time] == Time'(2) : arrives && route_delay_i == Time'(1);

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        counting_q[i] <= 1'b0;
        requesting_q[i] <= 1'b0;
        held_q[i] <= 1'b0;
        delay_q[i*Time+:Time] <= '0;
        probe_q[i*Payload+:Payload] <= '0;
        asked_q[i*N+:N] <= '0;
        refused_q[i] <= 1'b0;
        acknowledge_q[i] <= 1'b0;
      end else begin
        counting_q[i] <= (arrives || counting_q[i]) && !asks_next;
        requesting_q[i] <= asks_next || (requesting_q[i] && !won[i]);
        held_q[i] <= won[i] || (held_q[i] && !tail[i]);
        delay_q[i*Time+:Time] <=
            arrives ? route_delay_i : delay_q[i*Time+:Time] - Time'(counting_q[i]);
        probe_q[i*Payload+:Payload] <=
            arrives ? wire_i[i*Width+:Payload] : probe_q[i*Payload+:Payload];
        asked_q[i*N+:N] <= asks_next ? wanted : won[i] ? '0 : asked_q[i*N+:N];
        refused_q[i] <= requesting_q[i] && !won[i];
        // The acknowledge of the circuit that came in here.
        acknowledge_q[i] <= (outputs & acknowledge_i) != '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // A probe comes to an input without a circuit, phits come to an input with one.
        `ECUBE_ENVIRONMENT(!probe[i] || arrives);
        `ECUBE_ENVIRONMENT(!phit[i] || held_q[i]);
        // A probe waits r cycles and then asks for one output, the lowest dimension first, until it
        // is granted.
        `ECUBE_ASSERT(one_state)((counting_q[i] && (requesting_q[i] || held_q[i])) == 1'b0 &&
            !(requesting_q[i] && held_q[i]));
        `ECUBE_ASSERT(waits_route_delay)((!counting_q[i] || delay_q[i*Time+:Time] > Time'(1)) &&
            (!requesting_q[i] || delay_q[i*Time+:Time] == Time'(1)));
        `ECUBE_ASSERT(asks_for_one_output)(wanted != '0 && (wanted & (wanted - 1'b1)) == '0);
        `ECUBE_ASSERT(asks_by_route)(asked_q[i*N+:N] == (requesting_q[i] ? wanted : '0));
        `ECUBE_ASSERT(granted_one_output)((grants & (grants - 1'b1)) == '0);
        `ECUBE_ASSERT(refused_asked)(!refused_q[i] || requesting_q[i]);
        // A held input has one output.
        `ECUBE_ASSERT(one_output)
          ((outputs & (outputs - 1'b1)) == '0 && (outputs != '0) == held_q[i]);
      end
    end
  end

  for (genvar o = 0; o < N; o++) begin : g_output
    logic [N-1:0] requests;
    for (genvar i = 0; i < N; i++) begin : g_request
      assign requests[i] = asked_q[i*N+o];
    end

    ecube_output #(
        .Dim(Dim),
        .Ports(Ports),
        .Width(Width),
        .Output(o)
    ) part (
        .clk_i,
        .rst_i,
        .ready_i(1'b1),
        .request_i(requests),
        .probe_i(probe_next),
        .word_i(wire_i),
        .phit_i(phit),
        .tail_i(tail),
        .grant_o(grant[o*N+:N]),
        .passing_o(passing[o*N+:N]),
        .at_or_after_o(at_or_after[o*N+:N]),
        .owner_o(owners[o*N+:N]),
        .owned_o(owned[o]),
        .tail_o(tail_passes[o]),
        .granted_o(granted_o[o]),
        .wire_o(drive[o*Width+:Width])
    );
    assign busy[o] = drive[o*Width+Payload+:2] != ecube_pkg::WireIdle;

    always_ff @(posedge clk_i) begin
      released_q[o] <= !rst_i && tail_passes[o];
    end

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        // The tail has passed: from the edge after, the output can be granted.
        `ECUBE_ASSERT(free_after_tail)(!released_q[o] || !owned[o]);
        // Phits leave by owned outputs; a tail by an output that was owned until then.
        `ECUBE_ASSERT(phits_by_owned_outputs)(!busy[o] || owned[o] || released_q[o]);
        // Acknowledges come back to circuits.
        `ECUBE_ENVIRONMENT(!acknowledge_i[o] || owned[o]);
      end
    end
  end

  assign moving_o = busy != '0 || acknowledge_q != '0 || counting_q != '0 || grant != '0 ||
      (requesting_q & ~refused_q) != '0;
endmodule
