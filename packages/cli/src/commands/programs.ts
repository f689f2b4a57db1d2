import type { Criteria } from "@edp/domain/collections/criteria"
import { type Program, ProgramVisibility } from "@edp/domain/programs/Program"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { showRecord } from "../kernel/Output.ts"
import { clearFlag, json, parseObject, several, text, withCleared, choices } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { programReport } from "./programReports.ts"

const formatStates = ({ states }: Program) => (states.length === 0 ? "all" : states)
const formatActive = ({ active }: Program) => (active ? "yes" : "no")

const programColumns: ReadonlyArray<Column<Program>> = [
  { title: "SLUG", value: ({ slug }) => slug, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "STATES", value: formatStates },
  { title: "ACTIVE", value: formatActive, whole: true },
  { title: "VISIBILITY", value: ({ visibility }) => visibility, whole: true },
  { title: "YEAR", value: ({ year }) => year, whole: true, wide: true },
  { title: "STARTS", value: ({ startsAt }) => startsAt, time: true, whole: true, wide: true },
  { title: "ENDS", value: ({ endsAt }) => endsAt, time: true, whole: true, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true, wide: true }
]

const programFields = (program: Program) =>
  [
    ["id", program.id],
    ["slug", program.slug],
    ["name", program.name],
    ["description", program.description],
    ["states", formatStates(program)],
    ["active", formatActive(program)],
    ["visibility", program.visibility],
    ["organization", program.organizationId],
    ["year", program.year],
    ["starts", program.startsAt],
    ["ends", program.endsAt],
    ["eligibility", program.eligibility],
    ["created", program.createdAt],
    ["updated", program.updatedAt]
  ] as const

const slug = Argument.String("slug").pipe(Argument.withDescription("Slug of the program"))

const settings = {
  description: text("description", "Longer description"),
  states: several("state", "Code of a US state whose residents the program takes, such as CA; none is every state"),
  active: Flag.Boolean("active").pipe(
    Flag.withDescription("--no-active: the program takes no new enrollments"),
    Flag.optional
  ),
  visibility: Flag.Literals("visibility", ProgramVisibility.literals).pipe(
    Flag.withDescription("PUBLIC: every organization sees it; default: PRIVATE"),
    Flag.optional
  ),
  year: Flag.Int("year").pipe(Flag.withDescription("Year of the program"), Flag.optional),
  startsAt: text("starts", "Start, such as 2026-05-01T00:00:00-07:00"),
  endsAt: text("ends", "End"),
  eligibility: json("eligibility", "Condition of devices, as in collections").pipe(Flag.optional)
}

interface Settings {
  readonly states: ReadonlyArray<string>
  readonly eligibility: Option.Option<string>
}

/** The fields of a request; the service validates states and criteria. */
const parseSettings = Effect.fnUntraced(function* <Flags extends Settings>({ eligibility, states, ...flags }: Flags) {
  return {
    ...given(flags),
    ...(states.length > 0 && { states: states as Program["states"] }),
    ...(Option.isSome(eligibility) && {
      eligibility: (yield* parseObject("eligibility", eligibility.value)) as Criteria
    })
  }
})

const list = verb(
  "programs list",
  "List public programs and those of the organization, newest first",
  {
    ...pagingFlags,
    state: several("state", "Programs that take residents of this state"),
    visibility: choices("visibility", ProgramVisibility.literals),
    active: Flag.Literals("active", ["true", "false"]).pipe(
      Flag.withDescription("Whether the program takes enrollments"),
      Flag.optional
    )
  },
  ({ state, ...flags }) =>
    showList(flags, "programs", programColumns, (query) =>
      request("programs", "list", { query: { ...query, ...(given({ state }) as { state?: Program["states"] }) } })
    )
)

const show = verb("programs show", "Show a program", { slug }, (params) =>
  showRecord(request("programs", "get", { params }), programFields)
)

const create = verb(
  "programs create",
  "Create a program of the key's organization",
  {
    slug: Flag.String("slug").pipe(
      Flag.withDescription("1 to 63 lower-case letters, digits and hyphens; it can't be changed")
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Display name")),
    ...settings
  },
  Effect.fnUntraced(function* ({ name, slug, ...flags }) {
    const payload = { slug, name, ...(yield* parseSettings(flags)) }
    yield* showRecord(request("programs", "create", { payload }), programFields)
  }),
  [
    `edp programs create --slug evening-peak --name "Evening Peak" --state CA --eligibility '{"attribute":"type","operator":"eq","value":"battery"}'`
  ]
)

const clearing = {
  states: { states: [] },
  year: { year: null },
  starts: { startsAt: null },
  ends: { endsAt: null },
  eligibility: { eligibility: null }
} as const

const update = verb(
  "programs update",
  "Change a program; --state replaces all states",
  { slug, name: text("name", "New name"), ...settings, clear: clearFlag(clearing) },
  Effect.fnUntraced(function* ({ clear, name, slug, ...flags }) {
    const changes = { ...given({ name }), ...(yield* parseSettings(flags)) }
    const payload = yield* withCleared(changes, clearing, clear)
    yield* showRecord(request("programs", "update", { params: { slug }, payload }), programFields)
  }),
  ["edp programs update evening-peak --no-active", "edp programs update evening-peak --clear states"]
)

export const programs = Command.make("programs").pipe(
  Command.withDescription("Energy programs: the states and the devices that they take"),
  Command.withSubcommands([list, show, create, update, programReport])
)
