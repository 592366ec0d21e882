// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the runs table.
#include "tests/fuzz/target.h"
#include "widgets/runs_page/filter/query_parser.h"

#include <cmath>

namespace rankscope::fuzz {

using namespace ui;

namespace {

const QSet<QString>& settings() {
    static const QSet<QString> keys{QStringLiteral("model.optim.lr"), QStringLiteral("seed"), QStringLiteral("name")};
    return keys;
}

std::vector<RunRow> someRuns() {
    std::vector<RunRow> rows(3);
    rows[0].info.name = "first";
    rows[0].info.state = launch::RunState::Running;
    rows[0].info.tags = {"night", "a b"};
    rows[0].lastLoss = 2.5;
    rows[1].info.name = "second run";
    rows[1].info.state = launch::RunState::Failed;
    rows[1].info.startRealtimeNs = 1'700'000'000'000'000'000;
    rows[1].info.endRealtimeNs = 1'700'000'360'000'000'000;
    RunFigures figures;
    figures.lastLoss = 4;
    figures.memoryBytes = std::int64_t{3} << 30;
    rows[1].figures = std::make_shared<const RunFigures>(figures);
    rows[2].problem = QStringLiteral("is damaged");
    return rows;
}

int nodes(const RunQuery::Term& node) {
    int all = 1;
    for (const auto& part : node.parts) {
        require(part != nullptr, "a part that is not there");
        all += nodes(*part);
    }
    return all;
}

} // namespace

static void examine(const std::string& bytes) {
    static const std::vector<RunRow> rows = someRuns();
    const QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    const auto read = parseQuery(text, settings());
    for (const int caret : {0, static_cast<int>(text.size() / 2), static_cast<int>(text.size())}) {
        const QueryPlace place = queryPlace(text, caret);
        require(place.begin >= 0 && place.begin <= caret && place.begin + place.typed.size() <= text.size(),
                "a place outside of the text");
    }
    if (const auto* error = std::get_if<QueryError>(&read)) {
        require(!error->text.isEmpty(), "refused without a reason");
        return require(error->at >= 0 && error->length >= 0 && error->at <= text.size() &&
                           error->at + error->length <= text.size() + 1,
                       "an error outside of the text");
    }
    ++taken;
    const RunQuery& query = std::get<RunQuery>(read);
    if (query.root())
        require(nodes(*query.root()) <= 2 * text.size() + 1, "more parts than characters");
    const auto denied = parseQuery(QStringLiteral("not (%1\n)").arg(text), settings());
    for (const RunRow& row : rows) {
        const QString search = searchTextOf(row);
        const bool takes = query.takes(row, search, 1'700'000'400'000'000'000);
        if (const auto* other = std::get_if<RunQuery>(&denied); other && query.root())
            require(other->takes(row, search, 1'700'000'400'000'000'000) != takes, "taken, and denied it is taken too");
    }
}

RANKSCOPE_FUZZ_TARGET(query)

} // namespace rankscope::fuzz
