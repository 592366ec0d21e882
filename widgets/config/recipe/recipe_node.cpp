// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/recipe_node.h"

#include "widgets/models/text/text_format.h"

#include <QRegularExpression>

#include <algorithm>
#include <unordered_set>

namespace rankscope::ui {

using config::Problem;

static const config::KeyRow& noRow() {
    static const config::KeyRow none;
    return none;
}

RecipeNode::RecipeNode() : row(&noRow()) {}

QString RecipeNode::key() const {
    if (leaf)
        return QString::fromStdString(row->key);
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

bool sameShown(const config::KeyRow& a, const config::KeyRow& b) {
    return a.yours == b.yours && a.nemoYaml == b.nemoYaml && a.code == b.code && a.codeSource == b.codeSource &&
           a.effective == b.effective && a.origin == b.origin && a.affectsRanks == b.affectsRanks && a.type == b.type &&
           a.choices == b.choices && (a.at.line > 0) == (b.at.line > 0);
}

RecipeCounts& RecipeCounts::operator+=(const RecipeCounts& more) {
    differing += more.differing;
    problems += more.problems;
    errors += more.errors;
    dangers += more.dangers;
    return *this;
}

RecipeCounts RecipeMarks::counts() const {
    const int errors = error.isEmpty() ? 0 : 1;
    return {rowDiffers ? 1 : 0, errors + (warning.isEmpty() ? 0 : 1) + dangers + cautions, errors, dangers};
}

bool RecipeNode::show(const config::KeyRow* shown, RecipeMarks marks) {
    const bool same = row == shown || sameShown(*row, *shown);
    row = shown;
    if (marks == static_cast<const RecipeMarks&>(*this))
        return !same;
    RecipeCounts more = -counts();
    static_cast<RecipeMarks&>(*this) = std::move(marks);
    more += counts();
    for (RecipeNode* up = this; up; up = up->parent)
        up->total += more;
    return true;
}

/// Returns the section of a key and the key's last part. `make`: missing sections are added; otherwise returns null.
static std::pair<RecipeNode*, QString> sectionOf(RecipeNode* root, const std::string& key, bool make) {
    RecipeNode* at = root;
    const QString whole = QString::fromStdString(key);
    qsizetype from = 0;
    for (qsizetype dot = whole.indexOf(QLatin1Char('.')); dot >= 0; dot = whole.indexOf(QLatin1Char('.'), from)) {
        const QString part = whole.mid(from, dot - from);
        RecipeNode* next = at->child(part, false);
        if (!next && !make)
            return {};
        at = next ? next : at->add(part, false);
        from = dot + 1;
    }
    return {at, whole.mid(from)};
}

RecipeNode* RecipeTree::add(const config::KeyRow& row) {
    const auto [section, name] = sectionOf(root.get(), row.key, true);
    if (section->child(name, true))
        return nullptr; // a duplicate key is reported as a problem
    RecipeNode* leaf = section->add(name, true);
    leaf->row = &row;
    return leaf;
}

RecipeNode* RecipeTree::leafOf(const config::KeyRow& row) const {
    const auto [section, name] = sectionOf(root.get(), row.key, false);
    return section ? section->child(name, true) : nullptr;
}

void RecipeTree::addAbsent(const config::Effective& mine, const std::vector<Comparison>& others) {
    std::unordered_set<std::string> seen;
    for (const config::KeyRow& row : mine.rows)
        seen.insert(row.key);
    for (const Comparison& other : others)
        for (const auto& row : other.evaluation ? other.evaluation->rows : std::vector<config::KeyRow>{})
            if (seen.insert(row.key).second) {
                config::KeyRow& one = absent.emplace_back();
                one.key = row.key;
                one.nemoYaml = row.nemoYaml;
                one.type = row.type;
                one.choices = row.choices;
                one.affectsRanks = row.affectsRanks;
                one.spec = row.spec;
                add(one);
            }
}

static void collect(RecipeNode* node, std::vector<RecipeNode*>& leaves) {
    if (node->leaf && node->number >= 0)
        leaves[static_cast<std::size_t>(node->number)] = node;
    for (const auto& child : node->children)
        collect(child.get(), leaves);
}

void RecipeTree::collectLeaves(std::size_t rows) {
    leaves.assign(rows, nullptr);
    collect(root.get(), leaves);
}

std::shared_ptr<RecipeTree> keyTree(const config::Effective& mine) {
    auto tree = std::make_shared<RecipeTree>();
    tree->leaves.reserve(mine.rows.size());
    for (const config::KeyRow& row : mine.rows) {
        tree->leaves.push_back(tree->add(row));
        if (RecipeNode* leaf = tree->leaves.back())
            leaf->number = static_cast<int>(tree->leaves.size()) - 1;
    }
    return tree;
}

std::vector<std::string> relatedKeys(const config::Effective& mine, const Problem& error) {
    std::vector<std::string> keys;
    // a single word counts as a key only if it cannot be an ordinary word of the sentence
    static const QRegularExpression name(QStringLiteral("[A-Za-z_]\\w*(?:\\.\\w+)+|[A-Za-z]+_\\w+"));
    const std::string section = error.key.substr(0, error.key.rfind('.') + 1);
    for (auto found = name.globalMatch(QString::fromStdString(error.text.english())); found.hasNext();) {
        std::string key = found.next().captured().toStdString();
        if (key.find('.') == std::string::npos)
            key.insert(0, section);
        if (key != error.key && mine.find(key) && std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.push_back(std::move(key));
    }
    return keys;
}

bool isSameMatter(const Problem& refusal, const config::Risk& risk) {
    static constexpr const char* kOfFiles[] = {"path-missing", "audio-missing", "manifest-"};
    const auto isOf = [&](const char* id) { return risk.rule && risk.rule->id.starts_with(id); };
    return refusal.key == risk.key &&
           ((!risk.reason.empty() && refusal.text.english().starts_with(risk.reason.english())) ||
            std::any_of(std::begin(kOfFiles), std::end(kOfFiles), isOf));
}

RecipeMarker::RecipeMarker(const config::Effective& mine, const std::vector<config::Risk>& risks,
                           const std::vector<Problem>& refusals, const std::vector<Comparison>& others)
    : m_others(others) {
    for (const auto* problems : {&mine.problems, &refusals})
        for (const Problem& problem : *problems)
            add(mine, problem);
    for (const config::Risk& risk : risks) { // the most severe comes first
        RecipeMarks& marks = m_marks[risk.key];
        const bool told = std::any_of(refusals.begin(), refusals.end(),
                                      [&](const Problem& refusal) { return isSameMatter(refusal, risk); });
        const auto severity = told || !risk.rule ? config::RiskSeverity::Info : risk.rule->severity;
        marks.dangers += severity == config::RiskSeverity::Danger ? 1 : 0;
        marks.cautions += severity == config::RiskSeverity::Caution ? 1 : 0;
        marks.risk += (marks.risk.isEmpty() ? QString() : QStringLiteral("\n")) + messageText(risk.reason);
    }
    m_comparing = std::any_of(others.begin(), others.end(), [](const Comparison& one) { return one.evaluation; });
}

void RecipeMarker::add(const config::Effective& mine, const Problem& problem) {
    if (problem.key.empty() || problem.severity == Problem::Severity::Info)
        return;
    RecipeMarks& marks = m_marks[problem.key];
    const bool error = problem.severity == Problem::Severity::Error;
    QString& text = error ? marks.error : marks.warning;
    if (text.isEmpty())
        text = messageText(problem.text);
    if (!error)
        return;
    for (const std::string& key : relatedKeys(mine, problem))
        if (QString& related = m_marks[key].related; related.isEmpty())
            related = messageText(problem.text);
}

RecipeMarks RecipeMarker::of(const config::KeyRow& row) const {
    const auto found = m_marks.find(row.key);
    RecipeMarks marks = found == m_marks.end() ? RecipeMarks() : found->second;
    marks.rowDiffers = !m_comparing && row.differs;
    for (std::size_t i = 0; i < m_others.size() && i < marks.others.size(); ++i) {
        if (!m_others[i].evaluation)
            continue;
        marks.others[i] = m_others[i].value(row.key);
        marks.otherDiffers[i] = !sameShownValue(shownValue(row), marks.others[i]);
        marks.rowDiffers = marks.rowDiffers || marks.otherDiffers[i];
    }
    return marks;
}

} // namespace rankscope::ui
