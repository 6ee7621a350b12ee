//! Web addresses as browsers read them.

use url::Url;

use crate::rule::host;

/// What rules may know of a web address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The host in its normal form.
    pub(crate) host: String,
    /// Whether the scheme is one of the web.
    pub(crate) is_web: bool,
    /// Why no allow rule covers it, if so: another scheme than http and https, another port than
    /// the scheme's own.
    pub(crate) outside: Option<String>,
}

impl Address {
    /// Reads an address; nothing if it is none or has no host.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let host = url.host().map(|host| host::of_url(&host));
        let scheme = url.scheme();
        let is_web = matches!(scheme, "http" | "https");
        let outside = if !is_web {
            Some(format!("`{scheme}` is neither http nor https"))
        } else {
            // The default port is left out of what was read.
            url.port()
                .map(|port| format!("port {port} is not the usual one"))
        };
        match host {
            Some(host) => Some(Self {
                host,
                is_web,
                outside,
            }),
            // `file:` and `data:` have none, which is worth saying.
            None if !is_web => Some(Self {
                host: String::new(),
                is_web,
                outside,
            }),
            None => None,
        }
    }
}
