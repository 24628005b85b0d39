# SPDX-License-Identifier: Apache-2.0
# Static timing by OpenSTA of the netlist $netlist with the cells of $liberty, before placement: no wires. The reset goes
# to every register, and what drives it is for the layout to buffer; its paths are left out.
read_liberty $liberty
read_verilog $netlist
link_design $top
create_clock -name clock -period 10 [get_ports clk_i]
set_false_path -through [get_nets reset_q]
report_checks -path_delay max
exit
