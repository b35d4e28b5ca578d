//! The project's ledger of the court in a session: shows its risks and its phase when a session begins, and records the
//! session's outcome when it ends. Not here: the ledger itself (`agent::ProjectLedger`).

use agent::{Binding, Hand, Permit, Places, ProjectLedger, Risk, sessions};
use contract::id::SessionId;
use host::ErrorChain;

use crate::words::{self, Language};

/// How many risks are shown.
const SHOWN_MAX: usize = 10;

/// The open risks, one per line, in a language.
pub(crate) fn risks(ledger: Option<&ProjectLedger>, language: Language) -> Vec<String> {
    match ledger.map(ProjectLedger::risks) {
        None => Vec::new(),
        Some(Ok(risks)) => lines(&risks, language),
        Some(Err(why)) => vec![language.fill(&words::LEDGER_UNREADABLE, &[("why", &why)])],
    }
}

fn lines(risks: &[Risk], language: Language) -> Vec<String> {
    let line = |risk: &Risk| {
        let text = match risk.hand {
            Hand::Own => &words::RISK,
            Hand::Foreign => &words::RISK_FOREIGN,
        };
        language.fill(text, &[("risk", &risk.words), ("id", &risk.id)])
    };
    let mut lines: Vec<String> = risks.iter().take(SHOWN_MAX).map(line).collect();
    let left = risks.len().saturating_sub(SHOWN_MAX);
    if left > 0 {
        lines.push(language.fill(&words::RISKS_MORE, &[("count", &left.to_string())]));
    }
    lines
}

/// What the court's manifest requires of the session, in a language; none without a manifest.
pub(crate) fn bound(permit: &Permit, language: Language) -> Option<String> {
    Some(match permit.binding()? {
        Binding::Phase { name, tools } => {
            language.fill(&words::MANIFEST_PHASE, &[("phase", &name), ("tools", &tools)])
        }
        Binding::Unusable(why) => language.fill(&words::MANIFEST_UNUSABLE, &[("why", &why)]),
    })
}

/// Records a session's outcome. A session whose work it took over is recorded as abandoned. Returns a message for the user if
/// something could not be written.
pub(crate) fn settle(
    ledger: Option<&ProjectLedger>,
    places: &Places,
    session: SessionId,
    taken_over: Option<SessionId>,
    language: Language,
) -> Option<String> {
    let summary = sessions::came_to(places, session)?;
    let left = taken_over.and_then(|over| sessions::abandon(places, over).err());
    let settled = ledger.and_then(|ledger| written(ledger.settle(&summary, taken_over), language));
    settled.or_else(|| left.map(|error| ErrorChain(&error).to_string()))
}

/// Records that the user does not continue a session: nothing in it is pending any more. Returns a message for the user
/// if that failed.
pub(crate) fn abandon(
    ledger: Option<&ProjectLedger>,
    places: &Places,
    session: SessionId,
    language: Language,
) -> Option<String> {
    match (sessions::abandon(places, session), ledger) {
        (Err(error), _) => Some(ErrorChain(&error).to_string()),
        (Ok(Some(summary)), Some(ledger)) => written(ledger.settle(&summary, None), language),
        (Ok(_), _) => None,
    }
}

fn written(settled: Result<(), String>, language: Language) -> Option<String> {
    let why = settled.err()?;
    Some(language.fill(&words::LEDGER_UNWRITTEN, &[("why", &why)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risk(number: usize, hand: Hand) -> Risk {
        Risk { id: format!("risk_{number}"), words: "the door is open".to_owned(), hand }
    }

    #[test]
    fn a_risk_is_told_with_who_wrote_it_and_no_more_than_ten() {
        let risks = [risk(1, Hand::Own), risk(2, Hand::Foreign)];
        assert_eq!(
            lines(&risks, Language::En),
            [
                "High risk: the door is open (risk_1)",
                "High risk: the door is open (risk_2; came with the project, not written on this machine)",
            ]
        );
        assert_eq!(
            lines(&risks, Language::Zh),
            [
                "高风险警告: the door is open (risk_1)",
                "高风险警告: the door is open (risk_2；随项目而来，不是本机所记)",
            ]
        );
        let many: Vec<Risk> = (0..12).map(|number| risk(number, Hand::Own)).collect();
        let told = lines(&many, Language::En);
        assert_eq!((told.len(), told[10].as_str()), (11, "2 more; `court ledger` lists them."));
    }
}
