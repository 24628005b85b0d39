// The rules of the specification and their observers, after the sources of ecube.f, with the macro ECUBE_PROPERTIES.
// ecube_end_to_end.sv is for proofs only.
ecube_router_observer.sv
ecube_router_properties.sv
ecube_router_registers.sv
ecube_rule_2_1_ports.sv
ecube_rule_2_2_probe.sv
ecube_rule_2_3_arbitration.sv
ecube_rule_2_3_waiting.sv
ecube_rule_2_4_order.sv
ecube_rule_2_5_acknowledge.sv
ecube_rule_2_6_release.sv
ecube_rule_3_2_receiving.sv
ecube_rule_3_5_sending.sv
ecube_rule_3_6_forwarding.sv
ecube_rule_10_1_buffer.sv
ecube_rule_10_2_stop.sv
ecube_rule_10_3_probe.sv
ecube_rule_10_4_hold.sv
ecube_rule_10_5_receiving.sv
ecube_rule_10_5_sending.sv
ecube_still.sv
ecube_worm_observer.sv
ecube_worm_properties.sv
ecube_worm_registers.sv
