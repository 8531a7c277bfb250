//! engine: a language model on this machine's processor, behind the Models contract.
//!
//! What it is: the fallback for machines where no model server runs, and the real model that tests
//! use. It loads a GGUF file with llama.cpp and an embedding model with code of its own, in a
//! process of its own (`carl-engine`): a crash or a leak there cannot take the guard down.
//! What it owns: llama.cpp's context and cache, chat templates, decoding under a schema.
//! What it never does: open a network connection, write a file, start a program, decide what a
//! tool call may do.
//! Where to start: [`engine`] (one loaded model), [`generate`] (the decoding loop).

pub mod activity;
pub mod constraint;
pub mod embedding;
pub mod engine;
pub mod generate;
pub mod lifetime;
pub mod log;
pub mod neutral;
pub mod repetition;
pub mod reply;
pub mod service;
pub mod signs;
pub mod slots;
pub mod template;
pub mod threads;
pub mod tools;
pub mod utf8;
pub mod weights;
