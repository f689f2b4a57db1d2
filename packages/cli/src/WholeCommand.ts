import { Context, type Effect } from "effect"
import type { Command } from "effect/cli"

/** The command line with all its commands, for what tells of them all. */
export class WholeCommand extends Context.Service<WholeCommand, Effect.Effect<Command.Command.Any>>()(
  "@edp/cli/WholeCommand"
) {}
