import { Schema } from "effect"
import { DispatchActions } from "../dispatches/Dispatch.ts"
import { Name } from "../openadr/values.ts"
import { Cuid, CuidInput, exampleIds } from "../shared/Cuid.ts"
import { documents, notExpressible } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { oneOf, quantity } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { GridValue } from "./GridEvent.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

/** Payload types whose value is a power that the devices share. */
export const sharedPayloads = ["DISPATCH_SETPOINT", "DISPATCH_SETPOINT_RELATIVE"] as const

/** The types of devices that can share a power. */
export const sharingTypes = ["battery", "charger", "vehicle"] as const

/** At most this many rules of a program. */
export const RULES_LIMIT = 50

/** A rule says what devices do at a value of a payload. */
export const GridRule = Schema.Struct({
  payloadType: Name.annotate({
    description: "Type of the event's payload, such as SIMPLE, CONTROL_LEVEL_OFFSET or DISPATCH_SETPOINT"
  }),
  minimum: optional(quantity("The rule is for values from this one on; without it for all up to `maximum`")),
  maximum: optional(quantity("The rule is for values up to this one; without it for all from `minimum` on")),
  actions: optional(DispatchActions.annotate({ description: "The mode or the power of each type of device" })),
  share: optional(
    oneOf(
      sharingTypes,
      "DISPATCH_SETPOINT and DISPATCH_SETPOINT_RELATIVE: the enrolled devices of this type share the power equally; one whose rated power is smaller has that, and the others share the rest. A positive value consumes: batteries charge with it, and discharge with a negative one. DISPATCH_SETPOINT_RELATIVE is for batteries alone, and relative to an idle battery"
    )
  ),
  chargeState: optional(
    oneOf(
      ["charge", "discharge"],
      "CHARGE_STATE_SETPOINT in percent: batteries charge up to the state of charge of the value, or discharge down to it"
    )
  )
})
  .check(
    Schema.makeFilter(
      ({ actions, chargeState, share }) =>
        [actions, chargeState, share].filter((each) => each !== undefined).length === 1,
      { message: "Must have exactly one of actions, share and chargeState", toJsonSchema: notExpressible }
    ),
    Schema.makeFilter(
      ({ payloadType, share }) =>
        share === undefined || (sharedPayloads as ReadonlyArray<string>).includes(payloadType),
      { message: `share is for ${sharedPayloads.join(" and ")}`, toJsonSchema: notExpressible }
    ),
    Schema.makeFilter(
      ({ payloadType, share }) =>
        payloadType !== "DISPATCH_SETPOINT_RELATIVE" || share === undefined || share === "battery",
      { message: "share must be battery with DISPATCH_SETPOINT_RELATIVE", toJsonSchema: notExpressible }
    ),
    Schema.makeFilter(
      ({ chargeState, payloadType }) => chargeState === undefined || payloadType === "CHARGE_STATE_SETPOINT",
      { message: "chargeState is for CHARGE_STATE_SETPOINT", toJsonSchema: notExpressible }
    )
  )
  .annotate({
    identifier: "GridRule",
    description: "What devices do while an event's payload has a value. The first rule that fits a payload counts",
    examples: [
      {
        payloadType: "SIMPLE",
        minimum: 1,
        maximum: 1,
        actions: { battery: { operatingMode: "discharge" }, charger: { operatingMode: "stop-charging" } }
      }
    ]
  })
export type GridRule = typeof GridRule.Type

const GridAttribute = Schema.Struct({
  type: StoredText(128).annotate({
    description: "Type of the attribute, such as PROGRAM_LONG_NAME, RETAILER_NAME or a private one"
  }),
  values: Schema.Array(GridValue)
    .check(documents({ maxItems: 10_000 }))
    .annotate({ description: "Its values" })
}).annotate({ identifier: "GridAttribute", description: "An attribute of a program, as its VTN states it" })

const GridPayloadDescriptor = Schema.Struct({
  payloadType: StoredText(128).annotate({ description: "Type of the payload" }),
  of: oneOf(["events", "reports"], "Whether events have the payload, or reports are to have it"),
  units: orNull(StoredText(128)).annotate({ description: "Unit of the values, such as KW; null if none is stated" }),
  currency: orNull(StoredText(128)).annotate({ description: "Currency of prices; null if none is stated" }),
  readingType: orNull(StoredText(128)).annotate({
    description: "How values of reports are found, such as DIRECT_READ; null if that is not stated"
  })
}).annotate({
  identifier: "GridPayloadDescriptor",
  description: "A type of payload of a program, as its VTN describes it"
})

export const GridProgram = Schema.Struct({
  id: Cuid.annotate({ description: "Identifier of the program in this workspace", examples: [exampleIds.program] }),
  connectionId: Cuid.annotate({ description: "The connection to its VTN", examples: [exampleIds.connection] }),
  connectionName: StoredText(255).annotate({ description: "Name of the connection" }),
  vtnProgramId: StoredText(128).annotate({ description: "Id of the program at the VTN" }),
  name: StoredText(128).annotate({ description: "Name of the program at the VTN" }),
  descriptionUrls: Schema.Array(StoredText(8000))
    .check(documents({ maxItems: 100 }))
    .annotate({
      description: "Descriptions of the program that the VTN links to"
    }),
  payloadTypes: Schema.Array(StoredText(128))
    .check(documents({ maxItems: 100 }))
    .annotate({
      description: "Types of payloads that the VTN announces for the program's events"
    }),
  payloadDescriptors: Schema.Array(GridPayloadDescriptor)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "The payloads as the VTN describes them" }),
  attributes: Schema.Array(GridAttribute)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "The attributes that the VTN states, such as the names of the program and its retailer" }),
  programInstanceId: orNull(Cuid).annotate({
    description: "The program instance whose enrolled sites follow the program; null: no device follows it",
    examples: [exampleIds.programInstance]
  }),
  rules: Schema.Array(GridRule)
    .check(documents({ maxItems: RULES_LIMIT }))
    .annotate({
      description: "What events mean for devices. A payload that no rule fits is shown as such and commands nothing"
    }),
  removedAt: orNull(Timestamp).annotate({
    description: "Time when the VTN no longer listed the program; null while it does"
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "GridProgram",
  description: "A program of a VTN that the workspace follows, and what its events mean for devices",
  examples: [
    {
      id: exampleIds.program,
      connectionId: exampleIds.connection,
      connectionName: "Example Utility",
      vtnProgramId: "program-17",
      name: "summer-peak",
      descriptionUrls: ["https://utility.example.com/summer-peak"],
      payloadTypes: ["SIMPLE"],
      payloadDescriptors: [{ payloadType: "SIMPLE", of: "events", units: null, currency: null, readingType: null }],
      attributes: [{ type: "RETAILER_NAME", values: ["Example Utility"] }],
      programInstanceId: exampleIds.programInstance,
      rules: [{ payloadType: "SIMPLE", minimum: 1, actions: { battery: { operatingMode: "discharge" } } }],
      removedAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type GridProgram = typeof GridProgram.Type

export const UpdateGridProgram = Schema.Struct({
  programInstanceId: optional(
    orNull(CuidInput).annotate({
      description: "A program instance of the workspace; null: no device follows the program"
    })
  ),
  rules: optional(
    Schema.Array(GridRule)
      .check(Schema.isMaxLength(RULES_LIMIT, { message: `Must be at most ${RULES_LIMIT} rules` }))
      .annotate({ description: "Replaces the rules" })
  )
}).annotate({
  identifier: "UpdateGridProgram",
  examples: [
    {
      programInstanceId: exampleIds.programInstance,
      rules: [{ payloadType: "DISPATCH_SETPOINT", share: "battery" }]
    }
  ]
})
export type UpdateGridProgram = typeof UpdateGridProgram.Type

export const GridProgramFilters = { ...paging() }
