import { Command } from "effect/cli"
export const api = Command.make("api")
