//! `carl tools` and `carl agents`: tools and agent types, and tables for tools that are not built in.

use super::Setting;
use crate::wiring::House;
use anyhow::Result;
use command_line::{AgentsArgs, ClassifyArgs, ListArgs, SessionFlags, ToolsArgs, ToolsCommand};
use rendering::print;
use settings::By;
use terminal::exit::{Exit, OrFail};
use terminal::{rights, tool_tables};

/// Lists tools, or drafts or checks a table.
///
/// # Errors
/// As each command says.
pub async fn tools(args: ToolsArgs) -> Result<Exit> {
    match args.command {
        None => list(&args.list).await,
        Some(ToolsCommand::Classify(args)) => draft(args).await,
        Some(ToolsCommand::Check(args)) => tool_tables::check(&args.tables, args.tools.as_deref()),
    }
}

/// Lists the tool table.
///
/// # Errors
/// When the manifest cannot be used.
async fn list(args: &ListArgs) -> Result<Exit> {
    let house = House::look(&Setting::plain()?).await?;
    let tools = house.guard.control.list_tools().await.or_fail()?;
    rights::tools(&tools, args.json)?;
    Ok(Exit::Success)
}

/// Lists the agent types.
///
/// # Errors
/// When the manifest cannot be used.
pub async fn agents(args: &AgentsArgs) -> Result<Exit> {
    if args.shipped {
        // The file of the user's own may be what is wrong.
        print(broker::SHIPPED_AGENTS)?;
        return Ok(Exit::Success);
    }
    let house = House::look(&Setting::plain()?).await?;
    let agents = house.guard.control.list_agents().await.or_fail()?;
    rights::agents(&agents, args.list.json)?;
    Ok(Exit::Success)
}

/// Drafts a table.
///
/// # Errors
/// When the definitions cannot be used, the model that was asked for does not answer, or the output
/// is there already.
async fn draft(args: ClassifyArgs) -> Result<Exit> {
    let mut draft = tool_tables::draft(&args.definitions)?;
    if args.model {
        let flags = SessionFlags {
            air_gap: args.air_gap,
            ..SessionFlags::default()
        };
        let setting = Setting::read(&flags)?;
        let house = House::open(&setting, &flags, By::Command).await?;
        let (models, audit) = (house.gateway.as_ref(), house.audit.as_ref());
        let considered = draft.consider(models, audit).await;
        house.close(considered).await?;
    }
    draft.write(args.output.as_deref())?;
    Ok(Exit::Success)
}
