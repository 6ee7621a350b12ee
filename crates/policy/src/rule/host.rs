//! Domains in rules, and hosts as browsers read them.

use std::net::Ipv6Addr;

use url::Host;

/// Hosts that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    /// Every host.
    Any,
    /// This host and no other.
    Exact(String),
    /// What lies below this domain, without the domain itself.
    Below(String),
}

impl HostPattern {
    pub(crate) fn parse(domain: &str) -> Result<Self, String> {
        if domain == "*" {
            return Ok(Self::Any);
        }
        let (is_below, name) = match domain.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, domain),
        };
        let host = normal(name).filter(|_| !name.contains('*')).ok_or_else(|| {
            format!(
                "`{}` is no domain; write `domain:example.com`, or `domain:*.example.com` for what lies below it",
                domain.escape_debug()
            )
        })?;
        Ok(if is_below {
            Self::Below(host)
        } else {
            Self::Exact(host)
        })
    }

    /// Whether a host that is in its normal form is one of these.
    pub(crate) fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(exact) => exact == host,
            Self::Below(domain) => host
                .strip_suffix(domain.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        }
    }
}

/// A host as a browser reads it, in lower case, in ASCII and without a dot at its end; nothing
/// if it is none.
pub(crate) fn normal(name: &str) -> Option<String> {
    Host::parse(name).ok().map(|host| of_url(&host))
}

/// The normal form of a host that was read.
pub(crate) fn of_url<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        Host::Domain(domain) => {
            let domain = domain.as_ref();
            // A second dot would be an empty label, so one is all there can be.
            domain.strip_suffix('.').unwrap_or(domain).to_owned()
        }
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => of_v6(*address),
    }
}

/// An IPv4 address in the coat of an IPv6 one is that IPv4 address.
fn of_v6(address: Ipv6Addr) -> String {
    match address.to_ipv4_mapped() {
        Some(mapped) => mapped.to_string(),
        None => format!("[{address}]"),
    }
}
