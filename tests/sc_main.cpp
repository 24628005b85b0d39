// SPDX-License-Identifier: Apache-2.0
// The entry point that libsystemc refers to; tests have GoogleTest's main instead. Also the handling of SystemC's
// reports in tests.
#include <gtest/gtest.h>

#include <systemc>

namespace {

/// Every warning of SystemC fails the test in which it comes.
void fail_on_warning(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const bool shown = (actions & sc_core::SC_DO_NOTHING) == 0;
  if (report.get_severity() == sc_core::SC_WARNING && shown) ADD_FAILURE() << report.what();
  sc_core::sc_report_handler::default_handler(report, actions);
}

[[maybe_unused]] const auto installed = sc_core::sc_report_handler::set_handler(fail_on_warning);

}  // namespace

int sc_main(int, char**) { return 0; }
