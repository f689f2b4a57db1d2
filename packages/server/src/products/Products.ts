import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import type { DeviceModel } from "@edp/domain/device-models/DeviceModel"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Manufacturer } from "@edp/domain/manufacturers/Manufacturer"
import type { Product } from "@edp/domain/products/Product"
import type { PageOf } from "@edp/domain/shared/Page"
import { Context, Effect, Layer } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { DeviceModels } from "../device-models/DeviceModels.ts"
import { Manufacturers } from "../manufacturers/Manufacturers.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { findProducts } from "./findProducts.ts"

const connections = { oauth2: "sign_in", form: "form", inbound: "inbound" } as const

/** The products of an adapter, or the adapter itself as one. */
const linkedProducts = (manifest: Manifest, manufacturerName: string): ReadonlyArray<Product> => {
  const { authorization, products = [manifest], provenAgainst = null, slug } = manifest
  return products.map((product) => ({
    name: product.name,
    manufacturer: slug,
    manufacturerName,
    deviceTypes: product.deviceTypes,
    commands: product.commands,
    connection: connections[authorization],
    provenAgainst: product.provenAgainst ?? provenAgainst
  }))
}

/** The product of a device model: linked by the adapter of its manufacturer, if that links devices of its type. */
const modelProduct = (
  { commands, manufacturer, name, type }: DeviceModel,
  manufacturerName: string,
  manifest: Manifest | undefined
): Product => {
  const linked = manifest?.deviceTypes.includes(type) === true ? manifest : undefined
  return {
    name: `${manufacturerName} ${name}`,
    manufacturer,
    manufacturerName,
    deviceTypes: [type],
    commands: commands.filter((command) => linked === undefined || linked.commands.includes(command)),
    connection: linked === undefined ? null : connections[linked.authorization],
    provenAgainst: linked?.provenAgainst ?? null
  }
}

interface Query {
  readonly q?: string
  readonly manufacturer?: ReadonlyArray<string>
  readonly type?: ReadonlyArray<DeviceType>
}

/** The products that devices are, as people call them. */
export class Products extends Context.Service<
  Products,
  {
    /** By name, or the best results of `q` first. */
    readonly find: (query: Query) => Effect.Effect<ReadonlyArray<Product>, DatabaseUnavailable>
    readonly list: (
      query: Query & { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<Product>, DatabaseUnavailable>
  }
>()("@edp/server/Products") {
  static readonly layer = Layer.effect(
    Products,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const deviceModels = yield* DeviceModels
      const manufacturers = yield* Manufacturers

      const all = Effect.gen(function* () {
        const [makers, models, running] = yield* Effect.all(
          [manufacturers.all, deviceModels.all, accounts.manufacturers],
          { concurrency: 2 }
        )
        const names = new Map(makers.map(({ name, slug }: Manufacturer) => [slug, name]))
        const manifests = new Map(running.map((manifest) => [manifest.slug, manifest]))
        const linked = running.flatMap((manifest) =>
          linkedProducts(manifest, names.get(manifest.slug) ?? manifest.name)
        )
        const linkedNames = new Set(linked.map(({ name }) => name))
        return [
          ...linked,
          // The models of `generic` are types of devices.
          ...models
            .filter(({ manufacturer }) => manufacturer !== "generic")
            .map((model) =>
              modelProduct(
                model,
                names.get(model.manufacturer) ?? model.manufacturer,
                manifests.get(model.manufacturer)
              )
            )
            // A product that another manufacturer links is found there.
            .filter(({ connection, name }) => connection !== null || !linkedNames.has(name))
        ].toSorted((one, other) => one.name.localeCompare(other.name, "en"))
      })

      const find = Effect.fn("Products.find")(function* ({ manufacturer, q, type }: Query) {
        const wanted = (yield* all).filter(
          (product) =>
            (manufacturer === undefined || manufacturer.includes(product.manufacturer)) &&
            (type === undefined || product.deviceTypes.some((one) => type.includes(one)))
        )
        return q === undefined ? wanted : findProducts(wanted, q)
      })

      return {
        find,
        list: Effect.fn("Products.list")(function* (query) {
          const found = yield* find(query)
          return yield* paginate(
            query,
            10,
            (limit, offset) => Effect.succeed(found.slice(offset, offset + limit)),
            Effect.succeed(found.length)
          )
        })
      }
    })
  )
}
