import { CreateCustomer } from "@edp/domain/customers/Customer"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import { Text } from "@edp/domain/shared/Text"
import { Effect, Schema } from "effect"
import { Connection } from "../../Connection.ts"
import { listCell, textCell } from "../../import/csvCells.ts"
import type { ImportKind } from "../../import/ImportKind.ts"
import { RETRIES, told, workspaceOf } from "../../import/service.ts"
import { siteReferences } from "./siteReferences.ts"

/** Every customer has a reference: by it alone the service can tell one that exists from a new one. */
const ImportCustomer = Schema.Struct({
  ...CreateCustomer.fields,
  referenceId: Text(1, 1000),
  siteReferenceIds: Schema.optionalKey(
    Schema.Array(Text(1, 1000)).check(Schema.isMaxLength(100, { message: "Must be at most 100 sites" }))
  )
})
type ImportCustomer = typeof ImportCustomer.Type

/** The row's fields were found good before it was sent, so what is wrong with the reference can only be that it is taken. */
const isTaken = ({ code, details = {} }: BulkFailure) =>
  code === "VALIDATION_ERROR" && Object.keys(details).join() === "referenceId"

const connect = Effect.fn("customers.import.connect")(function* ({ lookUp }: { readonly lookUp: boolean }) {
  const connection = yield* Connection
  const client = yield* connection.clientFor("customers", "createMany", { retries: RETRIES })
  // The first call is not patient: a service that is not there is told at once.
  const workspaceId = yield* workspaceOf(yield* connection.clientFor("customers", "createMany"))
  const resolve = yield* siteReferences(client)

  const prepare = Effect.fnUntraced(function* ({ siteReferenceIds, ...customer }: ImportCustomer) {
    if (siteReferenceIds === undefined) return { send: customer }
    const { problem, siteIds } = yield* resolve(siteReferenceIds)
    if (problem !== undefined) return { problem }
    return { send: { ...customer, siteIds: [...(customer.siteIds ?? []), ...siteIds] } }
  })

  const createMany = (customers: ReadonlyArray<object>) =>
    told(client.customers.createMany({ payload: { customers } })).pipe(
      Effect.map(({ results }) =>
        results.map((result) =>
          result.status === "created" ? { index: result.index, status: result.status, id: result.customer.id } : result
        )
      )
    )

  const existing = Effect.fnUntraced(function* ({ referenceId }: ImportCustomer, failure: BulkFailure) {
    if (!isTaken(failure)) return undefined
    if (!lookUp) return null
    const { data } = yield* told(client.customers.list({ query: { referenceId: [referenceId], perPage: 1 } }))
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
  referenceOf: ({ referenceId }) => referenceId,
  connect
}
