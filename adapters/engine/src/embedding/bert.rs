//! The forward pass of a BERT encoder (Devlin et al. 2018), one text at a time.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, Slice};
use safetensors::{Dtype, SafeTensors};

use super::config::Shape;

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not a safetensors file, or cut short.
    #[error("{0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A tensor is there in another type or shape.
    #[error("tensor {name} is not a matrix or vector of 32-bit numbers of the expected size")]
    Tensor {
        /// Its name.
        name: String,
    },
    /// The heads do not divide the hidden size.
    #[error("{heads} heads do not divide {hidden} numbers")]
    Heads {
        /// Attention heads.
        heads: usize,
        /// Numbers a token.
        hidden: usize,
    },
}

/// `x · weight + bias`.
#[derive(Debug)]
struct Linear {
    /// Transposed: one column an output.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    scale: Array1<f32>,
    shift: Array1<f32>,
    epsilon: f32,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mix: Linear,
    after_attention: Norm,
    widen: Linear,
    narrow: Linear,
    after_mlp: Norm,
}

/// A loaded encoder.
#[derive(Debug)]
pub struct Bert {
    words: Array2<f32>,
    /// Position and segment embeddings added up; there is only one segment.
    positions: Array2<f32>,
    after_embedding: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

/// Reads tensors by name.
struct Weights<'a> {
    file: SafeTensors<'a>,
    shape: Shape,
}

impl Bert {
    /// Reads the weights of a safetensors file.
    ///
    /// # Errors
    /// [`Error`] when the file is damaged or of another model.
    pub fn new(shape: &Shape, file: &[u8]) -> Result<Self, Error> {
        let (hidden, heads) = (shape.hidden_size, shape.num_attention_heads);
        if heads == 0 || hidden % heads != 0 {
            return Err(Error::Heads { heads, hidden });
        }
        let weights = Weights {
            file: SafeTensors::deserialize(file)?,
            shape: *shape,
        };
        let mut positions = weights.matrix("embeddings.position_embeddings.weight")?;
        let segments = weights.matrix("embeddings.token_type_embeddings.weight")?;
        if positions.nrows() < shape.max_position_embeddings || segments.nrows() == 0 {
            return Err(Error::Tensor {
                name: "embeddings".to_owned(),
            });
        }
        positions += &segments.row(0);
        let layers = (0..shape.num_hidden_layers).map(|at| weights.layer(at));
        Ok(Self {
            words: weights.matrix("embeddings.word_embeddings.weight")?,
            positions,
            after_embedding: weights.norm("embeddings.LayerNorm")?,
            layers: layers.collect::<Result<_, _>>()?,
            heads,
        })
    }

    /// The mean of all tokens' last states, scaled to length one. Tokens beyond the model's
    /// positions or vocabulary are left out.
    #[must_use]
    pub fn embed(&self, tokens: &[u32]) -> Vec<f32> {
        let known = tokens
            .iter()
            .filter_map(|token| usize::try_from(*token).ok())
            .filter(|token| *token < self.words.nrows());
        let rows: Vec<usize> = known.take(self.positions.nrows()).collect();
        let mut states = self.words.select(Axis(0), &rows);
        states += &self
            .positions
            .slice_axis(Axis(0), Slice::from(..rows.len()));
        self.after_embedding.apply(states.view_mut());
        for layer in &self.layers {
            layer.apply(&mut states, self.heads);
        }
        let mean = states
            .mean_axis(Axis(0))
            .unwrap_or_else(|| Array1::zeros(self.words.ncols()));
        let length = mean.dot(&mean).sqrt().max(f32::MIN_POSITIVE);
        (mean / length).to_vec()
    }
}

impl Layer {
    fn apply(&self, states: &mut Array2<f32>, heads: usize) {
        let attended = self.mix.apply(self.attend(states.view(), heads).view());
        *states += &attended;
        self.after_attention.apply(states.view_mut());
        let mut wide = self.widen.apply(states.view());
        wide.mapv_inplace(gelu);
        *states += &self.narrow.apply(wide.view());
        self.after_mlp.apply(states.view_mut());
    }

    fn attend(&self, states: ArrayView2<'_, f32>, heads: usize) -> Array2<f32> {
        let (queries, keys, values) = (
            self.query.apply(states),
            self.key.apply(states),
            self.value.apply(states),
        );
        let width = states.ncols() / heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut mixed = Array2::zeros(states.raw_dim());
        for head in 0..heads {
            let part = Slice::from(head * width..(head + 1) * width);
            let [query, key, value] =
                [&queries, &keys, &values].map(|all| all.slice_axis(Axis(1), part));
            let mut scores = query.dot(&key.t());
            scores *= scale;
            scores.rows_mut().into_iter().for_each(softmax);
            mixed
                .slice_axis_mut(Axis(1), part)
                .assign(&scores.dot(&value));
        }
        mixed
    }
}

impl Linear {
    fn apply(&self, input: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut output = input.dot(&self.weight);
        output += &self.bias;
        output
    }
}

impl Norm {
    fn apply(&self, mut states: ArrayViewMut2<'_, f32>) {
        for mut row in states.rows_mut() {
            let count = row.len() as f32;
            let mean = row.sum() / count;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            row.mapv_inplace(|x| (x - mean) * scale);
            row *= &self.scale;
            row += &self.shift;
        }
    }
}

fn softmax(mut row: ndarray::ArrayViewMut1<'_, f32>) {
    let highest = row.fold(f32::NEG_INFINITY, |highest, x| highest.max(*x));
    row.mapv_inplace(|x| (x - highest).exp());
    let sum = row.sum();
    row /= sum;
}

/// x · Φ(x), with the error function after Abramowitz and Stegun 7.1.26 (error below 1.5e-7).
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / 0.327_591_1_f32.mul_add(z, 1.0);
    let polynomial = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    let erf = 1.0 - polynomial * (-z * z).exp();
    0.5 * x * (1.0 + erf.copysign(x))
}

impl Weights<'_> {
    fn layer(&self, at: usize) -> Result<Layer, Error> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        Ok(Layer {
            query: self.linear(&name("attention.self.query"))?,
            key: self.linear(&name("attention.self.key"))?,
            value: self.linear(&name("attention.self.value"))?,
            mix: self.linear(&name("attention.output.dense"))?,
            after_attention: self.norm(&name("attention.output.LayerNorm"))?,
            widen: self.linear(&name("intermediate.dense"))?,
            narrow: self.linear(&name("output.dense"))?,
            after_mlp: self.norm(&name("output.LayerNorm"))?,
        })
    }

    fn linear(&self, name: &str) -> Result<Linear, Error> {
        let weight = self.matrix(&format!("{name}.weight"))?;
        let bias = self.vector(&format!("{name}.bias"))?;
        if weight.nrows() != bias.len() {
            return Err(Error::Tensor {
                name: name.to_owned(),
            });
        }
        Ok(Linear {
            weight: weight.reversed_axes(),
            bias,
        })
    }

    fn norm(&self, name: &str) -> Result<Norm, Error> {
        let (scale, shift) = (
            self.vector(&format!("{name}.weight"))?,
            self.vector(&format!("{name}.bias"))?,
        );
        if scale.len() != self.shape.hidden_size || shift.len() != scale.len() {
            return Err(Error::Tensor {
                name: name.to_owned(),
            });
        }
        Ok(Norm {
            scale,
            shift,
            epsilon: self.shape.layer_norm_eps,
        })
    }

    /// A matrix one of whose sides is the hidden size.
    fn matrix(&self, name: &str) -> Result<Array2<f32>, Error> {
        let wrong = || Error::Tensor {
            name: name.to_owned(),
        };
        let (sides, numbers) = self.numbers(name)?;
        let [rows, columns] = sides[..] else {
            return Err(wrong());
        };
        if rows != self.shape.hidden_size && columns != self.shape.hidden_size {
            return Err(wrong());
        }
        let matrix = ArrayView2::from_shape((rows, columns), &numbers);
        matrix
            .map(|matrix| matrix.to_owned())
            .map_err(|_shape| wrong())
    }

    fn vector(&self, name: &str) -> Result<Array1<f32>, Error> {
        let (sides, numbers) = self.numbers(name)?;
        if sides.len() != 1 {
            return Err(Error::Tensor {
                name: name.to_owned(),
            });
        }
        Ok(ArrayView1::from(&numbers).to_owned())
    }

    fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), Error> {
        let tensor = self.file.tensor(name)?;
        if tensor.dtype() != Dtype::F32 {
            return Err(Error::Tensor {
                name: name.to_owned(),
            });
        }
        let (numbers, _rest) = tensor.data().as_chunks::<4>();
        let numbers = numbers
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        Ok((tensor.shape().to_vec(), numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_matches_known_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_3),
            (3.0, 2.995_95),
        ] {
            assert!((gelu(x) - expected).abs() < 1e-5, "gelu({x}) = {}", gelu(x));
        }
    }

    #[test]
    fn bytes_that_are_no_weights_are_refused() {
        let shape = Shape {
            hidden_size: 4,
            num_hidden_layers: 1,
            num_attention_heads: 2,
            layer_norm_eps: 1e-12,
            max_position_embeddings: 8,
        };
        assert!(matches!(
            Bert::new(&shape, b"not weights"),
            Err(Error::Format(_))
        ));
        let odd = Shape {
            num_attention_heads: 3,
            ..shape
        };
        assert!(matches!(Bert::new(&odd, b""), Err(Error::Heads { .. })));
    }
}
