// SPDX-License-Identifier: Apache-2.0
// Networks that are no cubes as pages draw them.
#include "testbench/report/run_data.h"
#include "tests/test.h"

namespace ecube::network_data_test {
namespace {

Topology topology(const std::string& text) { return *Topology::parse(text); }

TEST(NetworkPicture, OfAMeshIsAGrid) {
  const auto places = places_of(topology("mesh:5x3"));
  for (NodeId node = 0; node < 15; ++node) {
    EXPECT_EQ(places[node], (std::pair<double, double>(node % 5, -static_cast<int>(node / 5)))) << node;
  }
}

TEST(NetworkPicture, HasNoNodeUponAnother) {
  for (const char* const text : {"mesh:4x4x4", "generalised:4x4x4", "generalised:3x4x5", "generalised:8x8",
                                 "mesh:2x2x3", "generalised:4+mesh:4x3", "generalised:3x3x3x3", "mesh:3x2x3x2x3"}) {
    const auto places = places_of(topology(text));
    double nearest = 1e9;
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        nearest = std::min(nearest, std::hypot(places[a].first - places[b].first, places[a].second - places[b].second));
      }
    EXPECT_GT(nearest, 0.5) << text;
  }
}

TEST(NetworkPicture, HasTheLinksAndTheWaysOfCircuits) {
  const Json circuits = {{"columns", {{"source", {0, 8}}, {"destination", {5, 0}}}}};
  const Json data = network_data(topology("mesh:3x3"), circuits, nullptr);
  EXPECT_EQ(data["outputs"], Json({"+x", "-x", "+y", "-y"}));
  EXPECT_EQ(data["links"].size(), topology("mesh:3x3").links());
  // 0 +x 1 +x 2 +y 5, and 8 -x 7 -x 6 -y 3 -y 0.
  EXPECT_EQ(data["paths"], Json({{0, 4, 10}, {33, 29, 27, 15}}));
  EXPECT_EQ(network_data(topology("generalised:4"), nullptr, nullptr)["outputs"], Json({"x + 1", "x + 2", "x + 3"}));
}

TEST(NetworkPicture, HasTheLinksOfPlanesThatWereUpOrTuned) {
  const Json circuits = {{"columns", {{"source", {0, 3}}, {"destination", {1, 1}}, {"inject_port", {0, 1}}}}};
  const Json dark = {{2, 1, 3, 10, 14}};
  const Json data = network_data(Topology::on_planes(2, 2), circuits, dark);
  EXPECT_EQ(data["links"], Json({{0, 0, 1}, {2, 1, 1}, {3, 1, 1}}));
  EXPECT_EQ(data["paths"], Json({{0}, {7}}));
}

}  // namespace
}  // namespace ecube::network_data_test
