// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/compare_model.h"

#include "core/base/values/clock.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QPixmap>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace rankscope::ui {

namespace {

/// Returns whether two texts are equal; texts from different pools may be equal at different addresses.
bool sameText(const std::string* a, const std::string* b) {
    return a == b || (a && b && *a == *b);
}

} // namespace

std::vector<SettingLine> settingLines(const QList<RunRow>& runs, bool onlyDiffering) {
    std::unordered_map<std::string_view, SettingLine> lines;        // keyed by text: runs may use different pools
    std::unordered_map<const std::string*, SettingLine*> lineOfKey; // of keys met before: most runs share a pool
    for (qsizetype r = 0; r < runs.size(); ++r) {
        if (!runs[r].settings)
            continue;
        for (const auto& entry : runs[r].settings->entries) {
            SettingLine*& line = lineOfKey[entry.key];
            if (!line) {
                line = &lines[*entry.key];
                line->key = line->key ? line->key : entry.key;
                line->values.resize(static_cast<std::size_t>(runs.size()), nullptr);
            }
            line->values[static_cast<std::size_t>(r)] = entry.value;
        }
    }
    std::vector<SettingLine> result;
    for (auto& [key, line] : lines) {
        std::optional<const std::string*> first;
        for (qsizetype r = 0; r < runs.size(); ++r) {
            if (!runs[r].settings)
                continue;
            const std::string* value = line.values[static_cast<std::size_t>(r)];
            line.differs = line.differs || (first && !sameText(*first, value));
            first = first.value_or(value);
        }
        if (line.differs || !onlyDiffering)
            result.push_back(std::move(line));
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return *a.key < *b.key; });
    return result;
}

const std::vector<FieldId>& comparedFigures() {
    static const std::vector<FieldId> fields{
        FieldId::State,      FieldId::Steps,          FieldId::Duration, FieldId::Loss,       FieldId::BestLoss,
        FieldId::Validation, FieldId::BestValidation, FieldId::Rate,     FieldId::SampleRate, FieldId::Waited,
        FieldId::Holder,     FieldId::Incidents,      FieldId::Memory,   FieldId::Ranks};
    return fields;
}

void CompareModel::setRuns(const QList<RunRow>& runs, const QList<RunName>& names, const QList<QColor>& colours) {
    m_runs = runs;
    m_names = names;
    m_colours = colours;
    rebuild();
}

void CompareModel::setColours(const QList<QColor>& colours) {
    m_colours = colours;
    if (!m_runs.isEmpty())
        emit headerDataChanged(Qt::Horizontal, 1, columnCount() - 1);
}

void CompareModel::setOnlyDiffering(bool on) {
    m_onlyDiffering = on;
    rebuild();
}

void CompareModel::setSearch(const QString& words) {
    m_search = words.trimmed();
    rebuild();
}

void CompareModel::retranslate() {
    rebuild();
}

void CompareModel::rebuild() {
    beginResetModel();
    m_lines.clear();
    const qint64 now = realtimeNs();
    if (m_what == What::Figures) {
        for (const FieldId id : comparedFigures())
            for (const RunField& field : builtinFields()) {
                if (field.id != id)
                    continue;
                CompareTableLine line{field.title(), field.hint(), {}, field.id};
                for (const RunRow& run : m_runs)
                    line.cells << cellOf(run, field, now);
                m_lines << line;
            }
    } else {
        for (const SettingLine& setting : settingLines(m_runs, m_onlyDiffering)) {
            const QString key = QString::fromStdString(*setting.key);
            if (!m_search.isEmpty() && !key.contains(m_search, Qt::CaseInsensitive))
                continue;
            CompareTableLine line{key, {}, {}, FieldId::Setting};
            for (const std::string* value : setting.values) {
                Cell cell;
                if (value) {
                    cell.text = QString::fromStdString(*value);
                    cell.number = cell.order = numberOf(*value).value_or(RunFigures::kNone);
                }
                line.cells << cell;
            }
            m_lines << line;
        }
    }
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || m_runs.isEmpty() ? 0 : static_cast<int>(m_runs.size()) + 1;
}

bool CompareModel::same(const CompareTableLine& line, int run) const {
    return line.cells[0].text == line.cells[run].text && !isUnknown(0) && !isUnknown(run);
}

/// Returns whether the settings of the run are not known: it is a program that has named no recipe, or it was imported.
bool CompareModel::isUnknown(int run) const {
    return m_what == What::Settings && !m_runs[run].settings;
}

/// Returns the text for a tool tip.
QString CompareModel::valueText(const CompareTableLine& line, int run) const {
    const Cell& cell = line.cells[run];
    return !cell.isMissing() ? withParts(cell.text, m_runs[run], line.id)
           : isUnknown(run)  ? tr("not known")
                             : tr("none");
}

QString CompareModel::tipOf(const CompareTableLine& line, int run) const {
    if (run == 0)
        return plainToolTip(tr("%1\nbaseline", "a value").arg(valueText(line, 0)));
    return same(line, run) ? tr("same as the baseline")
                           : plainToolTip(tr("%1\nbaseline: %2").arg(valueText(line, run), valueText(line, 0)));
}

/// Returns how a run's value differs from the baseline's.
FigureChange CompareModel::change(const CompareTableLine& line, int run) const {
    return run == 0 || same(line, run) ? FigureChange() : figureChange(line.id, line.cells[run], line.cells[0]);
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const CompareTableLine& line = m_lines[index.row()];
    const int run = index.column() - 1;
    if (run < 0)
        return role == Qt::DisplayRole   ? QVariant(line.title)
               : role == Qt::ToolTipRole ? QVariant(plainToolTip(line.hint.isEmpty() ? line.title : line.hint))
                                         : QVariant();
    const Cell& cell = line.cells[run];
    const bool differs = run > 0 && !same(line, run) && !isUnknown(0) && !isUnknown(run);
    switch (role) {
    case ValueRole:
        return cell.isMissing() ? QStringLiteral("–") : cell.text;
    case Qt::DisplayRole: {
        const QString text = change(line, run).text, value = data(index, ValueRole).toString();
        return text.isEmpty() ? value : QStringLiteral("%1   %2").arg(value, text);
    }
    case Qt::ForegroundRole:
        return QBrush(run > 0 && !differs ? Theme::instance().palette().secondary : Theme::instance().palette().text);
    case Qt::FontRole: {
        QFont font = bodyFont();
        font.setWeight(differs ? QFont::DemiBold : QFont::Normal);
        return font;
    }
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (m_what == What::Figures ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole:
        return tipOf(line, run);
    case SameRole:
        return same(line, run);
    case ShareRole: {
        const auto share = change(line, run).share;
        return share ? QVariant(*share) : QVariant();
    }
    case ChangeRole:
        return change(line, run).text;
    case VerdictRole:
        return static_cast<int>(change(line, run).verdict);
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section > m_runs.size())
        return {};
    if (section == 0)
        return role == Qt::TextAlignmentRole ? QVariant(Qt::AlignVCenter | Qt::AlignLeft)
               : role != Qt::DisplayRole     ? QVariant()
               : m_what == What::Settings    ? QVariant(tr("Setting"))
                                             : QVariant(tr("Figure"));
    const RunRow& run = m_runs[section - 1];
    switch (role) {
    case Qt::DisplayRole: {
        const QString& name = m_names[section - 1].whole;
        return section == 1 ? tr("%1 (baseline)").arg(name) : name;
    }
    case Qt::ToolTipRole:
        return plainToolTip(runTip(run));
    case IdRole:
        return QString::fromStdString(run.paths.dir.filename().string());
    case Qt::DecorationRole: {
        QPixmap swatch(12, 12);
        swatch.fill(m_colours.value(section - 1));
        return swatch;
    }
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | Qt::AlignLeft);
    case ColourRole:
        return m_colours.value(section - 1);
    default:
        return {};
    }
}

QString CompareModel::copied() const {
    QString text;
    for (int c = 0; c < columnCount(); ++c)
        text += (c ? QStringLiteral("\t") : QString()) +
                (c == 0 ? headerData(0, Qt::Horizontal, Qt::DisplayRole) : headerData(c, Qt::Horizontal, IdRole))
                    .toString();
    text += QLatin1Char('\n');
    for (const CompareTableLine& line : m_lines) {
        text += line.title;
        for (const Cell& cell : line.cells)
            text += QLatin1Char('\t') + QString(cell.text).replace(QLatin1Char('\t'), QLatin1Char(' '));
        text += QLatin1Char('\n');
    }
    return text;
}

} // namespace rankscope::ui
