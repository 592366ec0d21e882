// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/model/recipe_cell.h"

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/recipe/recipe_node.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QBrush>
#include <QFont>
#include <QStringList>

#include <array>
#include <optional>

namespace rankscope::ui {

static QString codeWord(const std::string& source) {
    return source.starts_with("Lightning")   ? RecipeCell::tr("Lightning code")
           : source.starts_with("torch")     ? RecipeCell::tr("PyTorch code")
           : source.starts_with("Rankscope") ? QStringLiteral("Rankscope")
                                             : RecipeCell::tr("NeMo code");
}

QString originWord(const config::KeyRow& row) {
    switch (row.origin) {
    case config::Origin::Yours:
        return RecipeCell::tr("your file");
    case config::Origin::Override:
        return RecipeCell::tr("override");
    case config::Origin::NemoYaml:
        return RecipeCell::tr("NeMo YAML");
    case config::Origin::Code:
        return codeWord(row.codeSource);
    case config::Origin::Unset:
        break;
    }
    return RecipeCell::tr("not set");
}

static QVariant text(const std::optional<config::ValueText>& value) {
    return value ? QVariant(QString::fromStdString(*value)) : QVariant();
}

QVariant RecipeCell::data(int role) const {
    switch (role) {
    case Qt::DisplayRole:
        return display();
    case Qt::EditRole:
        // editing an absent key starts from its effective value
        return m_column == Yours && !m_node.row->yours ? text(m_node.row->effective) : display();
    case Qt::ToolTipRole:
        return plainToolTip(toolTip().toString());
    case Qt::FontRole:
        return font();
    case Qt::ForegroundRole:
        return foreground();
    default:
        return fact(role);
    }
}

QVariant RecipeCell::display() const {
    if (m_column == Key || !m_node.leaf)
        return m_column == Key ? QVariant(m_node.name) : QVariant();
    if (m_column == OtherA || m_column == OtherB)
        return text(m_node.others[static_cast<std::size_t>(m_column - OtherA)]);
    static constexpr std::array kValues{&config::KeyRow::yours, &config::KeyRow::nemoYaml, &config::KeyRow::code,
                                        &config::KeyRow::effective};
    static_assert(Effective - Yours + 1 == kValues.size());
    return m_column <= Effective ? text(m_node.row->*kValues[static_cast<std::size_t>(m_column - Yours)])
                                 : QVariant(originWord(*m_node.row));
}

QVariant RecipeCell::toolTip() const {
    QStringList lines;
    if (m_column == Key) {
        lines << m_node.key();
        for (const QString& text : {m_node.error, m_node.related, m_node.warning})
            if (!text.isEmpty())
                lines << text;
        if (!m_node.risk.isEmpty())
            lines << m_node.risk;
        else if (m_node.row->affectsRanks)
            lines << tr("Affects collectives, the batches of each rank, or the layout of processes.");
        if (!m_node.leaf && m_node.total.problems > 0)
            lines << tr("%n problem(s) in this section", nullptr, m_node.total.problems);
        return lines.join(QLatin1Char('\n'));
    }
    if (m_column == NemoCode && m_node.row->code)
        lines << tr("default in %1").arg(QString::fromStdString(m_node.row->codeSource));
    if (m_column == Yours && !m_node.anyError().isEmpty())
        lines << m_node.anyError();
    const QString value = display().toString();
    if (value.size() > 16)
        lines.prepend(value);
    return lines.isEmpty() ? QVariant() : QVariant(lines.join(QLatin1Char('\n')));
}

/// Returns whether a leaf's value differs: the one in effect from NeMo's or, if recipes are compared, from theirs.
bool RecipeCell::isDifferent() const {
    const bool other = m_column == OtherA || m_column == OtherB;
    return (m_column == Effective && m_node.rowDiffers) ||
           (other && m_node.otherDiffers[static_cast<std::size_t>(m_column - OtherA)]);
}

QVariant RecipeCell::foreground() const {
    const Palette& colours = Theme::instance().palette();
    if (!m_node.anyError().isEmpty() && (m_column == Key || m_column == Yours))
        return QBrush(colours.dead);
    const bool quiet = m_column != Key && m_column != Yours && m_column != Effective;
    return m_node.leaf && quiet && !isDifferent() ? QVariant(QBrush(colours.secondary)) : QVariant();
}

QVariant RecipeCell::font() const {
    if (!m_node.leaf && m_column == Key)
        return headingFont();
    QFont bold; // the rest is the view's
    bold.setWeight(QFont::DemiBold);
    return isDifferent() ? QVariant(bold) : QVariant();
}

/// Returns "true", "True", "on" and the like as YAML reads them; none: not a bool.
static std::optional<bool> boolOf(const std::optional<config::ValueText>& value) {
    const QString word = value ? QString::fromStdString(*value).toLower() : QString();
    const bool on = word == QLatin1String("true") || word == QLatin1String("yes") || word == QLatin1String("on");
    const bool off = word == QLatin1String("false") || word == QLatin1String("no") || word == QLatin1String("off");
    return on || off ? std::optional(on) : std::nullopt;
}

QVariant RecipeCell::worst() const {
    const auto mark = [](MarkSeverity severity) { return QVariant(static_cast<int>(severity)); };
    if (m_node.total.errors > 0 || !m_node.related.isEmpty()) // counted once, at the error's own key
        return mark(MarkSeverity::Error);
    if (m_node.total.dangers > 0)
        return mark(MarkSeverity::Danger);
    if (m_node.total.problems > 0)
        return mark(MarkSeverity::Caution);
    return m_node.risk.isEmpty() ? QVariant() : mark(MarkSeverity::Note);
}

/// Returns the value of one of the model's own roles.
QVariant RecipeCell::fact(int role) const {
    switch (role) {
    case KeyRole:
        return m_node.key();
    case LeafRole:
        return m_node.leaf;
    case TypeRole:
        return QString::fromStdString(m_node.row->type);
    case ChoicesRole: {
        QStringList choices;
        for (const auto& one : m_node.row->choices)
            choices << QString::fromStdString(one);
        return choices;
    }
    case DiffersRole:
        return m_node.total.differing > 0;
    case RanksRole:
        return m_node.row->affectsRanks;
    case ErrorRole:
        return m_node.anyError();
    case WorstRole:
        return worst();
    case ProblemsRole:
        return m_node.total.problems;
    case LineRole:
        return m_node.row->at.line;
    case TipRole:
        return toolTip();
    case SpecRole:
        return QVariant::fromValue(static_cast<const void*>(m_node.row->spec));
    case SearchRole:
        return m_node.leaf ? QStringList{m_node.key(), text(m_node.row->effective).toString(),
                                         text(m_node.row->yours).toString()}
                                 .join(QLatin1Char(' '))
                           : QString();
    case SwitchRole: {
        if (!m_node.leaf || m_column != Yours || m_node.row->type != "bool" || m_readOnly)
            return {};
        const auto on = boolOf(m_node.row->yours ? m_node.row->yours : m_node.row->effective);
        return on ? QVariant(*on) : QVariant();
    }
    default:
        return {};
    }
}

} // namespace rankscope::ui
