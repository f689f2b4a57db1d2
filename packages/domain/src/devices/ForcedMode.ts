import { Schema } from "effect"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { oneOf } from "../shared/quantities.ts"

/** A mode that a command forced on a device for a time. */
export const ForcedMode = Schema.Struct({
  mode: StoredText(100).annotate({ description: "The forced operating mode", examples: ["charge"] }),
  until: Timestamp.annotate({ description: "Time at which the mode ends by itself" }),
  then: oneOf(["restore"], "`restore`: the settings from before are written back"),
  source: oneOf(["user", "dispatch", "schedule"], "Origin of the command that forced the mode")
}).annotate({
  identifier: "ForcedMode",
  description: "A mode that a command forced on a device; it always ends",
  examples: [{ mode: "charge", until: "2026-03-01T13:00:00.000Z", then: "restore", source: "user" }]
})
export type ForcedMode = typeof ForcedMode.Type
