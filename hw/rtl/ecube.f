// The sources of the RTL in the order in which tools read them: verilator -F ecube.f; from this folder also
// iverilog -g2012 -c ecube.f and others. The CMake build, `verify` and ecube.core have this list too.
ecube_pkg.sv
ecube_parameters.sv
ecube_route.sv
ecube_arbiter.sv
ecube_output.sv
ecube_router.sv
ecube_worm_router.sv
ecube_sender.sv
ecube_receiver.sv
ecube_interface_port.sv
ecube_worm_port.sv
ecube_node.sv
ecube_fabric.sv
