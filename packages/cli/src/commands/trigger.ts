import { Command } from "effect/cli"
export const trigger = Command.make("trigger")
