// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe_node.h"

#include "widgets/config/decisive.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace rankscope::ui {

using config::Problem;

QString RecipeNode::key() const {
    if (leaf)
        return QString::fromStdString(row.key);
    return parent && parent->parent ? parent->key() + QLatin1Char('.') + name : name;
}

RecipeNode* RecipeNode::child(const QString& wanted, bool wantLeaf) const {
    return (wantLeaf ? leaves : sections).value(wanted);
}

RecipeNode* RecipeNode::add(const QString& childName, bool asLeaf) {
    auto fresh = std::make_unique<RecipeNode>();
    fresh->name = childName;
    fresh->leaf = asLeaf;
    RecipeNode* node = fresh.get();
    insert(static_cast<int>(children.size()), std::move(fresh));
    return node;
}

void RecipeNode::renumber(int from) {
    for (auto i = static_cast<std::size_t>(from); i < children.size(); ++i)
        children[i]->at = static_cast<int>(i);
}

void RecipeNode::insert(int position, std::unique_ptr<RecipeNode> one) {
    one->parent = this;
    (one->leaf ? leaves : sections).insert(one->name, one.get());
    children.insert(children.begin() + position, std::move(one));
    renumber(position);
}

std::unique_ptr<RecipeNode> RecipeNode::take(int position) {
    auto one = std::move(children[static_cast<std::size_t>(position)]);
    children.erase(children.begin() + position);
    (one->leaf ? leaves : sections).remove(one->name);
    renumber(position);
    return one;
}

bool RecipeNode::sameShown(const RecipeNode& o) const {
    return row.yours == o.row.yours && row.nemoYaml == o.row.nemoYaml && row.code == o.row.code &&
           row.codeSource == o.row.codeSource && row.effective == o.row.effective && row.origin == o.row.origin &&
           row.affectsRanks == o.row.affectsRanks && risk == o.risk && riskSeverity == o.riskSeverity &&
           row.type == o.row.type && row.choices == o.row.choices && row.at.line == o.row.at.line && error == o.error &&
           warning == o.warning && differs == o.differs && problems == o.problems && errors == o.errors &&
           others == o.others && otherDiffers == o.otherDiffers;
}

void RecipeNode::show(RecipeNode& o) {
    row = std::move(o.row);
    error = std::move(o.error);
    warning = std::move(o.warning);
    risk = std::move(o.risk);
    riskSeverity = o.riskSeverity;
    others = std::move(o.others);
    otherDiffers = o.otherDiffers;
    differs = o.differs;
    problems = o.problems;
    errors = o.errors;
}

namespace {

struct Marks {
    QString error, warning, risk;
    std::optional<config::RiskSeverity> severity;
};

class Builder {
public:
    Builder(const config::Effective& mine, const std::vector<config::Risk>& risks,
            const std::vector<Comparison>& others)
        : m_others(others) {
        for (const Problem& problem : mine.problems) {
            if (problem.key.empty() || problem.severity == Problem::Severity::Info)
                continue;
            Marks& marks = m_marks[problem.key];
            QString& text = problem.severity == Problem::Severity::Error ? marks.error : marks.warning;
            if (text.isEmpty())
                text = coreText(problem.text);
        }
        for (const config::Risk& risk : risks) { // the most severe comes first
            Marks& marks = m_marks[risk.key];
            if (!marks.severity)
                marks.severity = risk.rule ? risk.rule->severity : config::RiskSeverity::Info;
            marks.risk += (marks.risk.isEmpty() ? QString() : QStringLiteral("\n")) + coreText(risk.reason);
        }
        m_comparing = std::any_of(others.begin(), others.end(), [](const Comparison& one) { return one.evaluation; });
    }

    std::unique_ptr<RecipeNode> build(const config::Effective& mine) {
        auto root = std::make_unique<RecipeNode>();
        m_seen.reserve(mine.rows.size());
        for (const config::KeyRow& row : mine.rows)
            add(*root, row);
        for (const Comparison& other : m_others)
            for (const auto& row : other.evaluation ? other.evaluation->rows : std::vector<config::KeyRow>{})
                if (!m_seen.count(row.key)) { // what only the other has
                    config::KeyRow absent;
                    absent.key = row.key;
                    absent.nemoYaml = row.nemoYaml;
                    absent.type = row.type;
                    absent.choices = row.choices;
                    absent.affectsRanks = row.affectsRanks;
                    absent.spec = row.spec;
                    add(*root, absent);
                }
        return root;
    }

private:
    void add(RecipeNode& root, const config::KeyRow& row) {
        if (!m_seen.insert(row.key).second)
            return; // a key that the file names twice is a problem of its own
        RecipeNode* at = &root;
        const QString whole = QString::fromStdString(row.key);
        qsizetype from = 0;
        for (qsizetype dot = whole.indexOf(QLatin1Char('.')); dot >= 0; dot = whole.indexOf(QLatin1Char('.'), from)) {
            const QString part = whole.mid(from, dot - from);
            RecipeNode* next = at->child(part, false);
            at = next ? next : at->add(part, false);
            from = dot + 1;
        }
        const QString name = whole.mid(from);
        RecipeNode* leaf = at->add(name, true);
        leaf->row = row;
        if (const auto marks = m_marks.find(row.key); marks != m_marks.end()) {
            leaf->error = marks->second.error;
            leaf->warning = marks->second.warning;
            leaf->risk = marks->second.risk;
            leaf->riskSeverity = marks->second.severity;
        }
        leaf->differs = m_comparing ? compare(*leaf) : row.differs;
        const int errors = leaf->error.isEmpty() ? 0 : 1, problems = errors + (leaf->warning.isEmpty() ? 0 : 1);
        for (RecipeNode* up = leaf; up; up = up->parent) {
            up->problems += problems;
            up->errors += errors;
            up->differs = up->differs || leaf->differs;
        }
    }

    bool compare(RecipeNode& leaf) const {
        bool any = false;
        for (std::size_t i = 0; i < m_others.size() && i < leaf.others.size(); ++i) {
            if (!m_others[i].evaluation)
                continue;
            leaf.others[i] = m_others[i].value(leaf.row.key);
            leaf.otherDiffers[i] = !sameShownValue(shownValue(leaf.row), leaf.others[i]);
            any = any || leaf.otherDiffers[i];
        }
        return any;
    }

    const std::vector<Comparison>& m_others;
    std::unordered_map<std::string, Marks> m_marks;
    std::unordered_set<std::string> m_seen;
    bool m_comparing = false;
};

} // namespace

std::unique_ptr<RecipeNode> recipeTree(const Evaluation& evaluation, const std::vector<config::Risk>& risks,
                                       const std::vector<Comparison>& others) {
    return evaluation ? Builder(*evaluation, risks, others).build(*evaluation) : std::make_unique<RecipeNode>();
}

} // namespace rankscope::ui
