// The rules of the specification, their observers, and each module with its rules beside it, after the sources of
// ecube.f. ecube_end_to_end.sv is for proofs only.
ecube_arbiter_checked.sv
ecube_first_reset.sv
ecube_interface_port_checked.sv
ecube_router_checked.sv
ecube_router_observer.sv
ecube_router_rules.sv
ecube_rule_10_2_stop.sv
ecube_rule_10_5_receiving.sv
ecube_rule_10_5_sending.sv
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
ecube_still.sv
ecube_worm_observer.sv
ecube_worm_port_checked.sv
ecube_worm_router_checked.sv
ecube_worm_rules.sv
