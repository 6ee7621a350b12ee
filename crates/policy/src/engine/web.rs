//! Web addresses: every hop of a redirect is a call of its own.

use std::borrow::Cow;

use toolpost_core::{DecidedBy, Verdict};

use super::Judge;
use super::join::Said;
use crate::rule::{Rule, host};
use crate::web::Address;

impl<'r> Judge<'_, '_, 'r> {
    pub(super) fn web(&mut self, url: &str, is_ruled: bool) {
        let prepared = self.prepared;
        let question = &prepared.question;
        let allowed = self.on.rules.allows_tool(question.name);
        let Some(address) = Address::read(url) else {
            let said = Said::new(Verdict::Ask, DecidedBy::Tool, "host").of(url);
            return self.join.add(said, &|| "it is no web address".into());
        };
        if !address.is_web {
            let said = Said::new(Verdict::Ask, DecidedBy::Tool, "host").of(url);
            self.join
                .add(said, &|| address.outside.clone().unwrap_or_default().into());
        }
        let rules = self.on.rules.of_host(question.name, &address.host);
        let reason = || reaches(&address.host);
        let mut is_ruled = is_ruled;
        for rule in rules.iter().filter(|rule| rule.is_broad()) {
            is_ruled = true;
            self.join.rule(rule, &address.host, &reason);
        }
        if is_ruled {
            return;
        }
        let narrow = rules.into_iter().find(|rule| !rule.is_broad());
        let is_known = question
            .preapproved
            .iter()
            .any(|known| host::normal(known).as_deref() == Some(&address.host));
        match (allowed, narrow, &address.outside) {
            (Some(rule), _, _) | (None, Some(rule), None) => {
                self.join.rule(rule, &address.host, &reason)
            }
            (None, None, None) if is_known => {
                let said = Said::by_mode(Verdict::Allow, &address.host);
                self.join.add(said, &|| {
                    "the host is one of those that need no rule".into()
                });
            }
            (None, Some(_), Some(outside)) => {
                let said = Said::by_mode(Verdict::Ask, &address.host);
                self.by_default(said, &|| format!("{outside}, so no rule allows it").into());
            }
            (None, None, _) => {
                let said = Said::by_mode(Verdict::Ask, &address.host);
                self.by_default(said, &|| {
                    format!("it reaches `{}`, and no rule allows it", address.host).into()
                });
            }
        }
    }

    /// What rules say of a host that a tool names as a subject.
    pub(super) fn host_rules(&mut self, given: &str, allowed: Option<&'r Rule>, is_ruled: bool) {
        let name = self.prepared.question.name;
        let host = host::normal(given).unwrap_or_else(|| given.to_owned());
        let rules = self.on.rules.of_host(name, &host);
        let mut is_ruled = is_ruled;
        for rule in rules.iter().filter(|rule| rule.is_broad()) {
            is_ruled = true;
            self.join.rule(rule, &host, &|| reaches(&host));
        }
        let narrow = rules.into_iter().find(|rule| !rule.is_broad());
        match narrow.or(allowed) {
            _ if is_ruled => {}
            Some(rule) => self.join.rule(rule, &host, &|| reaches(&host)),
            None => {
                let said = Said::by_mode(Verdict::Ask, &host);
                self.by_default(said, &|| {
                    format!("it reaches `{host}`, and no rule allows it").into()
                });
            }
        }
    }
}

fn reaches(host: &str) -> Cow<'static, str> {
    format!("it reaches `{host}`").into()
}
