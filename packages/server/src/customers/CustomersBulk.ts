import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { CreateCustomers, CustomersCreated } from "@edp/domain/customers/Customer"
import { bulkFailure } from "@edp/domain/errors/Bulk"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Ids } from "../platform/Ids.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { SitesOfCustomer } from "./Customers.ts"
import { CustomerSitesRepository, CustomersRepository } from "./CustomersRepository.ts"
import { admit, newCustomers, referenceTaken } from "./newCustomers.ts"

type Caller = CurrentKey["Service"]

/** Creates many customers at once. An invalid one does not fail the others. */
export const CustomersBulk = Effect.gen(function* () {
  const repository = yield* CustomersRepository
  const links = yield* CustomerSitesRepository
  const sites = yield* SitesOfCustomer
  const outbox = yield* EventOutbox
  const ids = yield* Ids
  const clock = yield* Clock.Clock
  const sql = yield* SqlClient.SqlClient

  return {
    create: Effect.fn("CustomersBulk.create")(({ workspaceId }: Caller, { customers }: CreateCustomers) =>
      Effect.gen(function* () {
        const { decoded, failures: malformed } = newCustomers(customers)
        const owners = yield* sites.owners(decoded.flatMap(({ input }) => input.siteIds ?? []))
        const { admitted, failures: refused } = admit(workspaceId, decoded, owners)
        const now = clock.currentTimeMillisUnsafe()
        const rows = admitted.map((item) => ({ ...item, id: ids.nextAt(now) }))
        const stored = yield* repository.insertMany(workspaceId, rows, new Date(now))
        yield* links.link(
          workspaceId,
          rows.flatMap(({ id, input }) =>
            stored.has(id) ? (input.siteIds ?? []).map((siteId) => ({ customerId: id, siteId })) : []
          )
        )
        const found = yield* repository.byIds(workspaceId, [...stored])
        yield* outbox.publish(
          found.toReversed().map((customer) => ({ type: "CUSTOMER_CREATED", workspaceId, data: { customer } }) as const)
        )
        const records = new Map(found.map((customer) => [customer.id, customer]))
        const results = rows.map(({ index, id }): CustomersCreated["results"][number] => {
          const customer = records.get(id)
          if (customer === undefined) return bulkFailure(index, referenceTaken())
          return { index, status: "created", customer }
        })
        return {
          created: stored.size,
          failed: customers.length - stored.size,
          results: [...malformed, ...refused, ...results].sort((one, other) => one.index - other.index)
        }
      }).pipe(transactionsOn(sql))
    )
  }
})
