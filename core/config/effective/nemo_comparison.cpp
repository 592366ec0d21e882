// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/nemo_comparison.h"

#include "core/base/text/terminal_safe.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rankscope::config {
namespace {

struct ComparisonLine {
    std::string key;
    std::vector<std::optional<ValueText>> cells;
    bool different = false;
    const KeyRow* row = nullptr; ///< my row, or else the other's
};

const KeySchema& nemoOf(const Effective& mine) {
    const KeySchema* facts = schemaOf(mine.nemoVersion);
    return facts ? *facts : builtinSchema();
}

std::vector<ComparisonLine> againstNemo(const Effective& mine) {
    std::vector<ComparisonLine> lines;
    std::set<std::string> seen;
    for (const auto& row : mine.rows) {
        seen.insert(row.key);
        lines.push_back(
            {row.key, {row.effective ? row.effective : row.yours, row.nemoYaml, row.code}, row.differs, &row});
    }
    for (const auto& [key, value] : nemoOf(mine).yaml) // values that the file leaves out and no code default replaces
        if (seen.insert(key).second)
            lines.push_back({key, {std::nullopt, value, std::nullopt}, true, nullptr});
    return lines;
}

bool sameCell(const std::optional<ValueText>& a, const std::optional<ValueText>& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b || sameValue(parseValue(*a), parseValue(*b)));
}

std::vector<ComparisonLine> againstOther(const Effective& mine, const Effective& other) {
    std::vector<ComparisonLine> lines;
    std::set<std::string> seen;
    const auto shown = [](const KeyRow* row) -> std::optional<ValueText> {
        return !row ? std::nullopt : row->effective ? row->effective : row->yours;
    };
    const auto add = [&](const KeyRow& row) {
        if (!seen.insert(row.key).second)
            return;
        const auto a = shown(mine.find(row.key)), b = shown(other.find(row.key));
        lines.push_back({row.key, {a, b}, !sameCell(a, b), &row});
    };
    for (const auto& row : mine.rows)
        add(row);
    for (const auto& row : other.rows)
        add(row);
    return lines;
}

std::vector<ComparisonLine> compareLines(const Effective& mine, const Effective* other, bool onlyDifferent) {
    auto lines = other ? againstOther(mine, *other) : againstNemo(mine);
    if (onlyDifferent)
        std::erase_if(lines, [](const ComparisonLine& line) { return !line.different; });
    return lines;
}

/// Returns the columns of the character that begins at `at`, and the index of the next one: Chinese takes two.
std::pair<std::size_t, std::size_t> characterAt(const std::string& s, std::size_t at) {
    const bool isWide = static_cast<unsigned char>(s[at]) >= 0xe3;
    do
        ++at;
    while (at < s.size() && (s[at] & 0xc0) == 0x80);
    return {isWide ? 2 : 1, at};
}

std::size_t columns(const std::string& s) {
    std::size_t sum = 0;
    for (std::size_t at = 0; at < s.size();) {
        const auto [width, next] = characterAt(s, at);
        sum += width;
        at = next;
    }
    return sum;
}

std::string fitted(const std::string& s, std::size_t width) {
    if (columns(s) <= width)
        return s + std::string(width - columns(s), ' ');
    std::size_t bytes = 0, used = 0;
    while (bytes < s.size()) {
        const auto [more, next] = characterAt(s, bytes);
        if (used + more + 1 > width)
            break;
        used += more;
        bytes = next;
    }
    return s.substr(0, bytes) + "…" + std::string(width - used - 1, ' ');
}

std::string joined(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i)
        out += (i ? "  " : "") + fitted(cells[i], widths[i]);
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
}

} // namespace

std::string compareTable(const Effective& mine, const Effective* other, bool onlyDifferent, int width,
                         Language language) {
    const auto lines = compareLines(mine, other, onlyDifferent);
    if (lines.empty())
        return (onlyDifferent ? Message("no differences") : Message("no keys")).text(language) + "\n";
    std::vector<std::vector<std::string>> table{{"", Message("key").text(language)}};
    const std::string& version = nemoOf(mine).nemoVersion;
    const auto headers =
        other ? std::vector<Message>{mine.name, other->name}
              : std::vector<Message>{"effective", {"NeMo {} YAML", version}, {"NeMo {} code", version}, "from"};
    for (const Message& header : headers)
        table[0].push_back(printableLine(header.text(language)));
    for (const auto& line : lines) {
        std::vector<std::string> cells{line.row && line.row->affectsRanks ? "*" : "", line.key};
        for (const auto& cell : line.cells)
            cells.push_back(cell.value_or("-"));
        if (!other)
            cells.push_back(!line.row                          ? "-"
                            : line.row->origin == Origin::Code ? line.row->codeSource
                                                               : originMessage(line.row->origin).text(language));
        for (std::string& cell : cells)
            cell = printableLine(cell);
        table.push_back(std::move(cells));
    }
    std::vector<std::size_t> widths(table[0].size(), 0);
    for (const auto& cells : table)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], columns(cells[i]));
    // the widest column shrinks first, but a key stays readable
    const std::size_t room = static_cast<std::size_t>(std::max(width, 60));
    const auto total = [&] {
        std::size_t sum = 2 * (widths.size() - 1);
        for (const auto w : widths)
            sum += w;
        return sum;
    };
    while (total() > room) {
        auto widest = std::max_element(widths.begin() + 2, widths.end());
        if (*widest <= 12)
            widest = widths.begin() + 1;
        if (*widest <= 12)
            break;
        --*widest;
    }
    std::string out;
    bool ranks = false;
    for (const auto& cells : table) {
        out += joined(cells, widths);
        ranks = ranks || cells[0] == "*";
    }
    if (ranks)
        out += Message("* affects collectives, the batches of each rank, or the process layout").text(language) + "\n";
    return out;
}

nlohmann::json compareJson(const Effective& mine, const Effective* other, bool onlyDifferent) {
    const auto value = [](const std::optional<ValueText>& text) {
        return text ? nlohmann::json(*text) : nlohmann::json(nullptr);
    };
    nlohmann::json keys = nlohmann::json::array();
    for (const auto& line : compareLines(mine, other, onlyDifferent)) {
        nlohmann::json item{{"key", line.key}, {"differs", line.different}};
        item["affects_ranks"] = line.row && line.row->affectsRanks;
        item[other ? "mine" : "effective"] = value(line.cells[0]);
        item[other ? "other" : "nemo_yaml"] = value(line.cells[1]);
        if (!other) {
            item["nemo_code"] = value(line.cells[2]);
            item["yours"] = line.row ? value(line.row->yours) : nlohmann::json(nullptr);
            item["origin"] = line.row ? originName(line.row->origin) : "not set";
            item["code_source"] = line.row ? line.row->codeSource : "";
            item["risk"] = line.row ? line.row->risk.english() : "";
        }
        keys.push_back(std::move(item));
    }
    nlohmann::json out{{"mine", mine.name}, {"keys", std::move(keys)}};
    if (other)
        out["other"] = other->name;
    else
        out["nemo"] = nemoOf(mine).nemoVersion;
    return out;
}

bool differs(const Effective& mine, const Effective* other) {
    return !compareLines(mine, other, true).empty();
}

} // namespace rankscope::config
