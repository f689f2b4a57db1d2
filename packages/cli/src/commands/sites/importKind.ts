import { Coordinates } from "@edp/domain/shared/Address"
import { CreateSite } from "@edp/domain/sites/Site"
import { Effect, Schema } from "effect"
import { Connection } from "../../Connection.ts"
import { listCell, numberCell, textCell } from "../../import/csvCells.ts"
import type { ImportKind, Prepared } from "../../import/ImportKind.ts"
import { RETRIES, told, workspaceOf } from "../../import/service.ts"

/** As the API takes it, its range included: what the service would answer INVALID_LOCATION is told before it is asked. */
const ImportSite = Schema.Struct({
  ...CreateSite.fields,
  location: Schema.optionalKey(Schema.NullOr(Coordinates))
})
type ImportSite = typeof ImportSite.Type

/** Alike without regard to case and spaces. The service knows more spellings, and tells those that it finds. */
const addressText = ({ address }: ImportSite) =>
  [address.streetOne, address.streetTwo, address.city, address.state, address.postalCode, address.country ?? "USA"]
    .map((line = "") => line.trim().replaceAll(/\s+/gu, " ").toLowerCase())
    .join("\n")

const connect = Effect.fn("sites.import.connect")(function* ({ lookUp }: { readonly lookUp: boolean }) {
  const connection = yield* Connection
  const client = yield* connection.clientFor("sites", "createMany", { retries: RETRIES })
  // The first call is not patient: a service that is not there is told at once.
  const workspaceId = yield* workspaceOf(yield* connection.clientFor("sites", "createMany"))

  const prepare = Effect.fnUntraced(function* (site: ImportSite) {
    const { referenceId } = site
    const send: Prepared = { send: site }
    if (!lookUp || typeof referenceId !== "string") return send
    const { data } = yield* told(client.sites.list({ query: { referenceId: [referenceId], perPage: 1 } }))
    return data[0] === undefined ? send : { exists: data[0].id }
  })

  const createMany = (sites: ReadonlyArray<object>) =>
    told(client.sites.createMany({ payload: { sites } })).pipe(
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
    customerId: textCell("customerId")
  },
  identities: (site) => [
    ["address", addressText(site)],
    ...(typeof site.referenceId === "string" ? [["referenceId", site.referenceId] as const] : [])
  ],
  referenceOf: ({ referenceId }) => referenceId ?? null,
  connect
}
