//! Which addresses a page may be fetched from. Pure: what a name resolves to is an argument.

use crate::error::Fault;
use api::search::PageFault;
use domain::limits::PAGE_URL_BYTES;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

/// Ports that pages are fetched from. Others belong to services that speak other protocols, and a
/// page must not make this program speak to those.
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// Names that lead into this machine or the network around it, with everything below them.
const PRIVATE_NAMES: [&str; 9] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "corp",
    "home",
    "home.arpa",
    "onion",
];

/// Which addresses are let through although they are none of the public internet's: none, but for
/// tests against a site on this machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exceptions(Vec<SocketAddr>);

impl Exceptions {
    /// Lets these sockets through.
    #[cfg(feature = "test-support")]
    pub(crate) fn allow(sockets: Vec<SocketAddr>) -> Self {
        Self(sockets)
    }

    fn has_ip(&self, ip: IpAddr) -> bool {
        self.0.iter().any(|socket| socket.ip() == ip)
    }

    fn has_port(&self, port: u16) -> bool {
        self.0.iter().any(|socket| socket.port() == port)
    }
}

/// Reads an address and refuses what can be refused before its name is looked up.
pub(crate) fn parse(text: &str, exceptions: &Exceptions) -> Result<Url, Fault> {
    let invalid = |why: &str| Fault::new(PageFault::InvalidUrl, format!("invalid address: {why}"));
    if text.len() > PAGE_URL_BYTES {
        return Err(invalid("it is too long"));
    }
    let mut url = match Url::parse(text.trim()) {
        Ok(url) => url,
        Err(error) => return Err(invalid(&error.to_string())),
    };
    // A fragment is for the reader alone; it is never sent, and two of them are one page.
    url.set_fragment(None);
    check(&url, exceptions)?;
    Ok(url)
}

/// Refuses an address, of a page or of a redirect, by what stands in it.
pub(crate) fn check(url: &Url, exceptions: &Exceptions) -> Result<(), Fault> {
    let invalid = |why: &str| Fault::new(PageFault::InvalidUrl, format!("invalid address: {why}"));
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("only http and https are fetched"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("it holds a user name or password"));
    }
    if url.as_str().len() > PAGE_URL_BYTES {
        return Err(invalid("it is too long"));
    }
    let port = url.port_or_known_default().unwrap_or(0);
    match url.host() {
        None => return Err(invalid("it names no host")),
        Some(Host::Ipv4(ip)) => check_ip(ip.into(), &[], exceptions)?,
        Some(Host::Ipv6(ip)) => check_ip(ip.into(), &[], exceptions)?,
        Some(Host::Domain(name)) => check_name(name)?,
    }
    if !PORTS.contains(&port) && !exceptions.has_port(port) {
        return Err(Fault::blocked("pages are not fetched from this port"));
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), Fault> {
    let name = name.trim_end_matches('.');
    let is_private = PRIVATE_NAMES.iter().any(|private| {
        name.strip_suffix(private)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    if is_private || !name.contains('.') {
        return Err(Fault::blocked("the name belongs to a private network"));
    }
    Ok(())
}

/// Refuses an address that a name leads to, or that stands in a URL; `own` are the addresses of
/// this machine's interfaces.
pub(crate) fn check_ip(ip: IpAddr, own: &[IpAddr], exceptions: &Exceptions) -> Result<(), Fault> {
    if exceptions.has_ip(ip) {
        return Ok(());
    }
    let inner = embedded(ip);
    if !is_public(inner) {
        return Err(Fault::blocked("it is no address of the public internet"));
    }
    if own.contains(&ip) || own.contains(&inner) {
        return Err(Fault::blocked("it is an address of this machine"));
    }
    Ok(())
}

/// The IPv4 address inside an IPv6 one that only carries it: mapped (RFC 4291, 2.5.5.2) or
/// translated (RFC 6052, the well-known prefix).
fn embedded(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else {
        return ip;
    };
    let [a, b, c, d, e, f, high, low] = v6.segments();
    let is_mapped = [a, b, c, d, e] == [0; 5] && f == 0xffff;
    let is_translated = [a, b, c, d, e, f] == [0x64, 0xff9b, 0, 0, 0, 0];
    if is_mapped || is_translated {
        let bits = (u32::from(high) << 16) | u32::from(low);
        return Ipv4Addr::from_bits(bits).into();
    }
    ip
}

/// Whether an address is one of the public internet's, by IANA's special-purpose registries.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, d] = ip.octets();
    !matches!(
        (a, b, c, d),
        // This network, private use, loopback, multicast and what is reserved above it.
        (0 | 10 | 127 | 224..=255, ..)
        // Shared address space of providers, where a cloud's metadata may be.
        | (100, 64..=127, ..)
        // Link-local, where most clouds have their metadata.
        | (169, 254, ..)
        | (172, 16..=31, ..)
        | (192, 168, ..)
        // Protocol assignments, documentation, relays of 6to4.
        | (192, 0, 0 | 2, _)
        | (192, 88, 99, _)
        | (198, 51, 100, _)
        | (203, 0, 113, _)
        // Benchmarks.
        | (198, 18..=19, ..)
        // A cloud's own services, at a public address.
        | (168, 63, 129, 16)
    )
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    // Global unicast is 2000::/3. Loopback, unspecified, compatible, unique local (with a cloud's
    // metadata), link-local, site-local, multicast and local translation are all outside.
    let is_global = (0x2000..=0x3fff).contains(&a);
    let is_special = match a {
        // Protocol assignments, with Teredo; documentation.
        0x2001 => b < 0x0200 || b == 0x0db8,
        // 6to4, which carries an IPv4 address.
        0x2002 => true,
        // Documentation again.
        0x3fff => b < 0x1000,
        _ => false,
    };
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fault(text: &str) -> Option<PageFault> {
        parse(text, &Exceptions::default())
            .err()
            .map(|fault| fault.kind)
    }

    #[test]
    fn ordinary_addresses_pass() {
        for good in [
            "http://example.org/",
            "https://example.org:443/a?b=c#d",
            "https://münchen.example/ä",
            "http://example.org:8080/",
            "http://8.8.8.8/",
            "http://[2606:4700:4700::1111]/",
            "https://example.org./",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
    }

    #[test]
    fn what_is_no_address_of_a_page_is_invalid() {
        let long = format!("http://example.org/{}", "x".repeat(PAGE_URL_BYTES));
        for bad in [
            "",
            "example.org",
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://example.org/",
            "data:text/html,x",
            "javascript:alert(1)",
            "unix:/run/docker.sock",
            "http://user@example.org/",
            "http://user:word@example.org/",
            "http://example.org:99999/",
            "http://exa mple.org/",
            "http://",
            "http://1.2.3.256/",
            long.as_str(),
        ] {
            assert_eq!(fault(bad), Some(PageFault::InvalidUrl), "{bad}");
        }
        let longest = format!("http://example.org/{}", "x".repeat(PAGE_URL_BYTES - 19));
        assert_eq!(longest.len(), PAGE_URL_BYTES);
        assert_eq!(fault(&longest), None);
    }

    #[test]
    fn no_spelling_leads_inside() {
        for bad in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://0x7f.1/",
            "http://127.0.0.1./",
            "http://0/",
            "http://0.0.0.0/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://ｌｏｃａｌｈｏｓｔ/",
            "http://a.localhost/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://router/",
            "http://nas.home.arpa/",
            "http://x.onion/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://100.100.100.200/",
            "http://169.254.169.254/latest/meta-data/",
            "http://2852039166/",
            "http://168.63.129.16/",
            "http://192.0.0.192/",
            "http://192.0.2.1/",
            "http://198.18.0.1/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://240.0.0.1/",
            "http://[::1]/",
            "http://[::]/",
            "http://[0:0:0:0:0:0:0:1]/",
            "http://[::127.0.0.1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::ffff:169.254.169.254]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[64:ff9b:1::10.0.0.1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:7f00:1::]/",
            "http://[2001:db8::1]/",
            "http://[3fff::1]/",
            "http://[fc00::1]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://example.org:22/",
            "http://example.org:25/",
            "http://example.org:6379/",
            "https://example.org:0/",
        ] {
            assert_eq!(fault(bad), Some(PageFault::Blocked), "{bad}");
        }
    }

    #[test]
    fn the_edges_of_the_ranges_are_where_they_are_said_to_be() {
        for public in [
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::",
            "2001:200::",
            "3ffe:ffff::",
            "64:ff9b::8.8.8.8",
            "::ffff:8.8.8.8",
        ] {
            let ip: IpAddr = public.parse().unwrap();
            assert!(
                check_ip(ip, &[], &Exceptions::default()).is_ok(),
                "{public}"
            );
        }
        for private in [
            "1fff:ffff::",
            "4000::",
            "2001:1ff::",
            "64:ff9c::8.8.8.8",
            "3fff:fff::",
        ] {
            let ip: IpAddr = private.parse().unwrap();
            assert!(
                check_ip(ip, &[], &Exceptions::default()).is_err(),
                "{private}"
            );
        }
    }

    #[test]
    fn an_own_address_is_refused_in_every_form() {
        let own: [IpAddr; 1] = ["8.8.4.4".parse().unwrap()];
        for ip in ["8.8.4.4", "::ffff:8.8.4.4", "64:ff9b::8.8.4.4"] {
            let ip: IpAddr = ip.parse().unwrap();
            assert!(check_ip(ip, &own, &Exceptions::default()).is_err(), "{ip}");
        }
    }

    proptest! {
        #[test]
        fn what_the_standard_library_calls_inside_is_refused(bits in any::<u32>()) {
            let ip = Ipv4Addr::from_bits(bits);
            let inside = ip.is_private() || ip.is_loopback() || ip.is_link_local()
                || ip.is_broadcast() || ip.is_documentation() || ip.is_multicast()
                || ip.is_unspecified();
            prop_assert!(!(inside && is_public_v4(ip)), "{ip}");
            let mapped = IpAddr::V6(ip.to_ipv6_mapped());
            let plain = check_ip(ip.into(), &[], &Exceptions::default());
            prop_assert_eq!(check_ip(mapped, &[], &Exceptions::default()), plain);
        }
    }
}
