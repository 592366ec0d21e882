// SPDX-License-Identifier: Apache-2.0
#include "core/explain/report/explanation_text.h"

#include "core/base/console/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/explain/collectives/collective_name.h"
#include "core/explain/report/explanation_words.h"

#include <algorithm>

namespace rankscope::explain {
namespace {

constexpr std::size_t kMostTextRows = 8, kMostCauses = 3, kMostTextNames = 3, kMostActions = 2, kMostLacking = 4;
constexpr int kWidestPlace = 28;
constexpr std::size_t kMostEvidence = 6, kMostOtherEvidence = 2; // of the first cause, of each other one

class TextReport {
public:
    TextReport(const Explanation& explanation, Language language, int columns)
        : m_e(explanation), m_language(language), m_columns(std::clamp(columns, 60, 160)) {}

    std::string text() && {
        add("", m_e.summary);
        ranks();
        names();
        causes();
        actions("do now", m_e.now);
        actions("next time", m_e.nextTime);
        if (!m_e.lacking.empty()) {
            heading("missing in the input");
            for (std::size_t i = 0; i < std::min(m_e.lacking.size(), kMostLacking); ++i)
                add("  - ", m_e.lacking[i]);
        }
        return std::move(m_text);
    }

private:
    std::string say(const Message& message) const { return printableLine(message.text(m_language)); }

    void heading(const Message& title) { m_text += "\n" + say(title) + "\n"; }

    /// Adds a sentence that goes on below its first word. Chinese breaks anywhere, English between words.
    void add(const std::string& before, const Message& message, const std::string& places = {}) {
        std::string line = before;
        const std::string indent(static_cast<std::size_t>(displayWidth(before)), ' ');
        std::string sentence = say(message);
        if (!places.empty())
            sentence += " [" + printableLine(places) + "]";
        int width = displayWidth(line);
        bool begins = true;
        for (std::size_t at = 0; at < sentence.size();) {
            const std::size_t end = wordEnd(sentence, at);
            const std::string word = sentence.substr(at, end - at);
            const int wide = displayWidth(word);
            if (!begins && width + displayWidth(word.substr(0, word.find_last_not_of(' ') + 1)) > m_columns) {
                m_text += trimmed(line) + "\n";
                line = indent;
                width = displayWidth(indent);
            }
            line += word;
            width += wide;
            begins = false;
            at = end;
        }
        m_text += trimmed(line) + "\n";
    }

    /// Returns the end of the word that begins at `at`, with the spaces behind it. A wide character is a word.
    static std::size_t wordEnd(std::string_view text, std::size_t at) {
        const auto isPlain = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) < 0xe0; };
        if (!isPlain(at))
            at += std::max<std::size_t>(1, characterBytes(text.substr(at)));
        else
            while (at < text.size() && text[at] != ' ' && isPlain(at))
                ++at;
        while (at < text.size() && text[at] == ' ')
            ++at;
        return at;
    }

    static std::string trimmed(const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

    void ranks() {
        if (m_e.ranks.empty())
            return;
        m_text += '\n';
        Table table(
            {right("rank"), "state", right("last completed"), "waits in", right("elements"), right("for"), "where"});
        for (const RankRow* row : rowsToShow(m_e, kMostTextRows)) {
            const auto& call = row->stuckIn;
            const std::string name = !call ? "-"
                                           : std::string(operationName(call->op)) +
                                                 (call->sequence ? " " + formatCount(*call->sequence) : std::string());
            table.add({std::to_string(row->rank), say(presenceWord(row->presence)),
                       row->lastCompleted ? formatCount(*row->lastCompleted) : "-", name,
                       call && call->elementsIn ? formatCount(*call->elementsIn) : "-", say(waitText(*row)),
                       endOfPath(seenAt(*row))});
        }
        m_text += table.text(m_language);
        if (m_e.ranks.size() > kMostTextRows)
            add("", {"and {} more ranks; --json has all", m_e.ranks.size() - kMostTextRows});
    }

    /// Leaves out folders in front of a name that is too wide for the table.
    static std::string endOfPath(std::string place) {
        while (displayWidth(place) > kWidestPlace && place.find('/') != place.npos)
            place.erase(0, place.find('/') + 1);
        return place;
    }

    void names() {
        if (m_e.names.empty())
            return;
        heading("the collective");
        for (std::size_t i = 0; i < std::min(m_e.names.size(), kMostTextNames); ++i) {
            const NamedCollective& name = m_e.names[i];
            const Message word = certaintyWord(
                i == 0 && m_e.names.size() == 1 && !name.recipe.empty() ? Certainty::Follows : Certainty::Likely);
            Message text = name.arithmetic.empty() ? name.name : Message("{}: {}", name.name, name.arithmetic);
            addMarked("  ", word, i == 0 ? text : Message("or {}", text), sourceOf(name));
        }
    }

    /// Adds "  seen     sentence", with the sentences in one column.
    void addMarked(const std::string& indent, const Message& mark, const Message& sentence, const std::string& places) {
        std::string before = indent + say(mark);
        const int column = displayWidth(indent) + markWidth() + 2;
        before.append(static_cast<std::size_t>(std::max(1, column - displayWidth(before))), ' ');
        add(before, sentence, places);
    }

    int markWidth() const {
        int width = 0;
        for (const Certainty one : {Certainty::Seen, Certainty::Follows, Certainty::Likely})
            width = std::max(width, displayWidth(say(certaintyWord(one))));
        return width;
    }

    void causes() {
        if (m_e.causes.empty())
            return;
        heading("causes, the most likely one first");
        for (std::size_t i = 0; i < std::min(m_e.causes.size(), kMostCauses); ++i) {
            const ProbableCause& cause = m_e.causes[i];
            add(std::to_string(i + 1) + ". ",
                cause.ranks.empty() ? cause.title : Message("{}: look at {}", cause.title, Ranks{cause.ranks}));
            const std::size_t most = i == 0 ? kMostEvidence : kMostOtherEvidence;
            for (std::size_t k = 0; k < std::min(cause.evidence.size(), most); ++k) {
                const Statement& one = cause.evidence[k];
                addMarked("   ", certaintyWord(one.certainty), one.text, placesText(one.places));
            }
            for (std::size_t k = 0; k < std::min(cause.actions.size(), kMostActions); ++k)
                add("   > ", actionText(cause.actions[k]));
        }
    }

    void actions(const Message& title, const std::vector<Action>& all) {
        if (all.empty())
            return;
        heading(title);
        for (const Action& action : all)
            add("  - ", actionText(action));
    }

    const Explanation& m_e;
    Language m_language;
    int m_columns;
    std::string m_text;
};

} // namespace

std::string explanationText(const Explanation& explanation, Language language, int columns) {
    return TextReport(explanation, language, columns).text();
}

} // namespace rankscope::explain
