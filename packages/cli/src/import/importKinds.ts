import type { ApiClient } from "@edp/domain/Client"
import { CreateCustomer } from "@edp/domain/customers/Customer"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import { Coordinates } from "@edp/domain/shared/Address"
import { Text } from "@edp/domain/shared/Text"
import { CreateSite } from "@edp/domain/sites/Site"
import { Cache, Effect, Schema } from "effect"
import { CliFailure, describeFailure } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import type { CsvColumn, ImportKind, Prepared, Problem } from "./ImportKind.ts"

/** Enough retries with growing pauses to outlast a restart of the service. */
export const RETRIES = 12

/** Turns the errors of a call into `CliFailure`. */
export const described = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, CliFailure, R> =>
  Effect.mapError(call, (error) => new CliFailure(describeFailure(error)))

/** The workspace that a client's key writes to. */
export const findWorkspace = Effect.fnUntraced(function* (client: ApiClient) {
  const { data } = yield* described(client.workspaces.list({ query: { perPage: 1 } }))
  return data[0]!.id
})

type Path = CsvColumn["path"]

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)$/u

export const textCell = (...path: Path): CsvColumn => ({ path, read: (text) => text })

/** Other text stays text, which the schema refuses. */
export const numberCell = (...path: Path): CsvColumn => ({
  path,
  read: (text) => (decimal.test(text) ? Number(text) : text)
})

/** Several values, separated by commas. */
export const listCell = (...path: Path): CsvColumn => ({
  path,
  read: (text) =>
    text
      .split(",")
      .map((value) => value.trim())
      .filter((value) => value !== "")
})

/** Customers of one site tend to stand near each other in a file. */
const REMEMBERED = 10_000

const siteProblem = (reference: string, found: number): Problem =>
  found === 0
    ? {
        code: "SITE_NOT_FOUND",
        message: "There is no such site",
        fields: { siteReferenceIds: `No site has the referenceId ${reference}` }
      }
    : {
        code: "SITE_AMBIGUOUS",
        message: "Several sites match",
        fields: { siteReferenceIds: `Several sites have the referenceId ${reference}: name one in siteIds` }
      }

/** Finds sites by their references, a read request for each that is not remembered. */
const siteReferences = Effect.fnUntraced(function* (client: ApiClient) {
  const sites = yield* Cache.make({
    capacity: REMEMBERED,
    lookup: (referenceId: string) => described(client.sites.list({ query: { referenceId: [referenceId], perPage: 2 } }))
  })

  return Effect.fnUntraced(function* (references: ReadonlyArray<string>) {
    const siteIds: Array<string> = []
    for (const reference of references) {
      const [site, another] = (yield* Cache.get(sites, reference)).data
      if (site === undefined) return { siteIds, problem: siteProblem(reference, 0) }
      if (another !== undefined) return { siteIds, problem: siteProblem(reference, 2) }
      siteIds.push(site.id)
    }
    return { siteIds, problem: undefined }
  })
})

/** Every customer has a reference: the service recognises existing customers by it. */
const ImportCustomer = Schema.Struct({
  ...CreateCustomer.fields,
  referenceId: Text(1, 1000),
  siteReferenceIds: Schema.optionalKey(
    Schema.Array(Text(1, 1000)).check(Schema.isMaxLength(100, { message: "Must be at most 100 sites" }))
  )
})
type ImportCustomer = typeof ImportCustomer.Type

/** The row's fields were valid before it was sent, so the only possible problem of the reference is that it is taken. */
const isTaken = ({ code, details = {} }: BulkFailure) =>
  code === "VALIDATION_ERROR" && Object.keys(details).join() === "referenceId"

const connectCustomers = Effect.fn("customers.import.connect")(function* ({ lookUp }: { readonly lookUp: boolean }) {
  const connection = yield* Connection
  const client = yield* connection.clientFor("customers", "createMany", { retries: RETRIES })
  // The first call is not retried, so that an unreachable service fails at once.
  const workspaceId = yield* findWorkspace(yield* connection.clientFor("customers", "createMany"))
  const resolve = yield* siteReferences(client)

  const prepare = Effect.fnUntraced(function* ({ siteReferenceIds, ...customer }: ImportCustomer) {
    if (siteReferenceIds === undefined) return { send: customer }
    const { problem, siteIds } = yield* resolve(siteReferenceIds)
    if (problem !== undefined) return { problem }
    return { send: { ...customer, siteIds: [...(customer.siteIds ?? []), ...siteIds] } }
  })

  const createMany = (customers: ReadonlyArray<object>) =>
    described(client.customers.createMany({ payload: { customers } })).pipe(
      Effect.map(({ results }) =>
        results.map((result) =>
          result.status === "created" ? { index: result.index, status: result.status, id: result.customer.id } : result
        )
      )
    )

  const existing = Effect.fnUntraced(function* ({ referenceId }: ImportCustomer, failure: BulkFailure) {
    if (!isTaken(failure)) return undefined
    if (!lookUp) return null
    const { data } = yield* described(client.customers.list({ query: { referenceId: [referenceId], perPage: 1 } }))
    return data[0]?.id ?? null
  })

  return { workspaceId, prepare, createMany, existing }
})

export const customersImport: ImportKind<ImportCustomer> = {
  noun: "customers",
  schema: ImportCustomer,
  columns: {
    referenceId: { ...textCell("referenceId"), required: true },
    firstName: textCell("firstName"),
    lastName: textCell("lastName"),
    email: textCell("email"),
    phone: textCell("phone"),
    siteIds: listCell("siteIds"),
    siteReferenceIds: listCell("siteReferenceIds")
  },
  identities: ({ referenceId }) => [["referenceId", referenceId]],
  readReference: ({ referenceId }) => referenceId,
  connect: connectCustomers
}

/** Includes the range check of coordinates, which the service reports as INVALID_LOCATION. */
const ImportSite = Schema.Struct({
  ...CreateSite.fields,
  location: Schema.optionalKey(Schema.NullOr(Coordinates))
})
type ImportSite = typeof ImportSite.Type

/** Ignores case and spaces. The service recognises more spellings as the same address. */
const addressText = ({ address }: ImportSite) =>
  [address.streetOne, address.streetTwo, address.city, address.state, address.postalCode, address.country ?? "USA"]
    .map((line = "") => line.trim().replaceAll(/\s+/gu, " ").toLowerCase())
    .join("\n")

const connectSites = Effect.fn("sites.import.connect")(function* ({ lookUp }: { readonly lookUp: boolean }) {
  const connection = yield* Connection
  const client = yield* connection.clientFor("sites", "createMany", { retries: RETRIES })
  // The first call is not retried, so that an unreachable service fails at once.
  const workspaceId = yield* findWorkspace(yield* connection.clientFor("sites", "createMany"))

  const prepare = Effect.fnUntraced(function* (site: ImportSite) {
    const { referenceId } = site
    const send: Prepared = { send: site }
    if (!lookUp || typeof referenceId !== "string") return send
    const { data } = yield* described(client.sites.list({ query: { referenceId: [referenceId], perPage: 1 } }))
    return data[0] === undefined ? send : { exists: data[0].id }
  })

  const createMany = (sites: ReadonlyArray<object>) =>
    described(client.sites.createMany({ payload: { sites: sites as ReadonlyArray<never> } })).pipe(
      Effect.map(({ results }) =>
        results.map((result) =>
          result.status === "created" ? { index: result.index, status: result.status, id: result.site.id } : result
        )
      )
    )

  return {
    workspaceId,
    prepare,
    createMany,
    existing: (_: ImportSite, { code }: { readonly code: string }) =>
      Effect.succeed(code === "SITE_ALREADY_EXISTS" ? null : undefined)
  }
})

export const sitesImport: ImportKind<ImportSite> = {
  noun: "sites",
  schema: ImportSite,
  columns: {
    name: textCell("name"),
    referenceId: textCell("referenceId"),
    streetOne: { ...textCell("address", "streetOne"), required: true },
    streetTwo: textCell("address", "streetTwo"),
    city: { ...textCell("address", "city"), required: true },
    state: { ...textCell("address", "state"), required: true },
    postalCode: { ...textCell("address", "postalCode"), required: true },
    country: textCell("address", "country"),
    latitude: numberCell("location", "latitude"),
    longitude: numberCell("location", "longitude"),
    timezone: textCell("timezone"),
    tags: listCell("tags"),
    maxImportW: numberCell("maxImportW"),
    maxExportW: numberCell("maxExportW"),
    customerId: textCell("customerId")
  },
  identities: (site) => [
    ["address", addressText(site)],
    ...(typeof site.referenceId === "string" ? [["referenceId", site.referenceId] as const] : [])
  ],
  readReference: ({ referenceId }) => referenceId ?? null,
  connect: connectSites
}
