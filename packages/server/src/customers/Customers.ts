import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  CreateCustomer,
  Customer,
  CustomerFilters,
  CustomerInclude,
  UpdateCustomer
} from "@edp/domain/customers/Customer"
import type { Device, DeviceInclude } from "@edp/domain/devices/Device"
import {
  CustomerNotFound,
  type DeletionProtectionEnabled,
  SiteNotFound,
  type SiteNotInWorkspace,
  type ValidationError
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate, paginateCounted } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { CustomerSitesRepository, CustomersRepository } from "./CustomersRepository.ts"
import { toCustomer } from "./customerRow.ts"
import { type SiteOwners, refusedSite } from "./newCustomers.ts"

/**
 * The port through which customers reach their devices, newest first. The slice `devices` implements it, because slices
 * import earlier ones only.
 */
export class DevicesOfCustomer extends Context.Service<
  DevicesOfCustomer,
  {
    readonly newest: (
      workspaceId: string,
      customerId: string,
      limit: number,
      include: DeviceInclude | undefined
    ) => Effect.Effect<ReadonlyArray<Device>, DatabaseUnavailable>
  }
>()("@edp/server/DevicesOfCustomer") {}

/** The sites that customers are associated with, which a later slice stores. */
export class SitesOfCustomer extends Context.Service<
  SitesOfCustomer,
  {
    /** The workspaces of existing sites. The sites are locked until the transaction ends, so that none is deleted meanwhile. */
    readonly owners: (siteIds: ReadonlyArray<string>) => Effect.Effect<SiteOwners, DatabaseUnavailable>
    readonly require: (workspaceId: string, siteId: string) => Effect.Effect<void, SiteNotFound | DatabaseUnavailable>
  }
>()("@edp/server/customers/SitesOfCustomer") {}

/** Records are found by the workspace alone. */
type Caller = Pick<CurrentKey["Service"], "workspaceId">
type Query = Schema.Struct.Type<typeof CustomerFilters>

/** The maximum number of devices that `include=devices` returns. */
const DEVICES = 1000

/** Persons and firms that own or use devices. */
export class Customers extends Context.Service<
  Customers,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Customer>, DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      include?: ReadonlyArray<CustomerInclude>
    ) => Effect.Effect<Customer, CustomerNotFound | DatabaseUnavailable>
    /** The customers of the workspace among the ids, newest first. */
    readonly byIds: (
      workspaceId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Customer>, DatabaseUnavailable>
    /** `emailUnproven`: a visitor of a public page typed the e-mail address, by which nobody is found until it is proven. */
    readonly create: (
      caller: Caller,
      input: CreateCustomer & { readonly emailUnproven?: boolean }
    ) => Effect.Effect<Customer, ValidationError | SiteNotFound | SiteNotInWorkspace | DatabaseUnavailable>
    /** Lets the customer be found by the e-mail address. Joins the caller's transaction. */
    readonly proveEmail: (workspaceId: string, id: string) => Effect.Effect<void, DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateCustomer
    ) => Effect.Effect<Customer, ValidationError | CustomerNotFound | DatabaseUnavailable>
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<void, CustomerNotFound | DeletionProtectionEnabled | DatabaseUnavailable>
    readonly linkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<Customer, SiteNotFound | CustomerNotFound | DatabaseUnavailable>
    readonly unlinkSite: (
      caller: Caller,
      siteId: string,
      id: string
    ) => Effect.Effect<void, SiteNotFound | CustomerNotFound | DatabaseUnavailable>
  }
>()("@edp/server/Customers") {
  static readonly layer = Layer.effect(
    Customers,
    Effect.gen(function* () {
      const repository = yield* CustomersRepository
      const links = yield* CustomerSitesRepository
      const workspaces = yield* Workspaces
      const devices = yield* DevicesOfCustomer
      const sites = yield* SitesOfCustomer
      const outbox = yield* EventOutbox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = transactionsOn(sql)

      const get = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const [customer] = yield* repository.get(workspaceId, id)
        return customer ?? (yield* new CustomerNotFound({}))
      })

      return {
        list: Effect.fn("Customers.list")(function* ({ workspaceId }, { page, perPage, ...filters }) {
          const paging = { ...(page !== undefined && { page }), ...(perPage !== undefined && { perPage }) }
          if (Object.keys(filters).length === 0) {
            const all = (limit: number, offset: number) => repository.page(workspaceId, limit, offset)
            return yield* paginateCounted(paging, 10, all, repository.count(workspaceId, filters), toCustomer)
          }
          const matches = yield* repository.count(workspaceId, filters)
          const list = (limit: number, offset: number) => repository.list(workspaceId, filters, matches, limit, offset)
          return yield* paginate(paging, 10, list, Effect.succeed(matches))
        }),
        get: Effect.fn("Customers.get")(function* (caller, id, include = []) {
          const customer = yield* get(caller, id)
          if (!include.includes("devices")) return customer
          const details = include.includes("commandDetails") ? "commandDetails" : undefined
          return { ...customer, devices: yield* devices.newest(caller.workspaceId, id, DEVICES, details) }
        }),
        byIds: Effect.fn("Customers.byIds")(repository.byIds),
        create: Effect.fn("Customers.create")((caller, { siteIds = [], ...fields }) =>
          Effect.gen(function* () {
            const { workspaceId } = caller
            const refused = refusedSite(workspaceId, siteIds, yield* sites.owners(siteIds))
            if (refused !== undefined) return yield* refused
            const id = yield* ids.next
            yield* repository.insert(id, workspaceId, fields, yield* now)
            yield* links.link(
              workspaceId,
              siteIds.map((siteId) => ({ customerId: id, siteId }))
            )
            const customer = yield* Effect.orDie(get(caller, id))
            yield* outbox.publish([{ type: "CUSTOMER_CREATED", workspaceId, data: { customer } }])
            return customer
          }).pipe(transaction)
        ),
        proveEmail: Effect.fn("Customers.proveEmail")((workspaceId, id) =>
          Effect.gen(function* () {
            const [customer] = yield* repository.proveEmail(workspaceId, id, yield* now)
            if (customer === undefined) return
            yield* outbox.publish([{ type: "CUSTOMER_UPDATED", workspaceId, data: { customer } }])
          })
        ),
        update: Effect.fn("Customers.update")((caller, id, input) =>
          Effect.gen(function* () {
            const { workspaceId } = caller
            yield* repository.lock(workspaceId, id)
            const before = yield* get(caller, id)
            const changes = realChanges(before, input)
            if (changes === undefined) return before
            const [customer] = yield* repository.update(workspaceId, id, changes, yield* now)
            if (customer === undefined) return yield* new CustomerNotFound({})
            yield* outbox.publish([{ type: "CUSTOMER_UPDATED", workspaceId, data: { customer } }])
            return customer
          }).pipe(transaction)
        ),
        remove: Effect.fn("Customers.remove")((caller, id) =>
          Effect.gen(function* () {
            const { workspaceId } = caller
            yield* repository.lock(workspaceId, id)
            const customer = yield* get(caller, id)
            yield* workspaces.requireDeletable(workspaceId)
            const removed = yield* repository.remove(workspaceId, id)
            if (removed.length === 0) return yield* new CustomerNotFound({})
            yield* outbox.publish([{ type: "CUSTOMER_DELETED", workspaceId, data: { customer } }])
          }).pipe(transaction)
        ),
        linkSite: Effect.fn("Customers.linkSite")((caller, siteId, id) =>
          Effect.gen(function* () {
            const { workspaceId } = caller
            if ((yield* sites.owners([siteId])).get(siteId) !== workspaceId) return yield* new SiteNotFound({})
            yield* repository.requireCustomer(workspaceId, id)
            yield* links.link(workspaceId, [{ customerId: id, siteId }])
            return yield* get(caller, id)
          }).pipe(transaction)
        ),
        unlinkSite: Effect.fn("Customers.unlinkSite")(({ workspaceId }, siteId, id) =>
          Effect.gen(function* () {
            yield* sites.require(workspaceId, siteId)
            const unlinked = yield* links.unlink(workspaceId, { customerId: id, siteId })
            if (unlinked.length === 0) return yield* new CustomerNotFound({})
          }).pipe(transaction)
        )
      }
    })
  )
}
