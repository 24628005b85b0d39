// SPDX-License-Identifier: Apache-2.0
// One node's part of the fabric: its router and the ports of its network interface. Verilated once, whatever the number
// of nodes; that is why its label is an input.
module ecube_node #(
    parameter int DIM = 3,
    parameter int PORTS = 1,
    parameter int WIDTH = 2 * DIM + 2,
    parameter int TIME = 32,
    parameter int WORMS = 0,  // 1: wormhole switching, acknowledges carry stops
    parameter int BUFFER = 1  // words of a buffer of worms
) (
    input logic clk,
    input logic reset,
    input logic [DIM-1:0] node,

    input logic [TIME-1:0] route_delay,
    input logic [TIME-1:0] accept_delay,
    input logic [TIME-1:0] phit_cycles,
    input logic [TIME-1:0] phit_extra_num,
    input logic [TIME-1:0] phit_extra_den,
    input logic [TIME-1:0] setup,
    input logic together_only,
    input logic [TIME-1:0] together,

    input logic [PORTS-1:0] start,
    input logic [PORTS*DIM-1:0] route,
    input logic [PORTS*TIME-1:0] phits,

    input logic [DIM*WIDTH-1:0] wire_in,
    output logic [DIM-1:0] acknowledge_out,
    output logic [DIM*WIDTH-1:0] wire_out,
    input logic [DIM-1:0] acknowledge_in,

    output logic [DIM+PORTS-1:0] granted,
    output logic [DIM+PORTS-1:0] released,
    output logic [DIM+PORTS-1:0] refused,
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] owners,
    output logic [(DIM+PORTS)*(DIM+PORTS)-1:0] asking,
    output logic [PORTS-1:0] sent_first,
    output logic [PORTS-1:0] sent_tail,
    output logic [PORTS-1:0] sent,
    output logic [PORTS-1:0] probe_seen,
    output logic [PORTS-1:0] acknowledged,
    output logic [PORTS-1:0] received_first,
    output logic [PORTS-1:0] received_tail,
    output logic moving
);
  /* verilator hier_block */
`ifdef ECUBE_FAULT_INPUT
  initial void'($value$plusargs("ecube_fault=%d", ecube_pkg::fault));
`endif
  logic [PORTS*WIDTH-1:0] inject_wire, eject_wire;
  logic [PORTS-1:0] inject_acknowledge, eject_acknowledge;
  logic [PORTS-1:0] port_moving;
  logic router_moving;

  genvar p;

  if (WORMS == 0) begin : g_circuits
    logic [PORTS-1:0] sending, late;

    ecube_router #(
        .DIM(DIM),
        .PORTS(PORTS),
        .WIDTH(WIDTH),
        .TIME(TIME)
    ) router (
        .clk(clk),
        .reset(reset),
        .route_delay(route_delay),
        .wire_in({inject_wire, wire_in}),
        .acknowledge_out({inject_acknowledge, acknowledge_out}),
        .wire_out({eject_wire, wire_out}),
        .acknowledge_in({eject_acknowledge, acknowledge_in}),
        .granted(granted),
        .released(released),
        .refused(refused),
        .owners(owners),
        .asking(asking),
        .moving(router_moving)
    );

    for (p = 0; p < PORTS; p++) begin : g_port
      ecube_interface_port #(
          .DIM(DIM),
          .PORTS(PORTS),
          .WIDTH(WIDTH),
          .TIME(TIME)
      ) port (
          .clk(clk),
          .reset(reset),
          .node(node),
          .phit_cycles(phit_cycles),
          .phit_extra_num(phit_extra_num),
          .phit_extra_den(phit_extra_den),
          .accept_delay(accept_delay),
          .setup(setup),
          .together_only(together_only),
          .together(together),
          .start(start[p]),
          .route(route[p*DIM+:DIM]),
          .phits(phits[p*TIME+:TIME]),
          .wire_out(inject_wire[p*WIDTH+:WIDTH]),
          .acknowledge_in(inject_acknowledge[p]),
          .wire_in(eject_wire[p*WIDTH+:WIDTH]),
          .acknowledge_out(eject_acknowledge[p]),
          .sending_ports(sending),
          .late_ports(late),
          .sending(sending[p]),
          .late(late[p]),
          .sent_first(sent_first[p]),
          .sent_tail(sent_tail[p]),
          .sent(sent[p]),
          .probe_seen(probe_seen[p]),
          .accepted(acknowledged[p]),
          .received_first(received_first[p]),
          .received_tail(received_tail[p]),
          .moving(port_moving[p])
      );
    end
  end else begin : g_worms
    // Of circuits only; links of worms take whole cycles for a phit.
    logic unused_circuits;
    assign unused_circuits = &{1'b0, phit_extra_num, phit_extra_den, setup, together_only, together};

    ecube_worm_router #(
        .DIM(DIM),
        .PORTS(PORTS),
        .WIDTH(WIDTH),
        .TIME(TIME),
        .BUFFER(BUFFER)
    ) router (
        .clk(clk),
        .reset(reset),
        .route_delay(route_delay),
        .phit_cycles(phit_cycles),
        .wire_in({inject_wire, wire_in}),
        .stop_out({inject_acknowledge, acknowledge_out}),
        .wire_out({eject_wire, wire_out}),
        .stop_in({eject_acknowledge, acknowledge_in}),
        .granted(granted),
        .released(released),
        .refused(refused),
        .owners(owners),
        .asking(asking),
        .moving(router_moving)
    );

    for (p = 0; p < PORTS; p++) begin : g_port
      ecube_worm_port #(
          .DIM(DIM),
          .WIDTH(WIDTH),
          .TIME(TIME),
          .BUFFER(BUFFER)
      ) port (
          .clk(clk),
          .reset(reset),
          .node(node),
          .phit_cycles(phit_cycles),
          .accept_delay(accept_delay),
          .start(start[p]),
          .route(route[p*DIM+:DIM]),
          .phits(phits[p*TIME+:TIME]),
          .wire_out(inject_wire[p*WIDTH+:WIDTH]),
          .stop_in(inject_acknowledge[p]),
          .wire_in(eject_wire[p*WIDTH+:WIDTH]),
          .stop_out(eject_acknowledge[p]),
          .sent_first(sent_first[p]),
          .sent_tail(sent_tail[p]),
          .sent(sent[p]),
          .probe_seen(probe_seen[p]),
          .accepted(acknowledged[p]),
          .received_first(received_first[p]),
          .received_tail(received_tail[p]),
          .moving(port_moving[p])
      );
    end
  end

  assign moving = router_moving || port_moving != '0;

`ifdef ECUBE_VIEW
  // For waveforms only: links, then eject ports, under the names that the event engine's waveforms have.
  localparam int N = DIM + PORTS;
  typedef enum logic [2:0] {
    idle,
    probing,
    blocked,  // never: a router does not know what becomes of a probe that it has sent on
    held,
    data
  } link_state;
  logic [N*WIDTH-1:0] arriving, leaving;
  logic [N-1:0] answer;
  logic [N*2*DIM-1:0] seen;  // [input]: source and destination of the probe that came in last
  assign arriving = {inject_wire, wire_in};
  assign leaving = {eject_wire, wire_out};
  assign answer = {eject_acknowledge, acknowledge_in};

  for (genvar i = 0; i < N; i++) begin : g_seen
    always_ff @(posedge clk) begin
      if (reset) seen[i*2*DIM+:2*DIM] <= '0;
      else if (arriving[i*WIDTH+WIDTH-2+:2] == ecube_pkg::WireProbe)
        seen[i*2*DIM+:2*DIM] <= {arriving[i*WIDTH+DIM+:DIM], node ^ arriving[i*WIDTH+:DIM]};
    end
  end

  for (genvar o = 0; o < N; o++) begin : g_link
    // Nothing reads what is there to be looked at.
    /* verilator lint_off UNUSEDSIGNAL */
    link_state state;
    logic [2:0] state_code;  // the same as plain bits, which viewers can colour
    logic [47:0] owner;  // "05->09"
    logic [7:0] waiting;  // inputs that ask for it
    logic [39:0] words;  // phits that it has carried
    /* verilator lint_on UNUSEDSIGNAL */

    logic taken, answered, moved, active, carries;
    logic [2*DIM-1:0] circuit;
    assign active = granted[o] || (taken && !(WORMS != 0 && released[o]));
    assign carries = leaving[o*WIDTH+WIDTH-1];  // data or tail
    assign state = !active ? idle : moved || carries ? data : answered && WORMS == 0 ? held : probing;
    assign state_code = state;

    function automatic logic [15:0] digits(logic [DIM-1:0] label);
      digits = {8'h30 + 8'(label) / 8'd10, 8'h30 + 8'(label) % 8'd10};
    endfunction
    assign owner = !active ? 48'h2D : {digits(circuit[DIM+:DIM]), 16'h2D3E, digits(circuit[DIM-1:0])};

    always_comb begin
      circuit = '0;
      waiting = '0;
      for (int k = 0; k < N; k++) begin
        if (owners[o*N+k]) circuit = circuit | seen[k*2*DIM+:2*DIM];
        waiting = waiting + 8'(refused[k] && asking[k*N+o]);
      end
    end

    always_ff @(posedge clk) begin
      if (reset) begin
        taken <= 1'b0;
        answered <= 1'b0;
        moved <= 1'b0;
        words <= '0;
      end else begin
        taken <= granted[o] || (taken && !released[o]);
        answered <= active && (answer[o] || (answered && !granted[o]));
        moved <= active && (carries || (moved && !granted[o]));
        words <= words + 40'(carries);
      end
    end
  end
`endif
endmodule
