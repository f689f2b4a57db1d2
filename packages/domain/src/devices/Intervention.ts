import { Schema } from "effect"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { commandSlugs } from "./DeviceType.ts"

export const interventionCodes = [
  "key_not_paired",
  "scope_missing",
  "plan_required",
  "terms_not_accepted",
  "storm_mode",
  "local_access_disabled",
  "sign_in_again"
] as const
export type InterventionCode = (typeof interventionCodes)[number]

export const interventionActors = ["owner", "installer", "operator", "manufacturer"] as const

/** Maximum number of interventions of one device. */
export const INTERVENTIONS_LIMIT = 20

/** An obstacle between a device and a capability. */
export const Intervention = Schema.Struct({
  code: oneOf(interventionCodes, "The obstacle").annotate({ identifier: "InterventionCode" }),
  blocks: Schema.Array(oneOf([...commandSlugs, "telemetry"], "A command, or `telemetry` for readings"))
    .check(documents({ maxItems: commandSlugs.length + 1 }))
    .annotate({ description: "Commands that the obstacle blocks; `telemetry` if it blocks readings" }),
  title: StoredText(255).annotate({ description: "The obstacle in one sentence, shown to users" }),
  steps: Schema.Array(StoredText(1000))
    .check(documents({ maxItems: 20 }))
    .annotate({ description: "What the actor does, step by step" }),
  actor: oneOf(interventionActors, "Who removes the obstacle")
}).annotate({
  identifier: "Intervention",
  description: "An obstacle between a device and a capability, and how a person removes it",
  examples: [
    {
      code: "key_not_paired",
      blocks: ["vehicle:set-charge-limit"],
      title: "The vehicle does not accept commands yet",
      steps: ["Open the manufacturer's app", "Approve the key of this service"],
      actor: "owner"
    }
  ]
})
export type Intervention = typeof Intervention.Type
