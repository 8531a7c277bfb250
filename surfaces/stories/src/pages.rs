//! Where the pages of a story are: on this machine, or nowhere. No story asks anybody else.

use crate::record::Page;
use reqwest::Url;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

impl Page {
    /// Whether its address leads to this machine, by the routes that there are. Nothing is sent.
    pub(crate) fn is_here(&self) -> bool {
        let Ok(url) = Url::parse(&self.url) else {
            return false;
        };
        let host = url.host_str().map(str::parse::<IpAddr>);
        let (Some(Ok(address)), Some(port)) = (host, url.port_or_known_default()) else {
            return false;
        };
        // Of what is sent to an address of this machine, that address is the sender.
        let from = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
            socket.connect((address, port))?;
            socket.local_addr()
        });
        from.is_ok_and(|from| from.ip() == address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_machine_is_told_from_others() {
        for (url, is_here) in [
            ("http://127.0.0.1/a", true),
            ("http://192.0.2.1/a", false),
            ("http://localhost/a", false),
            ("none", false),
        ] {
            let page = Page {
                url: url.to_owned(),
                title: String::new(),
                snippet: String::new(),
                text: String::new(),
            };
            assert_eq!(page.is_here(), is_here, "{url}");
        }
    }
}
