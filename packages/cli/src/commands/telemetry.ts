import { Command } from "effect/cli"
import { importTelemetry } from "./telemetry/import.ts"

export const telemetry = Command.make("telemetry").pipe(
  Command.withDescription("Readings of devices"),
  Command.withSubcommands([importTelemetry])
)
