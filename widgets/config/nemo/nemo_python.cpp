// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/nemo/nemo_python.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QToolButton>

namespace rankscope::ui {

static constexpr int kTypingMs = 400;    ///< after the last key
static constexpr int kAnswerMs = 20'000; ///< a cold file system takes seconds
static constexpr int kMostReplyBytes = 4096;

/// Reads the version from the package's description: importing NeMo takes half a minute.
static const char kQuestion[] = "from importlib.metadata import version\nprint('NeMo', version('nemo_toolkit'))";

NemoPython::NemoPython(QWidget* parent)
    : QWidget(parent), m_label(new QLabel(this)), m_status(new QLabel(this)), m_line(new QLineEdit(this)),
      m_browse(new QToolButton(this)) {
    m_line->setObjectName(QStringLiteral("nemoPython"));
    m_line->setFont(monoFont());
    m_line->setPlaceholderText(QStringLiteral("/opt/nemo/bin/python"));
    m_status->setObjectName(QStringLiteral("nemoStatus"));
    m_status->setTextFormat(Qt::PlainText);
    for (QLabel* label : {m_label, m_status}) {
        label->setFont(secondaryFont());
        label->setForegroundRole(QPalette::PlaceholderText);
    }
    m_label->setBuddy(m_line);
    m_browse->setIcon(Theme::instance().icon(QStringLiteral("folder")));
    m_browse->setAutoRaise(true);
    setLayout(rowOf({m_label, {m_line, 2}, m_browse, {m_status, 3}}, 6, {0, 2, 0, 0}));
    m_delay.setSingleShot(true);
    m_delay.setInterval(kTypingMs);
    m_limit.setSingleShot(true);
    m_limit.setInterval(kAnswerMs);
    connect(&m_delay, &QTimer::timeout, this, &NemoPython::start);
    connect(&m_limit, &QTimer::timeout, this, [this] {
        drop();
        answer(AnswerState::Missing, tr("It did not answer within %1 s").arg(kAnswerMs / 1000));
    });
    connect(m_line, &QLineEdit::textChanged, this, &NemoPython::ask);
    connect(m_browse, &QToolButton::clicked, this, &NemoPython::browse);
    onLanguageChange(this, [this] { retranslate(); });
    retranslate();
}

NemoPython::~NemoPython() {
    drop();
}

QString NemoPython::python() const {
    const QString typed = m_line->text().trimmed();
    // a launch may have another working folder than this window
    return typed.contains(u'/') ? QDir::current().absoluteFilePath(typed) : typed;
}

void NemoPython::setPython(const QString& python) {
    m_line->setText(python);
}

QString NemoPython::status() const {
    return m_status->text();
}

/// A Python that nobody sees is not started.
void NemoPython::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_state == AnswerState::None)
        ask();
}

void NemoPython::ask() {
    drop();
    if (python().isEmpty() || !isVisible())
        return answer(AnswerState::None);
    answer(AnswerState::Asking);
    m_delay.start();
}

void NemoPython::start() {
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this,
            [this](int exitCode, QProcess::ExitStatus status) { finished(exitCode, status == QProcess::CrashExit); });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        const QString why = m_process->errorString();
        drop();
        answer(AnswerState::Missing, tr("It cannot be started: %1").arg(why));
    });
    m_limit.start();
    m_process->start(python(), {QStringLiteral("-c"), QLatin1String(kQuestion)}, QIODevice::ReadOnly);
}

void NemoPython::finished(int exitCode, bool crashed) {
    static const QRegularExpression version(QStringLiteral("^NeMo ([0-9][0-9A-Za-z.+-]{0,31})$"),
                                            QRegularExpression::MultilineOption);
    const QString out = QString::fromUtf8(m_process->readAllStandardOutput().left(kMostReplyBytes));
    const QString said = QString::fromUtf8(m_process->readAllStandardError().right(kMostReplyBytes)).trimmed();
    drop();
    const auto match = version.match(out);
    if (exitCode == 0 && !crashed && match.hasMatch())
        return answer(AnswerState::Found, match.captured(1));
    if (said.contains(QLatin1String("PackageNotFoundError")))
        return answer(AnswerState::Missing);
    const QString last = said.section(QLatin1Char('\n'), -1);
    answer(AnswerState::Missing, last.isEmpty() ? tr("It gave no answer") : last);
}

void NemoPython::answer(AnswerState state, const QString& said) {
    m_state = state;
    m_said = said;
    QString text;
    switch (state) {
    case AnswerState::None:
        text = python().isEmpty() ? tr("Name a Python in which NeMo is installed") : QString();
        break;
    case AnswerState::Asking:
        text = tr("Looking for NeMo…");
        break;
    case AnswerState::Found:
        text = tr("NeMo %1").arg(said);
        break;
    case AnswerState::Missing:
        text = said.isEmpty() ? tr("This Python has no NeMo") : said;
        break;
    }
    QPalette colours = palette();
    if (state == AnswerState::Missing)
        colours.setColor(QPalette::PlaceholderText, Theme::instance().palette().dead);
    m_status->setPalette(colours);
    m_status->setText(text);
    m_status->setToolTip(plainToolTip(text));
    emit changed();
}

/// Forgets the Python that was asked.
void NemoPython::drop() {
    m_delay.stop();
    m_limit.stop();
    if (!m_process)
        return;
    QProcess* process = m_process;
    m_process.clear();
    process->disconnect(this);
    process->kill();
    process->deleteLater();
}

void NemoPython::browse() {
    auto* dialog = new QFileDialog(this, tr("Python with NeMo"), QFileInfo(python()).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &NemoPython::setPython);
    dialog->open();
}

void NemoPython::retranslate() {
    m_label->setText(tr("Python with NeMo"));
    m_line->setToolTip(tr("The program that runs NeMo, such as bin/python of a virtual environment"));
    m_browse->setToolTip(tr("Choose the Python"));
    m_browse->setAccessibleName(m_browse->toolTip());
    if (m_state == AnswerState::Missing)
        ask(); // for the reason in the new language
    else
        answer(m_state, m_said);
}

} // namespace rankscope::ui
