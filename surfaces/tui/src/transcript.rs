//! The whole of what was said and done in a session, read in pieces: a long session costs no more than a
//! short one.

use domain::id::QueryId;
use session::{Exchange, SessionView};
use std::collections::BTreeSet;

/// Most exchanges of a piece.
const EXCHANGES: usize = 50;
/// Most events between the first and the last of a piece, where it has more than one exchange.
const EVENTS: u64 = 5_000;

/// A part of a session's exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its first and its last exchange, from 1.
    pub places: (usize, usize),
    /// The first and the last event of them.
    pub events: (u64, u64),
    /// Them.
    pub requests: BTreeSet<QueryId>,
}

impl Piece {
    fn of(one: &Exchange, place: usize) -> Self {
        Self {
            places: (place, place),
            events: (one.received_seq, last_of(one)),
            requests: BTreeSet::from([one.query_id]),
        }
    }

    /// Takes the exchange before it in, if there is room.
    fn takes(&mut self, one: &Exchange) -> bool {
        let events = (
            self.events.0.min(one.received_seq),
            self.events.1.max(last_of(one)),
        );
        let has_room = self.requests.len() < EXCHANGES && events.1 - events.0 < EVENTS;
        if has_room {
            self.places.0 -= 1;
            self.events = events;
            self.requests.insert(one.query_id);
        }
        has_room
    }
}

/// How many events behind its end are looked through for what was found of an exchange afterwards: a second answer
/// that was taken over.
const BEHIND: u64 = 100;

/// The last event that may be of an exchange; one that has not ended goes on to the end of the log.
fn last_of(one: &Exchange) -> u64 {
    let is_open = one.received_seq.saturating_add(EVENTS - 1);
    one.finished_seq.map_or(is_open, |end| end + BEHIND)
}

/// The pieces of a session, newest first.
#[must_use]
pub fn pieces(view: &SessionView) -> Vec<Piece> {
    let standing = view.exchanges().standing();
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, one) in standing.iter().enumerate().rev() {
        if !pieces.last_mut().is_some_and(|piece| piece.takes(one)) {
            pieces.push(Piece::of(one, at + 1));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Seat;
    use domain::event::QueryStatus;

    #[test]
    fn every_exchange_is_in_one_piece_and_none_is_long() {
        let mut seat = Seat::at((80, 24));
        assert!(pieces(&seat.state.view).is_empty());
        let all = EXCHANGES * 2 + 3;
        for number in 0..all as u128 {
            seat.asks(1_000 + number, "go");
            seat.ends(1_000 + number, QueryStatus::Success);
        }
        let pieces = pieces(&seat.state.view);
        let places: Vec<(usize, usize)> = pieces.iter().map(|piece| piece.places).collect();
        assert_eq!(places, [(all - 49, all), (4, 53), (1, 3)]);
        for piece in &pieces {
            let (first, last) = piece.places;
            assert_eq!(piece.requests.len(), last + 1 - first);
            assert!(piece.events.0 < piece.events.1);
        }
    }
}
