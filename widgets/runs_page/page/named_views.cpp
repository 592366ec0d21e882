// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/named_views.h"

#include "widgets/runs_page/page/line_box.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QActionGroup>
#include <QJsonArray>
#include <QLineEdit>
#include <QMenu>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMostName = 60; ///< characters

QString inMenu(QString name) {
    return name.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

} // namespace

/// Undoes and redoes a change of the list of views. The table keeps its layout: only the list changes.
class ViewsCommand final : public QUndoCommand {
public:
    ViewsCommand(const QString& text, NamedViews* views, NamedViews::State before, NamedViews::State after)
        : QUndoCommand(text), m_views(views), m_before(std::move(before)), m_after(std::move(after)) {}
    void redo() override { m_views->setState(m_after); }
    void undo() override { m_views->setState(m_before); }

private:
    NamedViews* m_views;
    NamedViews::State m_before, m_after;
};

NamedViews::NamedViews(QUndoStack* undo, std::function<QByteArray()> layout, QWidget* parent)
    : QToolButton(parent), m_undo(undo), m_layout(std::move(layout)) {
    setObjectName(QStringLiteral("views"));
    setIcon(Theme::instance().icon(QStringLiteral("filter")));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, &NamedViews::fillMenu);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void NamedViews::retranslate() {
    constexpr int kMostWidth = 160;
    setText(inMenu(
        fontMetrics().elidedText(m_current.isEmpty() ? tr("Default view") : m_current, Qt::ElideRight, kMostWidth)));
    setToolTip(tr("Saved views: filter, columns, sorting and layout under a name"));
}

qsizetype NamedViews::indexOf(const QString& name) const {
    const auto at =
        std::find_if(m_views.begin(), m_views.end(), [&name](const NamedView& view) { return view.name == name; });
    return at == m_views.end() ? -1 : at - m_views.begin();
}

void NamedViews::setState(const State& state) {
    m_views = state.views;
    std::sort(m_views.begin(), m_views.end(),
              [](const NamedView& a, const NamedView& b) { return a.name.localeAwareCompare(b.name) < 0; });
    m_current = indexOf(state.current) < 0 ? QString() : state.current;
    retranslate();
}

void NamedViews::change(const QString& text, const State& to) {
    m_undo->push(new ViewsCommand(text, this, {m_views, m_current}, to));
}

void NamedViews::choose(const QString& name) {
    const qsizetype at = indexOf(name);
    m_current = at < 0 ? QString() : name;
    retranslate();
    emit chosen(at < 0 ? QByteArray() : m_views[at].layout);
}

void NamedViews::saveAs(const QString& name) {
    const QString called = name.simplified().left(kMostName);
    if (called.isEmpty() || (indexOf(called) < 0 && m_views.size() >= kMostViews))
        return;
    State to{m_views, called};
    if (const qsizetype at = indexOf(called); at >= 0)
        to.views[at].layout = m_layout();
    else
        to.views.append({called, m_layout()});
    change(tr("Save the view %1").arg(called), to);
}

void NamedViews::rename(const QString& name, const QString& now) {
    const QString called = now.simplified().left(kMostName);
    const qsizetype at = indexOf(name);
    if (at < 0 || called.isEmpty() || indexOf(called) >= 0)
        return;
    State to{m_views, m_current == name ? called : m_current};
    to.views[at].name = called;
    change(tr("Rename the view %1").arg(name), to);
}

void NamedViews::remove(const QString& name) {
    const qsizetype at = indexOf(name);
    if (at < 0)
        return;
    State to{m_views, m_current == name ? QString() : m_current};
    to.views.removeAt(at);
    change(tr("Delete the view %1").arg(name), to);
}

void NamedViews::fillMenu() {
    menu()->clear();
    delete menu()->findChild<QActionGroup*>(); // of the entries that were there
    auto* group = new QActionGroup(menu());
    const auto add = [&](const QString& text, const QString& name) {
        QAction* action = menu()->addAction(inMenu(text), this, [this, name] { choose(name); });
        action->setCheckable(true);
        action->setChecked(name == m_current);
        group->addAction(action);
    };
    add(tr("Default view"), {});
    for (const NamedView& view : std::as_const(m_views))
        add(view.name, view.name);
    menu()->addSeparator();
    const bool named = !m_current.isEmpty();
    menu()->addAction(tr("Save as…"), this, [this] { askName(false); })->setEnabled(m_views.size() < kMostViews);
    const qsizetype at = indexOf(m_current);
    menu()
        ->addAction(tr("Save changes"), this, [this] { saveAs(m_current); })
        ->setEnabled(named && m_views[at].layout != m_layout());
    menu()->addAction(tr("Rename…"), this, [this] { askName(true); })->setEnabled(named);
    menu()->addAction(tr("Delete"), this, [this] { remove(m_current); })->setEnabled(named);
}

void NamedViews::askName(bool renames) {
    QStringList names;
    for (const NamedView& view : std::as_const(m_views))
        names << view.name;
    QLineEdit* edit = openLineBox(this, QStringLiteral("viewBox"), mapToGlobal(QPoint(0, height() + 2)),
                                  renames ? QStringList() : names, [this, renames](const QString& name) {
                                      if (renames)
                                          rename(m_current, name);
                                      else
                                          saveAs(name);
                                  });
    edit->setMaxLength(kMostName);
    edit->setPlaceholderText(tr("Name of the view"));
    edit->setAccessibleName(tr("Name of the view"));
    edit->setText(m_current);
    edit->selectAll();
}

QJsonObject NamedViews::saveState() const {
    QJsonArray views;
    for (const NamedView& view : m_views)
        views.append(QJsonObject{{QStringLiteral("name"), view.name},
                                 {QStringLiteral("layout"), QString::fromUtf8(view.layout)}});
    return {{QStringLiteral("views"), views}, {QStringLiteral("current"), m_current}};
}

void NamedViews::restoreState(const QJsonObject& state) {
    State restored{{}, state.value(QStringLiteral("current")).toString()};
    for (const auto& value : state.value(QStringLiteral("views")).toArray()) {
        const QString name = value[QLatin1String("name")].toString().simplified().left(kMostName);
        if (!name.isEmpty() && restored.views.size() < kMostViews)
            restored.views.append({name, value[QLatin1String("layout")].toString().toUtf8()});
    }
    setState(restored);
}

} // namespace rankscope::ui
