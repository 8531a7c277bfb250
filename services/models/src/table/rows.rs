//! The rows of a word table: one vector for each piece, read from their file as they are needed.
//!
//! The form is safetensors (its README): the length of a JSON header, the header, then the numbers
//! of one tensor. The file stays closed to memory: a row is half a kilobyte, and a text has few.

use serde_json::Value;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Longest header that is read, bytes.
const HEADER_BYTES: u64 = 64 << 10;
/// Most numbers of a row.
const DIMENSIONS: u64 = 4_096;

/// An open table.
#[derive(Debug)]
pub(crate) struct Rows {
    file: File,
    /// Where the first row begins.
    start: u64,
    rows: u64,
    /// Numbers of a row.
    pub(crate) dimensions: usize,
}

impl Rows {
    /// Opens a table of half-precision numbers.
    ///
    /// # Errors
    /// When it cannot be read, or is no such table.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size)?;
        let header = u64::from_le_bytes(size);
        if header > HEADER_BYTES.min(length) {
            return Err(invalid("its header is longer than a table's"));
        }
        let mut text = vec![0; header as usize];
        file.read_exact(&mut text)?;
        let header_value: Value = serde_json::from_slice(&text)?;
        let tensor = &header_value["embedding.weight"];
        let number = |place: &str| tensor.pointer(place).and_then(Value::as_u64);
        let (Some(rows), Some(dimensions), Some(begin), Some(end)) = (
            number("/shape/0"),
            number("/shape/1"),
            number("/data_offsets/0"),
            number("/data_offsets/1"),
        ) else {
            return Err(invalid("it has no table `embedding.weight`"));
        };
        let start = 8 + header;
        let fits = dimensions
            .checked_mul(rows)
            .and_then(|numbers| numbers.checked_mul(2))
            .is_some_and(|bytes| end.checked_sub(begin) == Some(bytes))
            && end.checked_add(start).is_some_and(|end| end <= length);
        if tensor["dtype"] != "F16" || !(1..=DIMENSIONS).contains(&dimensions) || !fits {
            return Err(invalid("its table is not of half-precision numbers"));
        }
        Ok(Self {
            file,
            start: start + begin,
            rows,
            dimensions: dimensions as usize,
        })
    }

    /// The mean of rows, as a vector of length one; all zeros for no rows.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub(crate) fn mean(&self, numbers: &[u32]) -> io::Result<Vec<f32>> {
        let mut sum = vec![0.0_f32; self.dimensions];
        let mut row = vec![0; self.dimensions * 2];
        let bytes = row.len() as u64;
        for number in numbers {
            let at = u64::from(*number);
            if at >= self.rows {
                return Err(invalid("the tokenizer has more pieces than the table rows"));
            }
            self.file.read_exact_at(&mut row, self.start + at * bytes)?;
            for (total, half) in sum.iter_mut().zip(row.as_chunks::<2>().0) {
                *total += single(u16::from_le_bytes(*half));
            }
        }
        // The length of the sum is that of the mean in other units, and both go.
        let length = sum.iter().map(|one| one * one).sum::<f32>().sqrt();
        if length > 0.0 {
            for one in &mut sum {
                *one /= length;
            }
        }
        Ok(sum)
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A half-precision number (IEEE 754, binary16) in single precision.
fn single(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half) & 0x3ff;
    match exponent {
        // Zero and the numbers below the smallest normal one, in units of 2^-24.
        0 => {
            let small = fraction as f32 * (-24_f32).exp2();
            if sign == 0 { small } else { -small }
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A table file with these rows of half-precision bits.
    pub(crate) fn file(rows: &[[u16; 2]]) -> Vec<u8> {
        let bytes: Vec<u8> = rows
            .iter()
            .flatten()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let header = format!(
            r#"{{"embedding.weight":{{"dtype":"F16","shape":[{},2],"data_offsets":[0,{}]}}}}"#,
            rows.len(),
            bytes.len()
        );
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.into_bytes());
        file.extend(bytes);
        file
    }

    fn open(bytes: &[u8]) -> io::Result<Rows> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        std::fs::write(&path, bytes).unwrap();
        Rows::open(&path)
    }

    #[test]
    fn half_precision_numbers_are_read_as_they_are_meant() {
        for (half, meant) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x8001, -5.960_464_5e-8),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(single(half), meant, "{half:#06x}");
        }
        assert!(single(0x7e00).is_nan());
    }

    #[test]
    fn a_mean_has_length_one_and_nothing_has_none() {
        let rows = open(&file(&[[0x3c00, 0], [0, 0x3c00]])).unwrap();
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(rows.mean(&[0]).unwrap(), [1.0, 0.0]);
        assert_eq!(rows.mean(&[0, 1]).unwrap(), [half, half]);
        assert_eq!(rows.mean(&[]).unwrap(), [0.0, 0.0]);
        assert!(rows.mean(&[2]).is_err(), "there is no such row");
    }

    #[test]
    fn a_file_that_is_no_table_is_refused() {
        let whole = file(&[[0x3c00, 0]]);
        let mut huge = whole.clone();
        huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        let text = String::from_utf8_lossy(&whole[8..]).replace("F16", "F32");
        let mut other = whole[..8].to_vec();
        other.extend(text.into_bytes());
        for broken in [
            &whole[..7],
            &whole[..20],
            &whole[..whole.len() - 1],
            &huge,
            &other,
        ] {
            assert!(open(broken).is_err());
        }
    }
}
