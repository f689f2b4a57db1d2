import type { ReadingRemoval, ReadingRetention } from "@edp/domain/telemetry/ReadingRetentionApi"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { confirm } from "../../kernel/ask.ts"
import { usage } from "../../kernel/CliFailure.ts"
import { request } from "../../kernel/Connection.ts"
import { several, text, yes } from "../../kernel/flags.ts"
import { Output, showRecord, showTable } from "../../kernel/Output.ts"
import type { Column } from "../../kernel/table.ts"
import { verb } from "../../kernel/verb.ts"

/** Shown where a figure is not known. */
const unknown = "unknown"

const columns: ReadonlyArray<Column<ReadingRemoval>> = [
  { title: "TYPE", value: ({ deviceType }) => deviceType, whole: true },
  { title: "DAYS", value: ({ days }) => days, right: true },
  { title: "BEFORE", value: ({ before }) => before.slice(0, 10), whole: true },
  { title: "DEVICES", value: ({ devices }) => devices ?? unknown, right: true },
  { title: "READINGS", value: ({ readings }) => readings ?? unknown, right: true },
  { title: "FROM", value: ({ from }) => from, time: true },
  { title: "TO", value: ({ to }) => to, time: true },
  { title: "BYTES", value: ({ bytes }) => bytes ?? unknown, right: true },
  { title: "REASON", value: ({ reason }) => reason }
]

const limits = (types: Readonly<Record<string, number>>) =>
  Object.entries(types).map(([type, days]) => `${type}: ${days} days`)

const fields = ({ id, retentionDays, retentionDaysByType, removedBefore }: ReadingRetention) =>
  [
    ["workspace", id],
    ["all types", retentionDays === null ? "not limited" : `${retentionDays} days`],
    ["by type", limits(retentionDaysByType)],
    ["removed", Object.entries(removedBefore).map(([type, at]) => `${type} before ${at.slice(0, 10)}`)]
  ] as const

const parseDays = (flag: string, given: string) =>
  given === "none"
    ? Effect.succeed(null)
    : /^\d+$/.test(given)
      ? Effect.succeed(Number(given))
      : usage(`--${flag} takes a number of days or none, not ${JSON.stringify(given)}`)

/** The limits by type with the changes of flags such as `charger=90`. */
const withTypes = Effect.fnUntraced(function* (
  present: Readonly<Record<string, number>>,
  changes: ReadonlyArray<string>
) {
  const types = { ...present }
  for (const change of changes) {
    const [, type, given] = /^([^=]+)=(.+)$/.exec(change) ?? []
    if (type === undefined) return yield* usage("--type takes a type and a number of days or none, such as charger=90")
    const days = yield* parseDays("type", given!)
    if (days === null) delete types[type]
    else types[type] = days
  }
  return types
})

export const retention = verb(
  "workspaces retention",
  "Show or set for how many days a workspace keeps readings; a dry run names what would be removed",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    days: text("days", "Days for all types without a number of their own, at least 7; none: no limit"),
    types: several("type", "Type of device with its days, such as charger=90; charger=none removes it"),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Change nothing, and count what would be removed"),
      Flag.withDefault(false)
    ),
    yes
  },
  Effect.fnUntraced(function* ({ id, days, types, dryRun, yes }) {
    const params = { id }
    const present = yield* request("readingRetention", "get", { params })
    if (!dryRun && Option.isNone(days) && types.length === 0) return yield* showRecord(Effect.succeed(present), fields)
    const payload = {
      retentionDays: Option.isNone(days) ? present.retentionDays : yield* parseDays("days", days.value),
      retentionDaysByType: yield* withTypes(present.retentionDaysByType, types)
    }
    if (dryRun) {
      const document = yield* request("readingRetention", "save", { params, payload: { ...payload, dryRun } })
      yield* showTable(document, columns, document.removals ?? [])
      return document
    }
    yield* confirm({ yes, message: "Remove older readings? They can't be restored.", unasked: "refuse" })
    const saved = yield* showRecord(request("readingRetention", "save", { params, payload }), fields)
    yield* (yield* Output).note("Older readings are removed in the background. Energies stay.")
    return saved
  }),
  [
    "edp workspaces retention WORKSPACE_ID --days 400 --type charger=90 --dry-run",
    "edp workspaces retention WORKSPACE_ID --type charger=none"
  ]
)
