// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/labels/risk_remedies.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/recipe/evaluation.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace rankscope::ui {

/// Shows everything about the selected key: its allowed values, its problems, its risks and their remedies.
class KeyDetail final : public QScrollArea {
    Q_OBJECT
public:
    explicit KeyDetail(QWidget* parent = nullptr);
    /// Shows the key. `risks` and the reasons why a launch would be refused are those of the whole recipe; only the
    /// key's are shown.
    void show(const QString& key, const Evaluation& evaluation, const std::vector<config::Risk>& risks,
              const std::vector<config::Problem>& refusals = {});
    QString key() const { return m_key; }
    QString plainText() const; ///< everything that is shown, for tests and the clipboard

signals:
    void applyRequested(const rankscope::ui::KeySettings& settings);
    void revealRequested(const QString& key);
    void renameRequested(const QString& from, const QString& to); ///< in the same section, or moved to another
    void causeRequested(const QString& cause);                    ///< "data_loading", or a heading: "#memory"

protected:
    void changeEvent(QEvent* event) override;

private:
    /// What is shown of a section.
    struct SectionFacts {
        int keys = 0, written = 0; ///< keys in it, and those of them that the file sets
        QStringList wrong;         ///< those of them with an error or a risk
        bool operator==(const SectionFacts&) const = default;
    };
    static SectionFacts factsOf(const std::string& section, const config::Effective& evaluation,
                                const std::vector<config::Risk>& risks, const std::vector<config::Problem>& refusals);
    void rebuild();
    QLabel* text(const QString& plain, bool secondary = false);
    void heading(const QString& title);
    void facts(const config::KeyRow& row);
    void facts(const SectionFacts& section);
    void problems();
    void renameButton(const config::Problem& problem);
    void risk(const config::Risk& risk);
    void marked(MarkSeverity severity, const QString& body);

    QString m_key;
    std::optional<config::KeyRow> m_row;
    std::vector<config::Problem> m_problems; ///< of the key
    std::vector<config::Risk> m_risks;
    SectionFacts m_section; ///< without keys: the key is none of a section
    QWidget* m_body = nullptr;
    QVBoxLayout* m_layout = nullptr;
};

} // namespace rankscope::ui
