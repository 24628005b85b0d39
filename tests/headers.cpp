// SPDX-License-Identifier: Apache-2.0
// A target needs a source; what this one is for is its precompiled headers.
