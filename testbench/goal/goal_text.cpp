// SPDX-License-Identifier: Apache-2.0
// Reading GOAL's text.
#include <fmt/core.h>

#include <deque>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "models/machine/spelling.h"
#include "testbench/goal/goal_file.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text.h"
#include "testbench/text/text_file.h"

namespace ecube {

namespace {

constexpr std::uint64_t most_bytes_of_a_message = std::uint64_t{1} << 30;
constexpr std::uint64_t most_ns = 1'000'000'000'000;
constexpr std::uint32_t most_ranks = 1U << 20;
constexpr std::size_t most_operations = 1'000'000'000;
constexpr std::uint32_t any_tag = 0xFFFFFFFF;  ///< `tag -1`; others are below 2^31
constexpr std::uint32_t none = 0xFFFFFFFF;

struct Dependency {
  std::uint32_t before;
  std::uint32_t after;
  bool on_start;
  std::uint32_t line;
};

class GoalReader {
 public:
  GoalReader(const std::string& text, const std::string& where, bool quiet)
      : text_(text),
        where_(where),
        progress_(static_cast<std::uint64_t>(std::ranges::count(text, '\n')), "lines of the schedule read", quiet) {}

  [[nodiscard]] GoalText read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      progress_.next();
      ++line_;
      rest_ = without_comments(std::string_view(text_).substr(begin, end - begin));
      begin = end + 1;
      skip();
      if (!rest_.empty()) read_line();
    }
    if (comment_ != 0) refuse_at(comment_, "the comment that begins here has no end", "*/");
    if (ranks_ == 0) refuse("there is no num_ranks", "write num_ranks 8 in the first line");
    if (in_rank_) refuse("the last rank has no }", {});
    // Ranks may come in any order; their operations are stored by rank.
    return sorted();
  }

 private:
  [[noreturn]] void refuse_at(std::uint32_t line, const std::string& what, std::string_view hint) const {
    const std::string text = line_of(text_, line);
    throw ContentError(InputError(what).at({.where = where_,
                                            .line = line,
                                            .column = 1,
                                            .length = static_cast<std::uint32_t>(std::max<std::size_t>(1, text.size())),
                                            .text = text},
                                           hint),
                       fmt::format("line {} of {} has a mistake", line, ecube::quoted(where_)));
  }
  [[noreturn]] void refuse(const std::string& what, std::string_view hint) const { refuse_at(line_, what, hint); }

  /// The line up to // or #, with a blank in the place of each comment between /* and */, which may go over lines.
  std::string_view without_comments(std::string_view line) {
    const std::string_view code = line.substr(0, std::min(line.find("//"), line.find('#')));
    if (comment_ == 0 && code.find("/*") == std::string_view::npos) return code;
    std::string& left = uncommented_.emplace_back();
    while (!line.empty()) {
      const bool inside = comment_ != 0;
      const std::size_t next = inside ? line.find("*/") : std::min({line.find("/*"), line.find("//"), line.find('#')});
      if (!inside) left += line.substr(0, next);
      if (next == std::string_view::npos || (!inside && line.substr(next, 2) != "/*")) break;
      left += ' ';
      comment_ = inside ? 0 : line_;
      line.remove_prefix(next + 2);
    }
    return left;
  }

  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }
  /// The next word; { } and : are words of their own.
  std::string_view word() {
    std::size_t end = std::min(rest_.find_first_of(" \t\r:{}"), rest_.size());
    if (end == 0 && !rest_.empty()) end = 1;
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip();
    return found;
  }
  std::uint64_t number(std::string_view digits, std::string_view what, std::uint64_t most) const {
    const auto value = whole_number(digits);
    if (!value) refuse(fmt::format("{} is no {}", ecube::quoted(digits), what), "a whole number");
    if (*value > most) refuse(fmt::format("{} {} is out of range", what, digits), fmt::format("at most {}", most));
    return *value;
  }
  std::uint32_t rank(std::string_view digits) const {
    const auto value = static_cast<std::uint32_t>(number(digits, "rank", std::numeric_limits<std::uint32_t>::max()));
    if (value >= ranks_) refuse(fmt::format("num_ranks is {}, so there is no rank {}", ranks_, value), {});
    return value;
  }
  void expect(std::string_view wanted) {
    const std::string_view found = word();
    if (found != wanted) refuse(fmt::format("{} stands where '{}' is expected", ecube::quoted(found), wanted), {});
  }
  void end_of_line() {
    if (!rest_.empty()) refuse(fmt::format("{} does not belong here", ecube::quoted(rest_)), {});
  }

  void read_line() {
    const std::string_view first = word();
    const std::string_view second = rest_.substr(0, rest_.find_first_of(" \t\r:{}"));
    if (first == "num_ranks") return read_ranks();
    if (ranks_ == 0) refuse("the first line has to give num_ranks", "write num_ranks 8");
    if (first == "rank") return open_rank();
    if (first == "}") return close_rank();
    if (!in_rank_) refuse("operations stand between rank R { and }", {});
    if (!rest_.empty() && rest_.front() == ':') {
      (void)word();
      read_operation(first, word());
    } else if (second == "requires" || second == "irequires") {
      const bool on_start = word() == "irequires";
      waiting_.push_back({first, word(), on_start, line_});
      end_of_line();
    } else {
      read_operation({}, first);
    }
  }

  void read_ranks() {
    if (ranks_ != 0) refuse("num_ranks is said twice", {});
    ranks_ = static_cast<std::uint32_t>(number(word(), "number of ranks", most_ranks));
    if (ranks_ == 0) refuse("a schedule has at least one rank", {});
    first_.assign(ranks_, std::nullopt);
    last_.assign(ranks_, 0);
    end_of_line();
  }

  void open_rank() {
    if (in_rank_) refuse("the rank before has no }", {});
    rank_ = rank(word());
    if (first_[rank_]) refuse(fmt::format("rank {} is there twice", rank_), {});
    expect("{");
    end_of_line();
    in_rank_ = true;
    first_[rank_] = static_cast<std::uint32_t>(read_.size());
    labels_.clear();
    waiting_.clear();
  }

  void read_operation(std::string_view label, std::string_view kind) {
    GoalOperation operation;
    if (kind == "calc") {
      operation.kind = GoalKind::calculation;
      operation.amount = number(word(), "number of nanoseconds", most_ns);
    } else if (kind == "send" || kind == "recv") {
      operation.kind = kind == "send" ? GoalKind::send : GoalKind::receive;
      std::string_view size = word();
      if (!size.ends_with('b')) refuse(fmt::format("{} is no size", ecube::quoted(size)), "bytes, as 10b");
      size.remove_suffix(1);
      operation.amount = number(size, "size", most_bytes_of_a_message);
      expect(kind == "send" ? "to" : "from");
      operation.peer = rank(word());
    } else {
      refuse(fmt::format("expected send, recv, calc or requires, found {}", ecube::quoted(kind)),
             "send 10b to 1 | recv 10b from 1 | calc 100 | b requires a");
    }
    if (kind == "send") ++text_out_.counts.messages;
    while (!rest_.empty()) read_attribute(operation, word());
    if (read_.size() == most_operations) refuse("there are too many operations", {});
    if (!label.empty() && !labels_.emplace(label, static_cast<std::uint32_t>(read_.size())).second) {
      refuse(fmt::format("rank {} has two operations {}", rank_, ecube::quoted(label)), {});
    }
    read_.push_back(operation);
    lines_.push_back(line_);
  }

  void read_attribute(GoalOperation& operation, std::string_view name) {
    const std::string_view value = word();
    if (name == "tag" && operation.kind != GoalKind::calculation) {
      operation.tag = value == "-1" ? any_tag : static_cast<std::uint32_t>(number(value, "tag", 0x7FFFFFFF));
    } else if (name == "cpu" || name == "nic") {
      const std::uint64_t which = number(value, std::string(name), 255);
      if (which != 0) ++(name == "cpu" ? text_out_.counts.other_processors : text_out_.counts.interfaces);
    } else {
      refuse(fmt::format("{} does not belong here", ecube::quoted(name)), "tag T | cpu C | nic N");
    }
  }

  void close_rank() {
    if (!in_rank_) refuse("there is no rank to be closed", {});
    end_of_line();
    in_rank_ = false;
    last_[rank_] = static_cast<std::uint32_t>(read_.size());
    for (const Waiting& one : waiting_) {
      const auto find = [&](std::string_view label) {
        const auto found = labels_.find(label);
        if (found == labels_.end()) {
          refuse_at(one.line, fmt::format("rank {} has no operation {}", rank_, ecube::quoted(label)), {});
        }
        return found->second;
      };
      dependencies_.push_back({find(one.before), find(one.after), one.on_start, one.line});
    }
    check_cycles();
    // Those that wait for the start of an operation come before those that wait for its end.
    const auto kind = [](const Dependency& one) { return std::tuple(one.before, !one.on_start); };
    std::ranges::stable_sort(dependencies_, {}, kind);
    for (const Dependency& one : dependencies_) {
      GoalOperation& before = read_[one.before];
      if (before.dependents == 0) before.first_dependent = static_cast<std::uint32_t>(text_out_.dependents.size());
      ++before.dependents;
      if (one.on_start) ++before.on_start;
      text_out_.dependents.push_back(one.after);
    }
    dependencies_.clear();
  }

  /// Takes away operations that wait for nothing until none is left; those that stay are on a cycle, or behind one.
  void check_cycles() {
    const std::uint32_t first = *first_[rank_];
    const std::size_t count = read_.size() - first;
    std::vector<std::uint32_t> begin(count + 1, 0);
    for (const Dependency& one : dependencies_) {
      ++begin[one.before - first + 1];
      GoalOperation& after = read_[one.after];
      if (after.waits_for == std::numeric_limits<std::uint16_t>::max()) {
        refuse_at(lines_[one.after], "an operation waits for more than 65,535 others", {});
      }
      ++after.waits_for;
    }
    for (std::size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
    std::vector<std::uint32_t> place(begin.begin(), begin.end());
    std::vector<std::uint32_t> after(dependencies_.size());
    for (const Dependency& one : dependencies_) after[place[one.before - first]++] = one.after - first;
    std::vector<std::uint16_t> open(count);
    std::vector<std::uint32_t> free;
    for (std::size_t i = 0; i < count; ++i) {
      open[i] = read_[first + i].waits_for;
      if (open[i] == 0) free.push_back(static_cast<std::uint32_t>(i));
    }
    order_.resize(read_.size());
    std::size_t gone = 0;
    while (!free.empty()) {
      const std::uint32_t next = free.back();
      free.pop_back();
      ++gone;
      Order& here = order_[first + next];
      if (here.chain == none) here.chain = first + next;
      bool goes_on = false;
      for (std::uint32_t i = begin[next]; i < begin[next + 1]; ++i) {
        Order& dependent = order_[first + after[i]];
        if (!goes_on && dependent.chain == none) {
          dependent = {here.chain, here.place + 1};
          goes_on = true;
        }
        if (--open[after[i]] == 0) free.push_back(after[i]);
      }
    }
    if (gone == count) return;
    for (const Dependency& one : dependencies_) {
      if (open[one.before - first] == 0 || open[one.after - first] == 0) continue;
      refuse_at(one.line, fmt::format("dependencies of rank {} go in a circle", rank_),
                "this one is on it, or behind it");
    }
  }

  /// A send or a receive between two ranks.
  struct End {
    std::uint64_t pair;  ///< from << 32 | to
    std::uint32_t tag;
    bool send;
    std::uint32_t number;
    friend auto operator<=>(const End&, const End&) = default;
  };
  using Ends = std::span<End>;

  /// Every send has its receive: as many from one rank to another with one tag.
  void check_partners() {
    std::vector<End> ends;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      for (std::uint32_t i = first_[rank].value_or(0); i < last_[rank]; ++i) {
        const GoalOperation& one = read_[i];
        if (one.kind == GoalKind::calculation) continue;
        const bool send = one.kind == GoalKind::send;
        const std::uint64_t from = send ? rank : one.peer;
        const std::uint64_t to = send ? one.peer : rank;
        ends.push_back({from << 32 | to, one.tag, send, i});
      }
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 0; i < ends.size();) {
      std::size_t end = i;
      while (end < ends.size() && ends[end].pair == ends[i].pair) ++end;
      const Ends of_pair = Ends(ends).subspan(i, end - i);
      if (of_pair.back().tag == any_tag) take_any_tags(of_pair);
      for (std::size_t j = i; j < end;) {
        std::size_t other = j;
        while (other < end && ends[other].tag == ends[j].tag) ++other;
        check_group(Ends(ends).subspan(j, other - j));
        j = other;
      }
      i = end;
    }
  }

  /// A receive of any tag takes the next message of its rank. That is the same as one tag for all messages of the two
  /// ranks, unless receives of some tag let messages of others overtake.
  void take_any_tags(Ends ends) {
    const auto any = std::find_if(ends.begin(), ends.end(), [](const End& end) { return end.tag == any_tag; });
    const bool one_tag = any == ends.begin() || ends.front().tag == std::prev(any)->tag;
    const auto all_any = [&](bool send) {
      return std::none_of(ends.begin(), any, [&](const End& end) { return end.send == send; });
    };
    if (!one_tag && !all_any(false) && !all_any(true)) {
      refuse_at(lines_[any->number],
                fmt::format("messages from rank {} to rank {} have several tags, and this operation takes any of them",
                            any->pair >> 32, any->pair & 0xFFFFFFFF),
                "tag -1 for all receives from this rank, or one tag for all its messages");
    }
    const std::uint32_t tag = one_tag && any != ends.begin() ? ends.front().tag : 0;
    for (End& end : ends) read_[end.number].tag = end.tag = tag;
    std::sort(ends.begin(), ends.end());
  }

  /// The receives, then the sends, of one tag between two ranks.
  void check_group(Ends ends) {
    const auto is_send = [](const End& end) { return end.send; };
    const auto middle = std::find_if(ends.begin(), ends.end(), is_send);
    const Ends receives(ends.begin(), middle);
    const Ends sends(middle, ends.end());
    if (sends.size() != receives.size()) {
      const End& odd = sends.size() > receives.size() ? sends.back() : receives.back();
      refuse_at(lines_[odd.number],
                fmt::format("rank {} sends {} with tag {} to rank {}, which receives {} of them", odd.pair >> 32,
                            counted(sends.size(), "message"), odd.tag, odd.pair & 0xFFFFFFFF, receives.size()),
                sends.size() > receives.size() ? "this send has no receive" : "this receive has no send");
    }
    const bool ordered = in_order_of_start(receives) && in_order_of_start(sends);
    // Where time decides who comes first, a run finds a message that is too long for its receive. It has one if not
    // even the longest messages find room in the largest receives.
    if (!ordered) {
      const auto longer = [this](const End& a, const End& b) {
        return std::tuple(read_[b.number].amount, a.number) < std::tuple(read_[a.number].amount, b.number);
      };
      std::sort(receives.begin(), receives.end(), longer);
      std::sort(sends.begin(), sends.end(), longer);
    }
    for (std::size_t k = 0; k < receives.size(); ++k) {
      const GoalOperation& receive = read_[receives[k].number];
      const GoalOperation& send = read_[sends[k].number];
      if (send.amount <= receive.amount) continue;
      if (!ordered) {
        refuse_at(lines_[sends[k].number], fmt::format("there is no receive for this message of {} B", send.amount),
                  "in no order of their beginnings");
      }
      refuse_at(lines_[receives[k].number],
                fmt::format("a message of {} B comes to this receive of {} B", send.amount, receive.amount),
                "receives of one rank and tag take messages in the order in which they begin");
    }
  }

  /// Brings operations of a rank into the order in which they begin, if dependencies say it: what waits for nothing
  /// begins first, in the order of the text, and behind it the operations of one chain.
  [[nodiscard]] bool in_order_of_start(Ends ends) const {
    const auto waits = [this](const End& end) { return read_[end.number].waits_for > 0; };
    const auto turn = [&](const End& end) { return waits(end) ? 1 + order_[end.number].place : 0; };
    std::ranges::sort(ends, {}, [&](const End& end) { return std::tuple(turn(end), end.number); });
    const auto waiting = std::find_if(ends.begin(), ends.end(), waits);
    return std::all_of(waiting, ends.end(),
                       [&](const End& end) { return order_[end.number].chain == order_[waiting->number].chain; });
  }

  [[nodiscard]] GoalText sorted() {
    check_partners();
    GoalText& out = text_out_;
    std::vector<std::uint32_t> number(read_.size());
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      out.first.push_back(static_cast<std::uint32_t>(out.operations.size()));
      for (std::uint32_t i = first_[rank].value_or(0); i < last_[rank]; ++i) {
        number[i] = static_cast<std::uint32_t>(out.operations.size());
        out.operations.push_back(read_[i]);
      }
    }
    out.first.push_back(static_cast<std::uint32_t>(out.operations.size()));
    for (std::uint32_t& one : out.dependents) one = number[one];
    out.counts.ranks = ranks_;
    out.counts.operations = out.operations.size();
    out.counts.dependents = out.dependents.size();
    return std::move(out);
  }

  struct Waiting {
    std::string_view after;
    std::string_view before;
    bool on_start;
    std::uint32_t line;
  };

  /// Operations in one chain begin one after the other: each waits for the one before.
  struct Order {
    std::uint32_t chain = none;  ///< its first operation
    std::uint32_t place = 0;     ///< in the chain
  };

  const std::string& text_;
  const std::string& where_;
  CountProgress progress_;
  std::uint32_t line_ = 0;
  std::uint32_t comment_ = 0;            ///< the line in which the comment that is not at its end begins
  std::deque<std::string> uncommented_;  ///< lines that have comments within; labels are views of them
  std::string_view rest_;
  std::uint32_t ranks_ = 0;
  std::uint32_t rank_ = 0;
  bool in_rank_ = false;
  std::vector<std::optional<std::uint32_t>> first_;
  std::vector<std::uint32_t> last_;
  std::vector<GoalOperation> read_;  ///< in the order of the text
  std::vector<std::uint32_t> lines_;
  std::vector<Order> order_;  ///< [operation]
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::vector<Waiting> waiting_;
  std::vector<Dependency> dependencies_;
  GoalText text_out_;
};

}  // namespace

GoalText parse_goal(const std::string& text, const std::string& where, bool quiet) {
  constexpr std::size_t first_page = 4096;
  if (std::string_view(text).substr(0, first_page).find('\0') != std::string_view::npos) {
    throw ContentError(InputError(fmt::format("{} is a binary file, as txt2bin writes them", ecube::quoted(where)))
                           .hint("give the text from which it was made: txt2bin -i TEXT -o BINARY"),
                       "a binary file");
  }
  return GoalReader(text, where, quiet).read();
}

}  // namespace ecube
