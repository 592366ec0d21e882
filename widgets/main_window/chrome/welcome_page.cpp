// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/welcome_page.h"

#include "core/base/process/libtorch_location.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QAbstractButton>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

/// A large button with an icon, a title and one line that says what it does. A card has a frame; a row of the list
/// below the cards has one only under the mouse or with the focus.
class WelcomePage::Choice final : public QAbstractButton {
public:
    enum class Look { Card, Row };
    Choice(const QString& icon, Look look, QWidget* parent) : QAbstractButton(parent), m_look(look) {
        setIcon(Theme::instance().icon(icon));
        setLook(look);
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
    }
    void setLook(Look look) {
        m_look = look;
        setFixedHeight(look == Look::Card ? 56 : 42);
        update();
    }
    void setTexts(const QString& title, const QString& line) {
        setText(title);
        m_line = line;
        setAccessibleDescription(line);
        updateGeometry();
        update();
    }
    QSize sizeHint() const override {
        const int line = QFontMetrics(secondaryFont()).horizontalAdvance(m_line) + 1; // the advance is rounded
        return {std::max(kText + line + 12, kWidth), height()};
    }

    static constexpr int kWidth = 460; ///< minimum width of a choice

protected:
    void keyPressEvent(QKeyEvent* event) override { // by default a button reacts only to the space bar
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            click();
        else
            QAbstractButton::keyPressEvent(event);
    }
    void paintEvent(QPaintEvent*) override {
        const Palette& p = Theme::instance().palette();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool pointed = hasFocus() || underMouse();
        if (m_look == Look::Card || pointed) {
            const double line = hasFocus() ? 2 : 1;
            painter.setPen(QPen(pointed ? p.accent : p.hairline, line));
            painter.setBrush(isDown() ? p.raised : p.panel);
            painter.drawRoundedRect(QRectF(rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2), 4, 4);
        }
        const int side = m_look == Look::Card ? 26 : 18;
        icon().paint(&painter, QRect(28 - side / 2, (height() - side) / 2, side, side));
        const int margin = m_look == Look::Card ? 10 : 4;
        const QRect text(kText, margin, width() - kText - 12, height() - 2 * margin);
        painter.setFont(headingFont());
        painter.setPen(p.text);
        painter.drawText(text.adjusted(0, 0, 0, -text.height() / 2), Qt::AlignLeft | Qt::AlignVCenter,
                         QAbstractButton::text());
        painter.setFont(secondaryFont());
        painter.setPen(p.secondary);
        painter.drawText(text.adjusted(0, text.height() / 2, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_line, Qt::ElideRight, text.width()));
    }

private:
    static constexpr int kText = 56;
    Look m_look;
    QString m_line;
};

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent), m_logo(new QLabel(this)), m_title(new QLabel(this)), m_text(new QLabel(this)),
      m_tour(new Choice(QStringLiteral("tour"), Choice::Look::Card, this)),
      m_quickstart(new Choice(QStringLiteral("play"), Choice::Look::Row, this)),
      m_watch(new Choice(QStringLiteral("watch"), Choice::Look::Row, this)),
      m_recipe(new Choice(QStringLiteral("file"), Choice::Look::Row, this)),
      m_run(new Choice(QStringLiteral("folder"), Choice::Look::Row, this)),
      m_import(new Choice(QStringLiteral("import"), Choice::Look::Row, this)),
      m_explain(new Choice(QStringLiteral("log"), Choice::Look::Row, this)), m_hint(new QLabel(this)) {
    m_logo->setPixmap(QIcon(QStringLiteral(":/icons/rankscope.svg")).pixmap(48, 48));
    QFont big = titleFont();
    big.setPointSizeF(18);
    m_title->setFont(big);
    m_text->setWordWrap(true);
    m_text->setMinimumWidth(Choice::kWidth);
    m_text->setForegroundRole(QPalette::PlaceholderText);
    m_hint->setFont(secondaryFont());
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    auto* column = new QVBoxLayout;
    column->setSpacing(6);
    column->addStretch(2);
    auto* head = new QHBoxLayout;
    head->setSpacing(12);
    head->addWidget(m_logo);
    head->addWidget(m_title, 1);
    column->addLayout(head);
    column->addWidget(m_text);
    column->addSpacing(8);
    m_list = new QVBoxLayout;
    m_list->setSpacing(6);
    column->addLayout(m_list);
    arrange();
    column->addSpacing(8);
    column->addWidget(m_hint);
    column->addStretch(3);
    auto* row = new QHBoxLayout(this);
    row->addStretch();
    row->addLayout(column);
    row->addStretch();
    connect(m_watch, &QAbstractButton::clicked, this, &WelcomePage::watchRequested);
    connect(m_quickstart, &QAbstractButton::clicked, this, &WelcomePage::quickstartRequested);
    connect(m_recipe, &QAbstractButton::clicked, this, &WelcomePage::openRequested);
    connect(m_run, &QAbstractButton::clicked, this, &WelcomePage::openRunRequested);
    connect(m_import, &QAbstractButton::clicked, this, &WelcomePage::importRequested);
    connect(m_explain, &QAbstractButton::clicked, this, &WelcomePage::explainRequested);
    connect(m_tour, &QAbstractButton::clicked, this, &WelcomePage::tourRequested);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

QList<WelcomePage::Choice*> WelcomePage::choices() const {
    QList<Choice*> all{m_tour, m_quickstart, m_watch, m_recipe, m_run, m_import, m_explain};
    all.move(all.indexOf(primary()), 0);
    return all;
}

WelcomePage::Choice* WelcomePage::primary() const {
    if (m_hasTour && !m_tourDone)
        return m_tour;
    return m_ready ? m_quickstart : m_watch;
}

void WelcomePage::arrange() {
    Choice* before = nullptr;
    for (Choice* choice : choices()) {
        choice->setLook(before ? Choice::Look::Row : Choice::Look::Card);
        m_list->removeWidget(choice);
        m_list->addWidget(choice);
        if (before)
            setTabOrder(before, choice);
        before = choice;
    }
}

void WelcomePage::takeFocus() {
    primary()->setFocus();
}

void WelcomePage::setQuickstart(const QString& path, bool ready) {
    m_quickstart->setVisible(!path.isEmpty());
    m_quickstart->setToolTip(plainToolTip(path));
    m_ready = ready && !path.isEmpty();
    arrange();
    retranslate();
}

void WelcomePage::setTour(bool there, bool done) {
    m_tour->setVisible(there);
    m_hasTour = there;
    m_tourDone = done;
    arrange();
    retranslate();
}

void WelcomePage::retranslate() {
    m_title->setText(QStringLiteral("Rankscope"));
    m_text->setText(
        tr("Find the rank that is holding up the others, what it is doing, and the setting that fixes it."));
    m_watch->setTexts(tr("Watch a command"),
                      tr("Your own PyTorch program, unchanged: NeMo, Lightning, torchrun… (Ctrl+Shift+W)"));
    m_quickstart->setTexts(tr("Quickstart"), m_ready
                                                 ? tr("A small two-rank run on synthetic speech, ready to launch")
                                                 : tr("A small two-rank run; first run rankscope-setup in a terminal"));
    m_recipe->setTexts(tr("Open a NeMo recipe"),
                       tr("Open a YAML file, compare each value with NeMo's, edit it and launch (Ctrl+O)"));
    m_run->setTexts(tr("Open a run folder"), tr("Plots, incidents and logs of a live or finished run (Ctrl+Shift+O)"));
    m_import->setTexts(tr("Import a run"), tr("TensorBoard events, or NeMo's exp_manager folder (Ctrl+Shift+I)"));
    m_explain->setTexts(tr("Explain a log"),
                        tr("A run hung? Its logs and dumps say why, whatever trained it (Ctrl+L)"));
    m_tour->setTexts(tr("Tour"), m_tourDone ? tr("Take the tour again: two minutes with a recorded run that stalled")
                                            : tr("New to Rankscope? A two-minute tour of a recorded run that stalled"));
    m_hint->setText(tr("Drop files anywhere in the window. Press ? for keyboard shortcuts."));
}

static QStringList quickstarts() {
    QStringList folders = checkoutFolders(), found;
    for (const auto& folder : setupFolders(installPrefix())) // with the speech data, which the one in share/ lacks
        folders << QString::fromStdString((folder / "quickstart").string());
    for (const QString& folder : folders << installedFolder())
        if (const QString recipe = firstWith({folder}, QStringLiteral("configs/quickstart.yaml")); !recipe.isEmpty())
            found << recipe;
    return found;
}

bool hasSampleSpeech(const QString& quickstart) {
    const QDir configs = QFileInfo(quickstart).dir();
    return QFileInfo(configs.filePath(QStringLiteral("../resources/sample/data/train.json"))).isFile();
}

QString findQuickstart() {
    const QStringList all = quickstarts();
    const auto whole = std::find_if(all.begin(), all.end(), hasSampleSpeech);
    return whole != all.end() ? *whole : all.value(0);
}

QString withSampleSpeech(const QString& recipe) {
    if (recipe.isEmpty() || hasSampleSpeech(recipe) || !quickstarts().contains(recipe))
        return recipe;
    return findQuickstart();
}

} // namespace rankscope::ui
