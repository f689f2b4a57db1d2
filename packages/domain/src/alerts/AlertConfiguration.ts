import { Schema } from "effect"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { AlertSubtype, AlertType } from "./Alert.ts"
import { AlertSeverity } from "./AlertStatus.ts"

const MAX_VALUES = 100

export const RuleMode = oneOf(["SHOW", "HIDE"], "SHOW: alerts of these values alone are listed; HIDE: all but these")

const rule = <S extends Schema.Codec<string, string>>(value: S) =>
  Schema.Struct({
    mode: RuleMode,
    values: Schema.Array(value)
      .check(Schema.isBetweenLength(1, MAX_VALUES, { message: `Must be 1 to ${MAX_VALUES} values` }))
      .annotate({ description: `1 to ${MAX_VALUES} values; repeated ones count once` })
  })

const orNone = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description: `${description}; null: no rule` })

const ruleOrNone = <S extends Schema.Codec<string, string>>(value: S, description: string) =>
  orNone(rule(value), description).annotate({ message: "Must be null, or an object with mode and values" })

/** The rules that an alert must pass to be listed. */
const rules = {
  minimumSeverity: orNone(
    AlertSeverity,
    "Alerts of this severity and of graver ones are listed; CRITICAL is the gravest"
  ),
  types: ruleOrNone(AlertType, "Which types are shown or hidden"),
  subtypes: ruleOrNone(AlertSubtype, "Which subtypes are shown or hidden; SHOW hides an alert without a subtype"),
  sourceSystems: ruleOrNone(Text(1, 255), "Which source systems are shown or hidden, letter by letter")
}

export const AlertRules = Schema.Struct(rules)
export type AlertRules = typeof AlertRules.Type
export type AlertRule = NonNullable<AlertRules["types" | "subtypes" | "sourceSystems"]>

/** The configuration before one is saved: lists show everything. */
export const everyAlert: AlertRules = { minimumSeverity: null, types: null, subtypes: null, sourceSystems: null }

const example = {
  minimumSeverity: "WARNING",
  types: { mode: "HIDE", values: ["FIRMWARE_UPDATE"] },
  subtypes: null,
  sourceSystems: null
} as const

export const AlertConfiguration = Schema.Struct({
  workspaceId: Cuid.annotate({ description: "The workspace whose lists it filters", examples: [exampleIds.workspace] }),
  ...rules,
  savedAt: Schema.NullOr(Timestamp).annotate({ description: "null: nothing is saved, and every alert is listed" }),
  savedBy: Schema.NullOr(Schema.String).annotate({
    description: "Owner of the API key that saved it, else the key's id"
  })
}).annotate({
  identifier: "AlertConfiguration",
  description: "Which alerts the lists of a workspace show and count",
  examples: [
    { workspaceId: exampleIds.workspace, ...example, savedAt: "2026-03-01T12:00:00.000Z", savedBy: exampleIds.apiKey }
  ]
})
export type AlertConfiguration = typeof AlertConfiguration.Type

/** Replaces the saved configuration: an absent rule is removed. */
export const SaveAlertConfiguration = Schema.Struct({
  minimumSeverity: Schema.optionalKey(rules.minimumSeverity),
  types: Schema.optionalKey(rules.types),
  subtypes: Schema.optionalKey(rules.subtypes),
  sourceSystems: Schema.optionalKey(rules.sourceSystems)
}).annotate({ identifier: "SaveAlertConfiguration", examples: [example] })
export type SaveAlertConfiguration = typeof SaveAlertConfiguration.Type

/** The workspace of the configuration. */
export const OfWorkspace = {
  workspaceId: Schema.optionalKey(
    Text(1, 100).annotate({ description: "A workspace of the key's organization; by default the key's own" })
  )
}

/** The groups that a response has at most. */
export const ALERT_GROUPS_LIMIT = 1000

export const AlertGroup = Schema.Struct({
  severity: AlertSeverity,
  type: AlertType,
  subtype: Schema.NullOr(AlertSubtype),
  sourceSystem: StoredText(255),
  count: Schema.Int
})

export const AlertGroups = Schema.Struct({
  groups: Schema.Array(AlertGroup)
    .check(documents({ maxItems: ALERT_GROUPS_LIMIT }))
    .annotate({ description: "The 1000 largest groups, the largest first" }),
  total: Schema.Int.annotate({ description: "Number of alerts in all groups, those beyond the 1000 largest included" })
}).annotate({
  identifier: "AlertGroups",
  description:
    "The open and acknowledged alerts of a workspace, hidden ones included, by the values that rules compare. They show what other rules would hide.",
  examples: [
    {
      groups: [
        {
          severity: "WARNING",
          type: "COMMUNICATIONS",
          subtype: "INVERTER_COMMS",
          sourceSystem: "night-watch",
          count: 12
        }
      ],
      total: 12
    }
  ]
})
export type AlertGroups = typeof AlertGroups.Type

type Rule = { readonly mode: "SHOW" | "HIDE"; readonly values: ReadonlyArray<string> } | null

/** Whether a rule lets a value pass. Only SHOW hides an alert without a value. */
export const passesRule = (rule: Rule, value: string | null): boolean =>
  rule === null || (value !== null && rule.values.includes(value)) === (rule.mode === "SHOW")

/** Whether a severity is as grave as the minimum. */
export const passesSeverity = (minimum: AlertRules["minimumSeverity"], severity: typeof AlertSeverity.Type): boolean =>
  minimum === null || AlertSeverity.literals.indexOf(severity) <= AlertSeverity.literals.indexOf(minimum)
