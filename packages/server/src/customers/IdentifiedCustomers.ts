import { Clock, Context, Effect, Layer } from "effect"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import type { CustomerSite } from "./customerTable.ts"
import type { CustomerFields } from "./customerRow.ts"
import { CustomerSitesRepository, CustomersRepository } from "./CustomersRepository.ts"

/** A customer by an e-mail address. */
export interface KnownByEmail {
  /** Equal for all spellings of the address. */
  readonly key: string
  /** The newest customer who has the address; null if there is none. */
  readonly id: string | null
}

/** Customers as other records refer to them, in sets. */
export class IdentifiedCustomers extends Context.Service<
  IdentifiedCustomers,
  {
    /** By each of the addresses as it was given. */
    readonly byEmails: (
      workspaceId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, KnownByEmail>, DatabaseUnavailable>
    /** The customers who have the e-mail address, newest first, at most a hundred. */
    readonly havingEmail: (
      workspaceId: string,
      email: string
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
    /** Until the transaction ends, concurrent ones that hold the addresses wait. */
    readonly holdEmails: (workspaceId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Those of the ids that are customers of the workspace. */
    readonly existing: (
      workspaceId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
    /** The same; the customers are locked against changes until the transaction ends. */
    readonly lock: (
      workspaceId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
    /** Creates customers without referenceIds, and returns their ids in order. Joins the caller's transaction. */
    readonly create: (
      workspaceId: string,
      customers: ReadonlyArray<Omit<CustomerFields, "referenceId">>
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
    /** Associates customers with sites of the workspace. */
    readonly link: (workspaceId: string, links: ReadonlyArray<CustomerSite>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/IdentifiedCustomers") {
  static readonly layer = Layer.effect(
    IdentifiedCustomers,
    Effect.gen(function* () {
      const repository = yield* CustomersRepository
      const sites = yield* CustomerSitesRepository
      const outbox = yield* EventOutbox
      const ids = yield* Ids

      const among = (
        wanted: ReadonlyArray<string>,
        find: (all: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
      ): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> =>
        wanted.length === 0 ? Effect.succeed(new Set()) : find([...new Set(wanted)])

      return {
        byEmails: Effect.fn("IdentifiedCustomers.byEmails")(function* (workspaceId, emails) {
          if (emails.length === 0) return new Map()
          const found = yield* repository.byEmails(workspaceId, [...new Set(emails)])
          return new Map(found.map(({ email, id, key }) => [email, { key, id }]))
        }),
        havingEmail: Effect.fn("IdentifiedCustomers.havingEmail")(repository.havingEmail),
        holdEmails: (workspaceId) => Effect.asVoid(repository.holdEmails(workspaceId)),
        existing: (workspaceId, wanted) => among(wanted, (all) => repository.existing(workspaceId, all)),
        lock: (workspaceId, wanted) => among(wanted, (all) => repository.lockMany(workspaceId, all)),
        create: Effect.fn("IdentifiedCustomers.create")(function* (workspaceId, customers) {
          const now = yield* Clock.currentTimeMillis
          const rows = customers.map((input, index) => ({ index, input, id: ids.nextAt(now) }))
          yield* repository.insertMany(workspaceId, rows, new Date(now))
          const created = rows.map(({ id }) => id)
          const found = created.length === 0 ? [] : yield* repository.byIds(workspaceId, created)
          yield* outbox.publish(
            found
              .toReversed()
              .map((customer) => ({ type: "CUSTOMER_CREATED", workspaceId, data: { customer } }) as const)
          )
          return created
        }),
        link: sites.link
      }
    })
  )
}
