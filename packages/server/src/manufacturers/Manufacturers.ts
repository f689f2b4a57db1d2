import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Forbidden, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { CreateManufacturer, Manufacturer, UpdateManufacturer } from "@edp/domain/manufacturers/Manufacturer"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { catalogueManufacturers } from "./catalogue/manufacturers.ts"
import { type ConfirmingAdapter, ManufacturersRepository } from "./ManufacturersRepository.ts"

type Caller = CurrentKey["Service"]

/** A manufacturer as its adapter describes it. */
interface AdapterManufacturer extends Pick<Manufacturer, "slug" | "name" | "deviceTypes">, ConfirmingAdapter {}

/** The device models of a manufacturer, which a later slice stores. */
export class ModelsOfManufacturer extends Context.Service<
  ModelsOfManufacturer,
  {
    /** Device types with models of the manufacturer, except the given ones. */
    readonly typesBesides: (
      slug: string,
      types: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  }
>()("@edp/server/manufacturers/ModelsOfManufacturer") {}

/** Manufacturers are shared by all workspaces; only the organization that created one may change it. */
export class Manufacturers extends Context.Service<
  Manufacturers,
  {
    readonly list: (query: {
      readonly page?: number
      readonly perPage?: number
    }) => Effect.Effect<PageOf<Manufacturer>, DatabaseUnavailable>
    /** The first thousand by slug, for a choice among them. */
    readonly all: Effect.Effect<ReadonlyArray<Manufacturer>, DatabaseUnavailable>
    readonly get: (slug: string) => Effect.Effect<Manufacturer, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateManufacturer
    ) => Effect.Effect<Manufacturer, ValidationError | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      slug: string,
      input: UpdateManufacturer
    ) => Effect.Effect<Manufacturer, NotFound | Forbidden | ValidationError | DatabaseUnavailable>
    /** Fails unless the caller's organization may change the manufacturer and its models. */
    readonly requireOwn: (caller: Caller, slug: string) => Effect.Effect<void, Forbidden | DatabaseUnavailable>
    /** Adds missing manufacturers of the starter catalogue; operators' changes stay. */
    readonly loadCatalogue: Effect.Effect<void, DatabaseUnavailable>
    /** Marks the manufacturers that have an adapter as connectable, and all others as not. Adds missing ones. */
    readonly syncConnectable: (adapters: ReadonlyArray<AdapterManufacturer>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Manufacturers") {
  static readonly layer = Layer.effect(
    Manufacturers,
    Effect.gen(function* () {
      const repository = yield* ManufacturersRepository
      const models = yield* ModelsOfManufacturer
      const audit = yield* AuditTrail
      const { commandTimeoutSeconds, sharedCatalogueWrites } = yield* ServerConfig
      const directConfirmWithin = Math.ceil(commandTimeoutSeconds * DIRECT_SHARE)
      const sql = yield* SqlClient.SqlClient
      const transaction = transactionsOn(sql)
      const one = Effect.flatMap(([manufacturer]: ReadonlyArray<Manufacturer>) =>
        manufacturer === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(manufacturer)
      )
      /** A device type with models can't be removed. */
      const requireModelsKept = Effect.fnUntraced(function* (slug: string, types: ReadonlyArray<string>) {
        const orphaned = yield* models.typesBesides(slug, types)
        if (orphaned.length === 0) return
        const names = orphaned.join(", ")
        return yield* invalid({ deviceTypes: `Must include ${names}: device models of this type exist` })
      })
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      /** Catalogue manufacturers have no owner: a setting says who may change them. */
      const mayChangeShared = (caller: Caller, first: string | null) => {
        if (sharedCatalogueWrites === "any") return true
        return caller.organizationId === (sharedCatalogueWrites === "first" ? first : sharedCatalogueWrites)
      }

      const requireOwn = Effect.fn("Manufacturers.requireOwn")(function* (caller: Caller, slug: string) {
        const [found] = yield* repository.owner(slug)
        if (found === undefined || found.owner === caller.organizationId) return
        if (found.owner === null && mayChangeShared(caller, found.first)) return
        return yield* new Forbidden({
          message:
            found.owner === null
              ? "The manufacturer is of the shared catalogue, which this organization may not change"
              : "The manufacturer belongs to another organization"
        })
      })

      return {
        requireOwn,
        list: Effect.fn("Manufacturers.list")((query) => paginate(query, 10, repository.list, repository.count)),
        all: repository.list(1000, 0),
        get: Effect.fn("Manufacturers.get")((slug) => one(repository.get(slug))),
        create: Effect.fn("Manufacturers.create")(function* (caller, input) {
          const { slug, name, deviceTypes, directIntegration = true, logoUrl = null, onlineWindow = 900 } = input
          // Connecting needs an adapter, and a manufacturer that was created over the API has none.
          const described = { slug, name, deviceTypes: distinct(deviceTypes), directIntegration, logoUrl, onlineWindow }
          return yield* Effect.gen(function* () {
            const [after] = yield* repository.insert(
              { ...described, connectable: false },
              directConfirmWithin,
              caller.organizationId,
              yield* now
            )
            yield* audit.record({ action: "manufacturer.create", resourceId: slug, workspaceId: null, after: after! })
            return after!
          }).pipe(transaction)
        }),
        update: Effect.fn("Manufacturers.update")((caller, slug, input) =>
          Effect.gen(function* () {
            const before = yield* one(repository.lock(slug))
            yield* requireOwn(caller, slug)
            if (input.deviceTypes) yield* requireModelsKept(slug, input.deviceTypes)
            const changes = input.deviceTypes ? { ...input, deviceTypes: distinct(input.deviceTypes) } : input
            const real = realChanges(before, changes)
            if (real === undefined) return before
            const after = yield* one(repository.update(slug, real, yield* now))
            yield* audit.record({ action: "manufacturer.update", resourceId: slug, workspaceId: null, before, after })
            return after
          }).pipe(transaction)
        ),
        loadCatalogue: Effect.flatMap(now, (at) => repository.insertMissing(catalogueManufacturers, at)).pipe(
          Effect.asVoid,
          Effect.withSpan("Manufacturers.loadCatalogue")
        ),
        syncConnectable: Effect.fn("Manufacturers.syncConnectable")(function* (adapters) {
          const at = yield* now
          const own = adapters.map(({ deviceTypes, name, slug }) => ({
            slug,
            name,
            deviceTypes,
            connectable: true,
            directIntegration: true,
            logoUrl: null
          }))
          yield* repository.insertMissing(catalogueManufacturers, at)
          yield* repository.insertMissing(own, at)
          yield* repository.setConnectable(
            adapters.map(({ slug, confirmWithin }) => ({ slug, confirmWithin })),
            commandTimeoutSeconds,
            directConfirmWithin,
            at
          )
        })
      }
    })
  )
}

/** Devices of a manufacturer without an adapter have this share of the time-out until a state may contradict a command. */
const DIRECT_SHARE = 1 / 3

const distinct = <A>(values: ReadonlyArray<A>) => [...new Set(values)]
