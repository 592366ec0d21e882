// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/effective/effective.h"

#include <QComboBox>

#include <optional>

namespace rankscope::ui {

/// The field of a decisive setting, in which the user chooses or types a value; a click opens the choices. A value that
/// the key does not accept is marked immediately, stays in the field and is not set; Escape restores the recipe's
/// value.
class SyncValueBox final : public QComboBox {
    Q_OBJECT
public:
    explicit SyncValueBox(QWidget* parent = nullptr);

    /// Sets the choices unless the user is typing. `spec`: what the key accepts; null: anything.
    void setChoices(const QStringList& values, const std::optional<QString>& yours, const config::KeySpec* spec);
    void reset(); ///< discards the text being typed
    bool isEdited() const;
    void hidePopup() override;
    QString problem() const { return m_problem; } ///< with the text being typed; empty: none

signals:
    void chosen(const QString& yaml); ///< never an invalid one
    void problemChanged(const QString& problem);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void check();
    void take();

    std::optional<QString> m_yours;
    const config::KeySpec* m_spec = nullptr;
    QString m_problem;
};

} // namespace rankscope::ui
