//! `carl models`: which models there are, which would answer, and how fast one is.

use super::Setting;
use crate::wiring::House;
use anyhow::Result;
use command_line::{ModelsArgs, SessionFlags};
use domain::model::{ModelChoice, ModelRef};
use rendering::print;
use settings::By;
use terminal::exit::{Exit, Failure};
use terminal::models;

/// Lists models, or tests one.
///
/// # Errors
/// When a model asked for does not answer.
pub async fn models(args: ModelsArgs) -> Result<Exit> {
    let flags = SessionFlags {
        air_gap: args.air_gap,
        ..SessionFlags::default()
    };
    let setting = Setting::read(&flags)?;
    let Some(name) = &args.test else {
        let house = House::look(&setting).await?;
        models::show(house.gateway.as_ref(), args.json).await?;
        return Ok(Exit::Success);
    };
    let model: ModelRef = name.parse().map_err(|error| {
        Failure::usage(
            format!("--test: {error}"),
            "`carl models` lists what is there.",
        )
    })?;
    let house = House::open(&setting, &flags, By::Command).await?;
    let (gateway, audit) = (house.gateway.as_ref(), house.audit.as_ref());
    let speed = models::measure(gateway, audit, ModelChoice::Exact(model)).await;
    let speed = house.close(speed).await?;
    print(&format!("{}\n", speed.line()))?;
    Ok(Exit::Success)
}
