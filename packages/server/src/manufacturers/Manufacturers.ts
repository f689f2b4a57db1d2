import { NotFound, type ValidationError } from "@edp/domain/errors/ApiErrors"
import type { CreateManufacturer, Manufacturer, UpdateManufacturer } from "@edp/domain/manufacturers/Manufacturer"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { paginate } from "../sql/paginate.ts"
import { catalogueManufacturers } from "./catalogue/manufacturers.ts"
import { ManufacturersRepository } from "./ManufacturersRepository.ts"

/** The makers of devices, shared by all workspaces. */
export class Manufacturers extends Context.Service<
  Manufacturers,
  {
    readonly list: (query: { readonly page?: number; readonly perPage?: number }) => Effect.Effect<PageOf<Manufacturer>>
    readonly get: (slug: string) => Effect.Effect<Manufacturer, NotFound>
    readonly create: (input: CreateManufacturer) => Effect.Effect<Manufacturer, ValidationError>
    readonly update: (slug: string, input: UpdateManufacturer) => Effect.Effect<Manufacturer, NotFound>
    /** Adds those of the starter catalogue that are missing; what an operator changed stays changed. */
    readonly loadCatalogue: Effect.Effect<void>
  }
>()("@edp/server/Manufacturers") {
  static readonly layer = Layer.effect(
    Manufacturers,
    Effect.gen(function* () {
      const repository = yield* ManufacturersRepository
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      return {
        list: Effect.fn("Manufacturers.list")((query) => paginate(query, 10, repository.list, repository.count)),
        get: Effect.fn("Manufacturers.get")(function* (slug) {
          const [manufacturer] = yield* repository.get(slug)
          return manufacturer ?? (yield* new NotFound({}))
        }),
        create: Effect.fn("Manufacturers.create")(function* (input) {
          const { slug, name, deviceTypes, directIntegration = true, logoUrl = null } = input
          // Devices are connected through an adapter, and whoever is described here by hand has none.
          const described = { slug, name, deviceTypes: distinct(deviceTypes), directIntegration, logoUrl }
          const [manufacturer] = yield* repository.insert({ ...described, connectable: false }, yield* now)
          return manufacturer!
        }),
        update: Effect.fn("Manufacturers.update")(function* (slug, input) {
          const changes = input.deviceTypes ? { ...input, deviceTypes: distinct(input.deviceTypes) } : input
          const [manufacturer] = yield* repository.update(slug, changes, yield* now)
          return manufacturer ?? (yield* new NotFound({}))
        }),
        loadCatalogue: Effect.flatMap(now, (at) => repository.insertMissing(catalogueManufacturers, at)).pipe(
          Effect.asVoid,
          Effect.withSpan("Manufacturers.loadCatalogue")
        )
      }
    })
  )
}

const distinct = <A>(values: ReadonlyArray<A>) => [...new Set(values)]
