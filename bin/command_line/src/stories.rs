//! `carl stories`.

use clap::Args;
use std::path::PathBuf;

/// `carl stories`.
#[derive(Debug, Args)]
pub struct StoriesArgs {
    /// Which, such as S1; all of them where none is named
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Run the stories (*.yaml) of this folder, and not those that come along
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
    /// Ask this server (`carl serve --http`) instead of one for the stories alone
    #[arg(
        long,
        value_name = "URL",
        requires = "token_env",
        conflicts_with = "provider"
    )]
    pub http: Option<String>,
    /// The variable that has a token of the server with the scope `admin`
    #[arg(long, value_name = "NAME", requires = "http")]
    pub token_env: Option<String>,
    /// The configured model provider to use
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model: `provider/model`, or a model of the chosen provider
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Longest that a step may take, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub patience: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
