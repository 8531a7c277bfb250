//! What a request may say that it was sent to. A name that leads here by a stranger's name server is
//! none of them.

use crate::tls::Certificate;
use std::net::SocketAddr;

/// The port that a URL with `https` need not name.
const HTTPS_PORT: u16 = 443;

/// The names of the server.
pub(crate) struct Names {
    listed: Vec<String>,
    port: u16,
    certificate: Option<Certificate>,
}

impl Names {
    /// Those of an address, and those that a certificate is for.
    pub(crate) fn of(address: SocketAddr, certificate: Option<Certificate>) -> Self {
        let port = address.port();
        let own = (!address.ip().is_unspecified()).then(|| address.to_string());
        let mut listed: Vec<String> = own.into_iter().collect();
        listed.extend([
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
        ]);
        listed.dedup();
        Self {
            listed,
            port,
            certificate,
        }
    }

    /// `http`, or `https` where there is a certificate.
    pub(crate) const fn scheme(&self) -> &'static str {
        match &self.certificate {
            None => "http",
            Some(_) => "https",
        }
    }

    /// Where a browser of this machine finds the server: by its address, or by a name of the certificate
    /// where that is for no such address.
    pub(crate) fn link(&self, address: SocketAddr) -> String {
        let plain = format!("{}://{address}", self.scheme());
        let Some(certificate) = &self.certificate else {
            return plain;
        };
        let ip = address.ip();
        let own = (!ip.is_unspecified()).then(|| ip.to_string());
        let is_here = ip.is_loopback() || ip.is_unspecified();
        let here = is_here.then(|| "localhost".to_owned());
        let named = own.into_iter().chain(here).chain(certificate.name());
        let mut fit = named.filter(|host| certificate.is_for(host));
        let port = self.port;
        fit.next().map_or(plain, |host| match host.contains(':') {
            true => format!("https://[{host}]:{port}"),
            false => format!("https://{host}:{port}"),
        })
    }

    /// Whether a host with its port is this server.
    pub(crate) fn has(&self, authority: &str) -> bool {
        let mut listed = self.listed.iter();
        listed.any(|ours| ours.eq_ignore_ascii_case(authority)) || self.is_certified(authority)
    }

    fn is_certified(&self, authority: &str) -> bool {
        let Some(certificate) = &self.certificate else {
            return false;
        };
        let port = format!(":{}", self.port);
        let host = match authority.strip_suffix(&port) {
            Some(host) => host,
            None if self.port == HTTPS_PORT => authority,
            None => return false,
        };
        certificate.is_for(host)
    }

    /// Whether a page is the server's own, by its origin.
    pub(crate) fn has_origin(&self, origin: &str) -> bool {
        let authority = origin
            .strip_prefix(self.scheme())
            .and_then(|rest| rest.strip_prefix("://"));
        authority.is_some_and(|authority| self.has(authority))
    }

    /// The names, for whoever used another one.
    pub(crate) fn told(&self) -> String {
        let listed = self.listed.join(", ");
        match &self.certificate {
            None => listed,
            Some(_) => format!("{listed}, and what its certificate is for"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair};

    fn names(address: &SocketAddr, certified: &[&str]) -> Names {
        let folder = tempfile::tempdir().unwrap();
        let (own, key) = (folder.path().join("own"), folder.path().join("key"));
        let secret = KeyPair::generate().unwrap();
        let certified = certified.iter().map(|&name| name.to_owned());
        let certificate = CertificateParams::new(certified.collect::<Vec<_>>()).unwrap();
        let certificate = certificate.self_signed(&secret).unwrap();
        std::fs::write(&own, certificate.pem()).unwrap();
        std::fs::write(&key, secret.serialize_pem()).unwrap();
        let certificate = Certificate::read(&own, &key).unwrap();
        Names::of(*address, Some(certificate))
    }

    #[test]
    fn names_are_those_of_the_certificate_with_the_port() {
        let certified = ["carl.test", "*.house.test", "192.0.2.7", "2001:db8::7"];
        let names = names(&"0.0.0.0:7433".parse().unwrap(), &certified);
        for ours in [
            "carl.test:7433",
            "CARL.test:7433",
            "a.house.test:7433",
            "192.0.2.7:7433",
            "[2001:db8::7]:7433",
            "localhost:7433",
        ] {
            assert!(names.has(ours), "{ours}");
        }
        for other in [
            "carl.test",
            "carl.test:443",
            "evil.test:7433",
            "a.b.house.test:7433",
            "carl.test.evil.test:7433",
            "192.0.2.8:7433",
            "0.0.0.0:7433",
            ":7433",
            "",
        ] {
            assert!(!names.has(other), "{other}");
        }
        assert!(names.has_origin("https://carl.test:7433"));
        assert!(!names.has_origin("http://carl.test:7433"));
        assert!(!names.has_origin("null"));
    }

    #[test]
    fn a_link_leads_to_a_name_of_the_certificate() {
        for (address, certified, link) in [
            (
                "127.0.0.1:7433",
                ["carl.test", "127.0.0.1"],
                "https://127.0.0.1:7433",
            ),
            (
                "127.0.0.1:7433",
                ["carl.test", "localhost"],
                "https://localhost:7433",
            ),
            (
                "0.0.0.0:7433",
                ["127.0.0.1", "localhost"],
                "https://localhost:7433",
            ),
            (
                "0.0.0.0:7433",
                ["*.house.test", "carl.test"],
                "https://carl.test:7433",
            ),
            (
                "192.0.2.7:443",
                ["localhost", "carl.test"],
                "https://carl.test:443",
            ),
            ("[::1]:7433", ["::1", "carl.test"], "https://[::1]:7433"),
            (
                "0.0.0.0:7433",
                ["*.house.test", "192.0.2.7"],
                "https://0.0.0.0:7433",
            ),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(names(&address, &certified).link(address), link);
        }
    }

    #[test]
    fn the_usual_port_need_not_be_named() {
        let names = names(&"192.0.2.7:443".parse().unwrap(), &["carl.test"]);
        assert!(names.has("carl.test") && names.has("carl.test:443"));
        assert!(!names.has("evil.test"));
    }
}
