import type { GridProgram, GridRule, UpdateGridProgram } from "@edp/domain/grid/GridProgram"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { usage } from "../../kernel/CliFailure.ts"
import { request } from "../../kernel/Connection.ts"
import { showRecord } from "../../kernel/Output.ts"
import { bodyText } from "../../kernel/files.ts"
import { findInstance } from "../../kernel/find.ts"
import { json, several, text } from "../../kernel/flags.ts"
import { pagingFlags, showList } from "../../kernel/paging.ts"
import type { Column } from "../../kernel/table.ts"
import { verb } from "../../kernel/verb.ts"
import { connection } from "./connection.ts"
import { instanceSlugs } from "./labels.ts"
import { formatRule, parseRule, RULE_FORM } from "./ruleText.ts"

const formatRules = ({ rules }: GridProgram) => rules.map(formatRule).join("; ")

const programColumns = (slugs: ReadonlyMap<string, string>): ReadonlyArray<Column<GridProgram>> => [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "PAYLOADS", value: ({ payloadTypes }) => payloadTypes },
  { title: "INSTANCE", value: ({ programInstanceId: id }) => id && (slugs.get(id) ?? id) },
  { title: "RULES", value: formatRules },
  { title: "REMOVED", value: ({ removedAt }) => removedAt, time: true, whole: true },
  { title: "VTN ID", value: ({ vtnProgramId }) => vtnProgramId, wide: true },
  { title: "INSTANCE ID", value: ({ programInstanceId }) => programInstanceId, whole: true, wide: true }
]

type Attribute = GridProgram["attributes"][number]

const formatAttribute = ({ type, values }: Attribute) =>
  `${type} ${values.map((value) => (typeof value === "object" ? `(${value.x}, ${value.y})` : String(value))).join(", ")}`

const termsColumns: ReadonlyArray<Column<GridProgram>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "CONNECTION", value: ({ connectionName }) => connectionName },
  { title: "PAYLOADS", value: ({ payloadTypes }) => payloadTypes },
  { title: "ATTRIBUTES", value: ({ attributes }) => attributes.map(formatAttribute) },
  { title: "DESCRIPTIONS", value: ({ descriptionUrls }) => descriptionUrls },
  { title: "REMOVED", value: ({ removedAt }) => removedAt, time: true, whole: true },
  { title: "VTN ID", value: ({ vtnProgramId }) => vtnProgramId, wide: true },
  { title: "CONNECTION ID", value: ({ connectionId }) => connectionId, whole: true, wide: true }
]

const programFields = (program: GridProgram) =>
  [
    ["id", program.id],
    ["name", program.name],
    ["VTN id", program.vtnProgramId],
    ["connection", program.connectionName],
    ["connection id", program.connectionId],
    ["descriptions", program.descriptionUrls],
    ["payloads", program.payloadTypes],
    ["attributes", program.attributes.map(formatAttribute)],
    ["instance", program.programInstanceId],
    ...program.rules.map((rule, index) => [`rule ${index}`, formatRule(rule)] as const),
    ["removed", program.removedAt],
    ["created", program.createdAt],
    ["updated", program.updatedAt]
  ] as const

export const programs = verb(
  "grid programs",
  "List the programs of a VTN, newest first, with the instance that follows each and its rules",
  { connection, ...pagingFlags },
  ({ connection: id, ...flags }) =>
    showList(
      flags,
      "programs",
      () => Effect.map(instanceSlugs, programColumns),
      (query) => request("grid", "listPrograms", { params: { id }, query })
    )
)

export const terms = verb(
  "grid terms",
  "List the programs of VTNs that a program instance follows, newest first, with the terms that the VTNs state",
  {
    instance: Argument.String("instance").pipe(Argument.withDescription("Program instance, by id or slug")),
    ...pagingFlags
  },
  Effect.fnUntraced(function* ({ instance, ...flags }) {
    const { id } = yield* findInstance(instance)
    yield* showList(flags, "followed programs", termsColumns, (query) =>
      request("grid", "instancePrograms", { params: { id }, query })
    )
  }),
  ["edp grid terms summer"]
)

const NO_INSTANCE = "none"

const findInstanceId = (instance: string) =>
  instance === NO_INSTANCE ? Effect.succeed(null) : Effect.map(findInstance(instance), ({ id }) => id)

/** The service validates each rule. */
const parseRules = Effect.fnUntraced(function* (given: string) {
  const content = yield* bodyText(given)
  try {
    const rules: unknown = JSON.parse(content)
    if (Array.isArray(rules)) return rules as ReadonlyArray<GridRule>
  } catch {
    // Reported below.
  }
  return yield* usage("--rules must be a JSON array in single quotes, @FILE, or - for standard input")
})

export const map = verb(
  "grid map",
  "Set whose devices follow a program of a VTN, and what its events mean for them",
  {
    program: Argument.String("program").pipe(Argument.withDescription("Id of the program, from edp grid programs")),
    instance: text(
      "instance",
      `Program instance whose enrolled sites follow the program, by id or slug; ${NO_INSTANCE}: no device follows it`
    ),
    rule: several("rule", `${RULE_FORM}; the rules replace the previous ones`),
    rules: json("rules", "All rules as a JSON array instead, as @FILE, or - for standard input; [] removes them").pipe(
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ instance, program, rule, rules }) {
    if (rule.length > 0 && Option.isSome(rules)) return yield* usage("--rule and --rules can't be given together")
    const payload: UpdateGridProgram = {
      ...(rule.length > 0 && { rules: yield* Effect.forEach(rule, parseRule) }),
      ...(Option.isSome(rules) && { rules: yield* parseRules(rules.value) }),
      ...(Option.isSome(instance) && { programInstanceId: yield* findInstanceId(instance.value) })
    }
    if (Object.keys(payload).length === 0) return yield* usage("Nothing to change: pass --instance, --rule or --rules")
    yield* showRecord(request("grid", "updateProgram", { params: { id: program }, payload }), programFields)
  }),
  [
    "edp grid map PROGRAM_ID --instance summer --rule 'SIMPLE 1: charger stop-charging' --rule 'SIMPLE 2..: battery discharge, charger stop-charging'",
    "edp grid map PROGRAM_ID --instance summer --rule 'DISPATCH_SETPOINT: share battery'",
    "edp grid map PROGRAM_ID --rules @rules.json",
    `edp grid map PROGRAM_ID --instance ${NO_INSTANCE}`
  ]
)
