import { given } from "../../kernel/paging.ts"
import { workspaceId, yes } from "../../kernel/flags.ts"
import { verb } from "../../kernel/verb.ts"
import { alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import type { AlertConfiguration, AlertRule, SaveAlertConfiguration } from "@edp/domain/alerts/AlertConfiguration"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { Connection, request } from "../../kernel/Connection.ts"
import { Output, showRecord } from "../../kernel/Output.ts"
import { confirm } from "../../kernel/ask.ts"

const shown = (rule: AlertRule | null) => {
  if (rule === null) return "all"
  return `${rule.mode === "SHOW" ? "only" : "all but"} ${rule.values.join(", ")}`
}

const severities = (minimum: AlertConfiguration["minimumSeverity"]) =>
  minimum === null || minimum === "INFO" ? "all" : minimum === "WARNING" ? "WARNING, CRITICAL" : minimum

const configurationFields = (configuration: AlertConfiguration) =>
  [
    ["workspace", configuration.workspaceId],
    ["severities", severities(configuration.minimumSeverity)],
    ["types", shown(configuration.types)],
    ["subtypes", shown(configuration.subtypes)],
    ["source systems", shown(configuration.sourceSystems)],
    [
      "saved",
      configuration.savedAt === null
        ? "nothing: every alert is listed"
        : `${configuration.savedAt} by ${configuration.savedBy}`
    ]
  ] as const

const choices = <const Words extends ReadonlyArray<string>>(name: string, values: Words, description: string) =>
  Flag.Literals(name, values).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))
const texts = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))
const no = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** The flags of a rule replace the whole rule. */
const ruleFlags = {
  minSeverity: Flag.Literals("min-severity", AlertSeverity.literals).pipe(
    Flag.withDescription("List alerts of this severity and above"),
    Flag.optional
  ),
  anySeverity: no("any-severity", "List alerts of every severity"),
  showTypes: choices("show-type", alertTypes, "List only alerts of this type"),
  hideTypes: choices("hide-type", alertTypes, "List alerts of all types except this one"),
  allTypes: no("all-types", "List alerts of every type"),
  showSubtypes: choices("show-subtype", alertSubtypes, "List only alerts of this subtype, none without a subtype"),
  hideSubtypes: choices("hide-subtype", alertSubtypes, "List alerts of all subtypes except this one"),
  allSubtypes: no("all-subtypes", "List alerts of every subtype"),
  showSources: texts("show-source", "List only alerts of this source system"),
  hideSources: texts("hide-source", "List alerts of all source systems except this one"),
  allSources: no("all-sources", "List alerts of every source system")
}

type Values = ReadonlyArray<string>

/** The rule of its flags; undefined without any. */
const ruleFromFlags = Effect.fnUntraced(function* (name: string, show: Values, hide: Values, all: boolean) {
  if ([show.length > 0, hide.length > 0, all].filter(Boolean).length > 1) {
    return yield* usage(`--show-${name}, --hide-${name} and --all-${name}s can't be given together`)
  }
  if (all) return null
  if (show.length > 0) return { mode: "SHOW" as const, values: show }
  return hide.length > 0 ? { mode: "HIDE" as const, values: hide } : undefined
})

/** The rules that the flags change. */
const changedRules = Effect.fnUntraced(function* (flags: Command.Command.Config.Infer<typeof ruleFlags>) {
  if (flags.anySeverity && Option.isSome(flags.minSeverity)) {
    return yield* usage("--min-severity and --any-severity can't be given together")
  }
  const changes = {
    minimumSeverity: flags.anySeverity ? null : Option.getOrUndefined(flags.minSeverity),
    types: yield* ruleFromFlags("type", flags.showTypes, flags.hideTypes, flags.allTypes),
    subtypes: yield* ruleFromFlags("subtype", flags.showSubtypes, flags.hideSubtypes, flags.allSubtypes),
    sourceSystems: yield* ruleFromFlags("source", flags.showSources, flags.hideSources, flags.allSources)
  }
  const written = Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== undefined))
  if (Object.keys(written).length > 0) return written as SaveAlertConfiguration
  return yield* usage(
    "Nothing to change: pass --min-severity, or --show-…, --hide-… or --all-… of types, subtypes or sources"
  )
})

const show = verb("alerts config show", "Show the rules", { workspaceId }, ({ workspaceId }) =>
  showRecord(request("alertConfiguration", "get", { query: given({ workspaceId }) }), configurationFields)
)

const set = verb(
  "alerts config set",
  "Change rules; those without a flag stay",
  { ...ruleFlags, workspaceId },
  Effect.fnUntraced(function* ({ workspaceId, ...flags }) {
    const changes = yield* changedRules(flags)
    const connection = yield* Connection
    const query = given({ workspaceId })
    const { minimumSeverity, sourceSystems, subtypes, types } = yield* (yield* connection.endpoint(
      "alertConfiguration",
      "get"
    ))({ query })
    const payload = { minimumSeverity, types, subtypes, sourceSystems, ...changes }
    yield* showRecord(request("alertConfiguration", "save", { query, payload }), configurationFields)
  }),
  [
    "edp alerts config set --min-severity WARNING --hide-type FIRMWARE_UPDATE --hide-source night-watch",
    "edp alerts config set --any-severity --all-types"
  ]
)

const clear = verb(
  "alerts config clear",
  "Delete the rules, so that every alert is listed",
  { workspaceId, yes },
  Effect.fnUntraced(function* ({ workspaceId, yes }) {
    yield* confirm({ yes, message: "Delete all rules and list every alert again?", unasked: "proceed" })
    yield* request("alertConfiguration", "clear", { query: given({ workspaceId }) })
    yield* (yield* Output).show({ cleared: true }, () => "Every alert is listed again.")
  })
)

export const config = Command.make("config").pipe(
  Command.withDescription("Rules for which alerts a workspace lists"),
  Command.withSubcommands([show, set, clear])
)
