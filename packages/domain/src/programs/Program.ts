import { Schema } from "effect"
import { Criteria } from "../collections/criteria.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Several, paging } from "../shared/Page.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { stateNames } from "../shared/unitedStates.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const stateCodes = Object.keys(stateNames)

export const StateCode = Schema.Literals(stateCodes).annotate({
  message: "Must be the code of a US state, such as CA",
  description: "Code of a US state, the District of Columbia or an inhabited territory",
  examples: ["CA"]
})

export const ProgramVisibility = oneOf(
  ["PUBLIC", "PRIVATE"],
  "`PUBLIC`: every organization sees the program and may instantiate it; `PRIVATE`: only the organization that owns it"
)

const description = "Description, shown to users"
const states = "States whose residents the program takes; empty means every state"
const active = "false: the program takes no new enrollments"
const eligibility =
  "Condition that at least one device of the enrolled site must meet, with the attributes of a DEVICE collection; null is no condition"

export const Program = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.program] }),
  slug: Slug.annotate({ description: "Unique name in addresses", examples: ["evening-peak"] }),
  name: StoredText(255).annotate({ description: "Display name" }),
  description: StoredText(10_000).annotate({ description }),
  states: Schema.Array(StoredText(2))
    .check(documents({ maxItems: stateCodes.length }))
    .annotate({ description: states }),
  active: Schema.Boolean.annotate({ description: active }),
  visibility: ProgramVisibility,
  organizationId: orNull(Cuid).annotate({
    description: "The organization that owns the program; null for a program of the deployment",
    examples: [exampleIds.organization]
  }),
  year: orNull(Schema.Int.check(documents({ minimum: 1900, maximum: 2200 }))).annotate({
    description: "Year of the program; null if it is not tied to one"
  }),
  startsAt: orNull(Timestamp).annotate({ description: "Start of the program; null means it has begun" }),
  endsAt: orNull(Timestamp).annotate({ description: "End of the program; null means it has none" }),
  eligibility: orNull(Criteria).annotate({ description: eligibility }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Program",
  description: "An energy program, such as one of a utility: its rules, which workspaces run as instances",
  examples: [
    {
      id: exampleIds.program,
      slug: "evening-peak",
      name: "Evening Peak",
      description: "Batteries discharge on hot evenings.",
      states: ["CA"],
      active: true,
      visibility: "PUBLIC",
      organizationId: exampleIds.organization,
      year: 2026,
      startsAt: "2026-05-01T07:00:00.000Z",
      endsAt: "2026-11-01T07:00:00.000Z",
      eligibility: { attribute: "type", operator: "eq", value: "battery" },
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Program = typeof Program.Type

const fields = {
  name: Text(1, 255).annotate({ description: "Display name" }),
  description: optional(Text(0, 10_000).annotate({ description, default: "" })),
  states: optional(
    Schema.Array(StateCode)
      .check(Schema.isMaxLength(stateCodes.length, { message: `Must be at most ${stateCodes.length} states` }))
      .annotate({ description: states, default: [] })
  ),
  active: optional(flag(active).annotate({ default: true })),
  visibility: optional(ProgramVisibility.annotate({ default: "PRIVATE" })),
  year: optional(
    orNull(quantity("Year of the program", { minimum: 1900, maximum: 2200, integer: true })).annotate({
      description: "Year of the program"
    })
  ),
  startsAt: optional(orNull(TimestampInput).annotate({ description: "Start of the program" })),
  endsAt: optional(orNull(TimestampInput).annotate({ description: "End of the program: after `startsAt`" })),
  eligibility: optional(orNull(Criteria).annotate({ description: eligibility }))
}

export const CreateProgram = Schema.Struct({
  slug: Slug.annotate({
    description: "Unique name in addresses: a used one is DUPLICATE_NAME",
    examples: ["evening-peak"]
  }),
  ...fields
}).annotate({
  identifier: "CreateProgram",
  examples: [
    {
      slug: "evening-peak",
      name: "Evening Peak",
      description: "Batteries discharge on hot evenings.",
      states: ["CA"],
      eligibility: { attribute: "type", operator: "eq", value: "battery" }
    }
  ]
})
export type CreateProgram = typeof CreateProgram.Type

export const UpdateProgram = Schema.Struct({ ...fields, name: optional(fields.name) }).annotate({
  identifier: "UpdateProgram",
  examples: [{ active: false }]
})
export type UpdateProgram = typeof UpdateProgram.Type

export const ProgramFilters = {
  ...paging(),
  state: optional(Several(StateCode).annotate({ description: "Programs that take residents of one of these states" })),
  visibility: optional(Several(ProgramVisibility).annotate({ description: "Visibility of the program" })),
  active: optional(oneOf(["true", "false"], "Whether the program takes enrollments"))
}
