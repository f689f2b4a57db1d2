import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import {
  BlResourceRequest,
  BlVenRequest,
  EventRequest,
  type ObjectOperation,
  ProgramRequest,
  ReportRequest,
  SubscriptionRequest,
  VenResourceRequest,
  VenVenRequest
} from "@edp/domain/openadr/OpenAdrObjects"
import { Result, Schema } from "effect"
import { invalidFields, refusal, type VtnRefusal } from "../problem.ts"
import { eventEnd } from "./eventEnd.ts"
import type { KindName } from "./kinds.ts"
import type { ObjectBody } from "../objectBody.ts"

/** The role of a client. It decides which form of a request its objects have. */
export type Role = "BL" | "VEN"

/** A request body as it is stored. */
export interface Content {
  readonly body: ObjectBody
  /** Columns that only tables of the kind have. */
  readonly columns: Readonly<Record<string, unknown>>
  /** Undefined where the request may not set them. */
  readonly targets: ReadonlyArray<string> | null | undefined
  /** The owner that business logic names. */
  readonly clientId?: string
  /** The entries of a subscription, with their secrets. */
  readonly operations?: ReadonlyArray<ObjectOperation>
}

type Decoded<A> = Result.Result<A, VtnRefusal>

const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown): Decoded<A> =>
    Result.mapError(decode(input), (error) => invalidFields(schemaDetails(error, "body")))
}

const program = decoder(ProgramRequest)
const event = decoder(EventRequest)
const report = decoder(ReportRequest)
const subscription = decoder(SubscriptionRequest)
const ven = { BL: decoder(BlVenRequest), VEN: decoder(VenVenRequest) }
const resource = { BL: decoder(BlResourceRequest), VEN: decoder(VenResourceRequest) }

const timeForm = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)([Zz]|[+-]\d{2}:\d{2})?)?$/u

/** A time in the form of RFC 3339, which is all that strict VENs read: one without a time of day or an offset is UTC. */
const toDateTime = (text: string) => {
  const [, date, time = "00:00:00", offset = "Z"] = timeForm.exec(text) ?? []
  return date === undefined ? text : `${date}T${time}${offset.toUpperCase()}`
}

/** Null is the default of every optional field, so a field that is null is left out, at any depth. */
const normalized = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalized)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (field === null) return []
      return [[name, name === "start" && typeof field === "string" ? toDateTime(field) : normalized(field)]]
    })
  )
}

const toBody = <A extends object>(fields: A) => normalized(fields) as A & ObjectBody

const stored = (targets: ReadonlyArray<string> | null | undefined) =>
  targets === undefined || targets === null || targets.length === 0 ? null : [...new Set(targets)]

/**
 * A VEN or resource names the form of its request in `objectType`. A client that sends back what it has read sends the object's type there,
 * which counts as nothing, as the definition says of metadata. A form of the other role is refused.
 */
const inOwnForm = (role: Role, noun: "VEN" | "RESOURCE", input: ObjectBody): Decoded<ObjectBody> => {
  const own = `${role}_${noun}_REQUEST`
  const other = `${role === "BL" ? "VEN" : "BL"}_${noun}_REQUEST`
  if (input.objectType === other) {
    return Result.fail(
      role === "VEN"
        ? refusal(403, `objectType: Must be ${own}; only business logic sends ${other}`)
        : refusal(400, `objectType: Must be ${own}; only VENs send ${other}`)
    )
  }
  return Result.succeed({ ...input, objectType: own })
}

type Reader = (role: Role, input: ObjectBody, now: number) => Decoded<Content>

const readers: Record<KindName, Reader> = {
  programs: (_, input) =>
    Result.map(program(input), ({ targets, ...fields }) => ({
      body: toBody(fields),
      columns: { program_name: fields.programName },
      targets: stored(targets)
    })),
  events: (_, input, now) =>
    Result.map(event(input), ({ targets, ...fields }) => {
      const body = toBody(fields)
      const columns = { vtn_program_id: body.programID, priority: body.priority ?? null, ends_at: eventEnd(body, now) }
      return { body, columns, targets: stored(targets) }
    }),
  reports: (_, input) =>
    Result.map(report(input), (fields) => ({
      body: toBody(fields),
      columns: { event_key: fields.eventID, client_name: fields.clientName },
      targets: undefined
    })),
  subscriptions: (_, input) =>
    Result.map(subscription(input), ({ targets, ...fields }) => ({
      body: toBody({
        ...fields,
        objectOperations: fields.objectOperations.map((operation) => ({ ...operation, bearerToken: null }))
      }),
      columns: {
        client_name: fields.clientName,
        program_key: fields.programID ?? null,
        objects: [...new Set(fields.objectOperations.flatMap(({ objects }) => objects))]
      },
      targets: stored(targets),
      operations: fields.objectOperations
    })),
  vens: (role, input) =>
    Result.flatMap(inOwnForm(role, "VEN", input), (given): Decoded<Content> => {
      const toContent = ({ attributes, venName }: typeof VenVenRequest.Type | typeof BlVenRequest.Type) => ({
        body: toBody({ venName, attributes: attributes ?? null }),
        columns: { ven_name: venName }
      })
      return role === "VEN"
        ? Result.map(ven.VEN(given), (fields) => ({ ...toContent(fields), targets: undefined }))
        : Result.map(ven.BL(given), (fields) => ({
            ...toContent(fields),
            targets: stored(fields.targets),
            clientId: fields.clientID
          }))
    }),
  resources: (role, input) =>
    Result.flatMap(inOwnForm(role, "RESOURCE", input), (given): Decoded<Content> => {
      const toContent = ({
        attributes,
        resourceName,
        venID
      }: typeof VenResourceRequest.Type | typeof BlResourceRequest.Type) => ({
        body: toBody({ resourceName, venID, attributes: attributes ?? null }),
        columns: { resource_name: resourceName, ven_id: venID }
      })
      return role === "VEN"
        ? Result.map(resource.VEN(given), (fields) => ({ ...toContent(fields), targets: undefined }))
        : Result.map(resource.BL(given), (fields) => ({
            ...toContent(fields),
            targets: stored(fields.targets),
            clientId: fields.clientID
          }))
    })
}

/** The content of a request of a role, or what is wrong with it. */
export const readContent = (kind: KindName, role: Role, input: ObjectBody, now: number): Decoded<Content> =>
  readers[kind](role, input, now)
