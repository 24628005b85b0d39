// SPDX-License-Identifier: Apache-2.0
// The parts of a report page.
#pragma once

namespace ecube {

extern const char* const
    page_html;  ///< with marks where the rest goes: {{title}}, {{css}}, {{echarts}}, {{data}}, {{js}}
extern const char* const page_css;
extern const char* const page_js;

}  // namespace ecube
