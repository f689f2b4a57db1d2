import {
  type EnrollmentPeriod,
  type ProgramInstance,
  programInstanceStatuses
} from "@edp/domain/programs/ProgramInstance"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { bodyText } from "../kernel/files.ts"
import { findInstance, instanceArgument } from "../kernel/find.ts"
import { clearFlag, json, parseObject, several, text, withCleared, choices, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"
import { instanceReport } from "./programReports.ts"

const instanceColumns: ReadonlyArray<Column<ProgramInstance>> = [
  { title: "ID", value: ({ id }) => id, whole: true, wide: true },
  { title: "SLUG", value: ({ slug }) => slug, whole: true },
  { title: "TITLE", value: ({ title }) => title },
  { title: "PROGRAM", value: ({ programSlug }) => programSlug },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "TERMS", value: ({ termsVersion }) => termsVersion, right: true, wide: true },
  { title: "PAGE", value: ({ enrollPath }) => enrollPath, wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, whole: true, wide: true }
]

const formatPeriod = ({ activatesAt, deadline }: EnrollmentPeriod) => `until ${deadline}, active from ${activatesAt}`

const SHOWN = 200

const shortened = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text)

const instanceFields = (instance: ProgramInstance) =>
  [
    ["id", instance.id],
    ["slug", instance.slug],
    ["title", instance.title],
    ["program", instance.programSlug],
    ["status", instance.status],
    ["page", instance.enrollPath],
    ["description", shortened(instance.description)],
    ["for", shortened(instance.eligibilityCriteria)],
    [`terms, version ${instance.termsVersion}`, shortened(instance.programTerms)],
    ...instance.enrollmentPeriods.map((period, index) => [`period ${index}`, formatPeriod(period)] as const),
    ["custom fields", instance.customFields],
    ["workspace", instance.workspaceId],
    ["created", instance.createdAt],
    ["updated", instance.updatedAt]
  ] as const

const settings = {
  description: text("description", "Description, shown to users; @FILE reads a file"),
  eligibilityCriteria: text("for", "Who may take part, in plain text; @FILE reads a file"),
  programTerms: text("terms", "Terms that a person accepts on enrollment; @FILE reads a file, - standard input"),
  periods: several(
    "period",
    "DEADLINE/ACTIVATES of enrollments, such as 2026-05-31T23:59:59Z/2026-06-15T00:00:00Z; a deadline alone activates them at once"
  ),
  customFields: json("custom-fields", "Free-form data; an update merges its fields").pipe(Flag.optional)
}

interface Settings {
  readonly description: Option.Option<string>
  readonly eligibilityCriteria: Option.Option<string>
  readonly programTerms: Option.Option<string>
  readonly periods: ReadonlyArray<string>
  readonly customFields: Option.Option<string>
}

/** The service validates the times. */
const parsePeriod = (period: string): EnrollmentPeriod => {
  const [deadline = "", activatesAt = deadline] = period.split("/", 2)
  return { deadline, activatesAt }
}

const readText = (flag: Option.Option<string>) => Effect.transposeOption(Option.map(flag, bodyText))

const parseSettings = Effect.fnUntraced(function* ({ customFields, periods, ...texts }: Settings) {
  return {
    ...given({
      description: yield* readText(texts.description),
      eligibilityCriteria: yield* readText(texts.eligibilityCriteria),
      programTerms: yield* readText(texts.programTerms),
      enrollmentPeriods: periods.map(parsePeriod)
    }),
    ...(Option.isSome(customFields) && { customFields: yield* parseObject("custom-fields", customFields.value) })
  }
})

const status = Flag.Literals("status", programInstanceStatuses).pipe(
  Flag.withDescription("INACTIVE takes no enrollments for now; ARCHIVED is final"),
  Flag.optional
)

const list = verb(
  "instances list",
  "List program instances, newest first",
  {
    ...pagingFlags,
    programSlug: several("program", "Slug of a program"),
    status: choices("status", programInstanceStatuses)
  },
  (flags) => showList(flags, "instances", instanceColumns, (query) => request("programInstances", "list", { query }))
)

const show = verb(
  "instances show",
  "Show a program instance",
  { instance: instanceArgument },
  Effect.fnUntraced(function* ({ instance }) {
    yield* showRecord(findInstance(instance), instanceFields)
  })
)

const create = verb(
  "instances create",
  "Run a program in the workspace",
  {
    slug: Flag.String("slug").pipe(
      Flag.withDescription(
        "1 to 63 lower-case letters, digits and hyphens, unique in the workspace; it can't be changed"
      )
    ),
    programSlug: Flag.String("program").pipe(Flag.withDescription("Slug of the program")),
    title: Flag.String("title").pipe(Flag.withDescription("Title, shown to users")),
    ...settings,
    status
  },
  Effect.fnUntraced(function* ({ programSlug, slug, status, title, ...flags }) {
    const none = { description: "", eligibilityCriteria: "", programTerms: "" }
    const payload = { slug, programSlug, title, ...none, ...(yield* parseSettings(flags)), ...given({ status }) }
    yield* showRecord(request("programInstances", "create", { payload }), instanceFields)
  }),
  [
    'edp instances create --slug evening-peak-2026 --program evening-peak --title "Evening Peak 2026" --terms @terms.txt --period 2026-05-31T23:59:59Z/2026-06-15T00:00:00Z'
  ]
)

const clearing = { periods: { enrollmentPeriods: [] }, "custom-fields": { customFields: null } } as const

const update = verb(
  "instances update",
  "Change a program instance; --period replaces all periods, and new terms raise their version",
  { instance: instanceArgument, title: text("title", "New title"), ...settings, status, clear: clearFlag(clearing) },
  Effect.fnUntraced(function* ({ clear, instance, status, title, ...flags }) {
    const changes = { ...given({ title, status }), ...(yield* parseSettings(flags)) }
    const payload = yield* withCleared(changes, clearing, clear)
    const { id } = yield* findInstance(instance)
    yield* showRecord(request("programInstances", "update", { params: { id }, payload }), instanceFields)
  }),
  ["edp instances update evening-peak-2026 --status INACTIVE"]
)

const remove = verb(
  "instances delete",
  "Delete a program instance without enrollments and dispatches",
  { instance: instanceArgument, yes },
  Effect.fnUntraced(function* ({ instance, yes }) {
    const { id, title } = yield* findInstance(instance)
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the program instance "${title}"?`,
      call: request("programInstances", "remove", { params: { id } }),
      done: `The program instance "${title}" is deleted.`
    })
  })
)

export const instances = Command.make("instances").pipe(
  Command.withDescription("Programs as the workspace runs them, with their terms and deadlines"),
  Command.withSubcommands([list, show, create, update, remove, instanceReport])
)
