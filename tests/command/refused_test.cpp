// SPDX-License-Identifier: Apache-2.0
// Bad input: exit status 2, and the message.
#include "tests/command/shell.h"
#include "tests/test.h"

namespace refused_test {
namespace {

TEST(RunDirectory, ThatCannotBeMadeIsBadInput) {
  const Directory directory;
  std::ofstream(directory / "file") << "not a directory";
  for (const std::string& path : {directory / "file", directory / "file/below", std::string("/proc/ecube")}) {
    const Outcome outcome = ecube("run exchange --dim 2 -o " + path, true);
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_HAS(outcome.output, "cannot write into the directory");
  }
  EXPECT_EQ(directory.files(), std::vector<std::string>{"file"});
}

struct BadInput {
  const char* arguments;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const BadInput& input) { return out << input.arguments; }
};

class Refused : public ::testing::TestWithParam<BadInput> {};

TEST_P(Refused, WithStatus2AndTheReason) {
  const Outcome outcome = ecube(GetParam().arguments, true);
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_HAS(outcome.output, GetParam().says);
  EXPECT_TRUE(ecube(GetParam().arguments).output.empty());
}

INSTANTIATE_TEST_SUITE_P(
    BadInputs, Refused,
    ::testing::Values(
        BadInput{"run exchange --machine idael", "ideal"},
        BadInput{"run exchange --dim 5 --partition 3,3", "sums to 6, but --dim is 5"},
        BadInput{"run exchange --dim 0", "1 .. 20"}, BadInput{"run exchange --dim 21", "1 .. 20"},
        BadInput{"run exchange --dim 99999999999999999999", "error"},
        BadInput{"run exchange --schedule orderd", "ordered"},
        BadInput{"run exchange --set link.bandwith='2.8 MB/s'", "bandwidth"},
        BadInput{"run exchange --set library.send=nan", "library.send"},
        BadInput{"run exchange --set library.send='-5 cycles'", "library.send"},
        BadInput{"run exchange --set library.send=100", "cycles"}, BadInput{"run exchange --jitter soon", "--jitter"},
        BadInput{"run exchange --dim 12 --bytes 1000000", "memory"}, BadInput{"run exchange --dim 13", "--payload"},
        BadInput{"run exchange --bytes -1", "--bytes"}, BadInput{"run exchange --engine evnt", "event"},
        BadInput{"run exchange --engine rtl --dim 7", "up to 6 dimensions"},
        BadInput{"run scatter --dim 3 --root 8", "0 .. 7"}, BadInput{"run broadcast --dim 3 --root -1", "0 .. 7"},
        BadInput{"predict gather --dim 3 --root 9", "0 .. 7"}, BadInput{"best broadcast --dim 2 --root 4", "0 .. 3"},
        BadInput{"run scan --dim 3 --root 1", "unknown option '--root'"},
        BadInput{"run all-gather --dim 3 --algorithm x", "best | doubling"},
        BadInput{"run broadcast --dim 3 --items -1", "0 .. 1073741824"},
        BadInput{"validate scater", "did you mean 'scatter'?"},
        BadInput{"run exchange --sizes zipf", "exponent of 0 to 10"},
        BadInput{"predict exchange --sizes uniform:x", "whole number"},
        BadInput{"run exchange --sizes nofile", "no file of sizes"},
        BadInput{"run exchange --dim 11 --sizes uniform", "1 .. 10"},
        BadInput{"run exchange --ports n --sizes uniform", "--ports one"},
        BadInput{"run exchange --schedule shift --sizes uniform", "--schedule xor"},
        BadInput{"run exchange --set library.barrier=clock --sizes uniform", "none | phase | step"},
        BadInput{"run exchange --payload tags --sizes uniform", "bytes | none"},
        BadInput{"best exchange --measure --sizes uniform", "--measure is for blocks of one size"},
        BadInput{"run exchange --engine clocked --dim 7", "up to 6 dimensions"},
        BadInput{"run exchange --engine rtl --set 'router.route=5000000000 cycles'", "router.route: at most"},
        BadInput{"run exchange --engine rtl --dim 2 --rtl-nodes 0,4", "has no node 4"},
        BadInput{"run exchange --engine rtl --dim 2 --rtl-nodes 0,x", "'x' is no label"},
        BadInput{"run exchange --dim 2 --rtl-nodes all", "--engine event has no nodes that could be in RTL"},
        BadInput{"run exchange --dim 3 --fail 8:0", "a cube of 3 dimensions has no node 8"},
        BadInput{"run exchange --dim 3 --fail 7:3", "a cube of 3 dimensions has no dimension 3"},
        BadInput{"run exchange --dim 3 --fail 5:2@-1us", "time '-1us'"},
        BadInput{"run exchange --dim 3 --fail 5:2@10", "unit"},
        BadInput{"run exchange --dim 3 --fail 5:", "'' is no dimension"},
        BadInput{"run exchange --dim 3 --fail 5 --fail 2,5@1us", "--fail names node 5 twice"},
        BadInput{"run exchange --dim 3 --fail 5:1,5:1@1us", "--fail names link 5:1 twice"},
        BadInput{"run exchange --dim 3 --engine ideal --fail 5", "no links that could fail"},
        BadInput{"run traffic --engine ideal", "event | clocked | rtl"},
        BadInput{"run traffic --engine rtl --trace x.txt", "FILE.fst | FILE.vcd"},
        BadInput{"run traffic --engine rtl --trace /none/x.fst", "cannot write"},
        BadInput{"run traffic --pattern bitrv", "bitrev"}, BadInput{"run traffic --rate 0", "0.000001 .. 1000"},
        BadInput{"run traffic --messages 0", "1 .."},
        BadInput{"run traffic --pattern ./none.txt", "there is no file of messages"},
        BadInput{"run traffic --pattern /", "directory"},
        BadInput{"run program /proc/self/environ", "'/proc/self/environ' is not a file"},
        BadInput{"run program /sys/kernel/notes", "'/sys/kernel/notes' is not a file"},
        BadInput{"run program /dev/zero", "'/dev/zero' is not a file"},
        BadInput{"run exchange --parameters published", "hull | ipsc860"},
        BadInput{"run exchange --circuits", "-o DIR"}, BadInput{"run exchange --hierarchy flat", "leave it out"},
        BadInput{"run exchange --memo off", "leave it out"},
        BadInput{"run exchange --ports n --startups queued", "--set node.startups=queued"},
        BadInput{"run exchange --barrier=step", "--set library.barrier=step"},
        BadInput{"best exchange --slack '20 us'", "--set 'library.slack=20 us'"},
        BadInput{"run gather --protocol forced", "--set library.protocol=forced"},
        BadInput{"hull exchange --identity-shuffle", "--set library.identity_shuffle=VALUE"},
        BadInput{"run exchange --router mixed", "'mixed'"}, BadInput{"run all-reduce", "ecube run combine"},
        BadInput{"run alltoall", "ecube run exchange"}, BadInput{"run exchange --dimension 4", "--dim D"},
        BadInput{"run exchange --topology mesh", "hypercube"},
        BadInput{"run exchange --routing adaptive", "lowest dimension first"},
        BadInput{"run exchange --pattern uniform", "an option of ecube run traffic, ecube check traffic"},
        BadInput{"run exchange --set link.width=8", "link.phit"},
        BadInput{"run exchange --set network.topology=torus", "hypercube"},
        BadInput{"run exchange --payload byts", "bytes"}, BadInput{"run exchange --ports 0", "ports"},
        BadInput{"run exchange --ports n --pair-masks of", "on | off"},
        BadInput{"best exchange --ports n --dim 21", "--dim 1 .. 20 | --ports one"},
        BadInput{"hull exchange --ports n --dim 21", "--dim 1 .. 20 | --ports one"},
        BadInput{
            "predict exchange --params lambda=1,tau=1 --ports n --set node.startups=queued --dim 60 --partition 30,30",
            "at most 24 dimensions"},
        BadInput{"run exchange --seed -1", "--seed"}, BadInput{"run pingpong --bytes 1,-1", "--bytes"},
        BadInput{"run barrier --repeats 0", "--repeats"}, BadInput{"predict exchange --params lambda=1", "tau"},

        BadInput{"validate exchnage", "did you mean 'exchange'"},
        BadInput{"validate --map exchnage", "did you mean 'exchange'"},
        BadInput{"validate 'exchange ideal' --seed -1", "--seed"},
        BadInput{"validate --set core.permut='1 cycles/byte'", "did you mean 'core.permute'"},
        BadInput{"validate -o /proc/nowhere", "/proc/nowhere"},
        BadInput{"hull combine --dim 9 --measure", "valid: 1 .. 8"},
        BadInput{"hull combine --measure --params alpha=1,beta=1,gamma=1", "--measure needs a machine"},
        BadInput{"reproduce nicol-fig33", "did you mean 'nicol-fig3'"},
        BadInput{"reproduce list nicol-fig3", "list goes with no other id"},
        BadInput{"reproduce nicol-fig3 -o /proc/nowhere", "/proc/nowhere"},
        BadInput{"reproduce nicol-fig3 --set core.permut='1 cycles/byte'", "did you mean 'core.permute'"},
        BadInput{"calibrate --machine ipsc860 --set library.protocol=unforced --set 'library.threshold=2 MB'",
                 "library.buffer"},
        BadInput{"run combine --strategy 001", "4 digits"}, BadInput{"run combine --strategy 0012", "4 digits"},
        BadInput{"run combine --strategy hybird", "'hybrid'"}, BadInput{"run combine --root 16", "0 .. 15"},
        BadInput{"run combine --items -1", "0 .."}, BadInput{"run combine --items 99999999999999999999", "--items"},
        BadInput{"run combine --dim 20 --items 1000000000", "memory"}, BadInput{"run combine --type flot", "'float'"},
        BadInput{"run combine --op avg", "sum | max | min | product"}, BadInput{"run combine --rule fast", "short25"},
        BadInput{"run combine --rule best --strategy v2", "hybrid"},
        BadInput{"run combine --target some", "all | root"},
        BadInput{"predict combine --params alpha=1,beta=2", "gamma"},
        BadInput{"best combine --dim 10001", "1 .. 10000"},
        BadInput{"predict combine --parameters published", "ipsc860-combine"},
        BadInput{"run shuffle --cycle p2,p2,s0", "named twice"}, BadInput{"run shuffle --cycle p2,p4,s0", "--dim 4"},
        BadInput{"run shuffle --cycle p2,s0 --cycle p1,s0", "named twice"},
        BadInput{"run shuffle --elements 6 --cycle p0,s1", "not a multiple of 2^2"},
        BadInput{"run shuffle --packet 0", "--packet:1:1"}, BadInput{"run shuffle --elements 7", "odd"},
        BadInput{"run shuffle --algorithm pipelned", "'pipelined'"}, BadInput{"run shuffle --complement p9", "p9"},
        BadInput{"run shuffle --algorithm a1", "processor dimensions alone"},
        BadInput{"run shuffle --ports n --elements 16 --packet 3", "multiple of 6"},
        BadInput{"run shuffle --cycle p3,p2 --complement p2 --algorithm a2x2", "no form with --complement"},
        BadInput{"run shuffle --cycle p3,p2,p1 --algorithm a2x2", "two dimensions"},
        BadInput{"run shuffle --ports n --cycle p3,p2 --complement p2 --algorithm a2x2", "--complement:1:1"},
        BadInput{"run shuffle --cycle p3,p2 --algorithm a2x2", "there is one port"},
        BadInput{
            "run shuffle --ports n --dim 5 --cycle p4,p3,s0 --cycle p2,s1 --cycle p1,p0 --algorithm aapc-concurrent,a2",
            "aapc-concurrent,a2\n  | ^^^^^^^^^^^^^^^\n"},
        BadInput{"run shuffle --ports n --cycle p3,p2,s0 --cycle p1,s1 --algorithm aapc-concurrent", "one order"},
        BadInput{"run shuffle --ports n --cycle p3,p2,s0 --cycle p1,s1 --algorithm aapc-concurrent", "--algorithm:1:1"},
        BadInput{"run shuffle --ports 2 --cycle p3,p2,s0 --cycle p1,p0,s1 --algorithm aapc", "there are 2 ports"},
        BadInput{"run shuffle --cycle p3,p2,s0 --algorithm one-port,pipelined", "same cycles"},
        BadInput{"run shuffle --cycle p3,p2 --algorithm pipelined", "storage dimension"},
        BadInput{"run shuffle --algorithm route,a1", "route has no algorithm"},
        BadInput{"run shuffle --algorithm route --engine ideal", "event | clocked | rtl"},
        BadInput{"predict shuffle --algorithm route", "no equation"},
        BadInput{"run shuffle --elements 4 --algorithm two-aapcs", "need as many storage dimensions"},
        BadInput{"run shuffle --extend 4", "--extend 4 is out of range"},
        BadInput{"run shuffle --extend 2 --elements 12", "multiple of 2^3"},
        BadInput{"run shuffle --extend 1 --cycle p3,s0", "--dim 3"},
        BadInput{"run shuffle --extend 1 --permutation shuffle", "needs some for itself"},
        BadInput{"run shuffle --extend 1 --algorithm route", "by way of other nodes"},
        BadInput{"run shuffle --ports 2 --packet best", "needs a formula"},
        BadInput{"best shuffle --packet 99", "1 .. 16"},
        BadInput{"run exchange --machine ipsc1 --set library.protocol=forced", "store-and-forward"},
        BadInput{"run exchange --set network.switching=wormhole", "2 cycles per phit or more"},
        BadInput{"run exchange --machine ncube2 --set 'link.cycles_per_phit=2.5 cycles'", "whole cycles per phit"},
        BadInput{"run exchange --machine ipsc860 --set network.switching=wormhole", "network.duplex = 'full'"},
        BadInput{"run exchange --machine hull --set network.switching=wormhole", "network.distance = 'real'"},
        BadInput{"run exchange --machine ncube2 --engine rtl --dim 3 --set 'router.buffer=9 B'", "router.buffer"},
        BadInput{"hull exchange --machine ipsc1", "straight lines"},
        BadInput{"hull exchange --params lambda=1,tau=1 --measure", "needs a machine"},
        BadInput{"hull exchange --machine ipsc860 --dim 13 --measure", "1 .. 12"},
        BadInput{"best exchange --params lambda=1,tau=1 --measure", "needs a machine"},
        BadInput{"best exchange --dim 11 --measure", "1 .. 10"}, BadInput{"best exchange --seed 3", "--measure"},
        BadInput{"explain exchange --dim 3 --node 8", "0 .. 7"}, BadInput{"explain exchange --dim 13", "1 .. 12"},
        BadInput{"hull exchange --machine ipsc860-nx", "start-ups of their own"},
        BadInput{"best exchange --machine ipsc860-nx --dim 21", "start-ups of their own"},
        BadInput{"hull exchange --set library.barrier=step --machine ipsc860", "has more than one"},
        BadInput{"run shuffle --cycle p3,p2,s0 --algorithm a2", "processor dimensions alone"},
        BadInput{"predict shuffle --params tc=1", "tau"}, BadInput{"best", "combine"},
        BadInput{"run exchange --set 'clock=0 MHz'", "clock"}, BadInput{"run exchnge", "did you mean 'exchange'"},
        BadInput{"rnu exchange", "did you mean 'run'"}, BadInput{"run exchange --shedule xor", "'--schedule'"},
        BadInput{"run combine --schedule xor", "an option of ecube run exchange"},
        BadInput{"run exchange --seed 1e9", "--seed takes a whole number, not '1e9': decimal digits"},
        BadInput{"run", "exchange"}, BadInput{"run exchange spare", "see: ecube run exchange --help"},
        BadInput{"run program rign", "ring"}, BadInput{"", "error"}));

}  // namespace
}  // namespace refused_test
