import { ServerLive } from "@edp/server/app/Server"
import { services } from "@edp/server/app/services"
import { Workers } from "@edp/server/app/Workers"
import * as Database from "@edp/server/platform/Database"
import { Ids } from "@edp/server/platform/Ids"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { EncryptionKeys } from "@edp/server/platform/secrets/EncryptionKeys"
import { ConfigProvider, Context, Effect, Layer, Logger } from "effect"
import { expect, onTestFinished, test, vi } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { freePort } from "../../support/freePort.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { sharedEncryptionKey } from "../../support/spawnServer.ts"

/** Each user of this service has the addresses that it may call. */
const several = "@edp/server/platform/outbound/OutboundHttp"

/** Collects the instances of each service that layers make, whichever memo map builds them. */
const collectInstances = () => {
  const instances = new Map<string, Set<unknown>>()
  const maps = Object.getPrototypeOf(Layer.makeMemoMapUnsafe()) as Layer.MemoMap
  const memoize = maps.getOrElseMemoize
  const spy = vi.spyOn(maps, "getOrElseMemoize").mockImplementation(function (
    this: Layer.MemoMap,
    layer,
    scope,
    build
  ) {
    return memoize.call(this, layer, scope, (map, within) =>
      Effect.tap(build(map, within), (made) =>
        Effect.sync(() => {
          for (const [key, service] of (made as Context.Context<never>).mapUnsafe) {
            instances.set(key, (instances.get(key) ?? new Set()).add(service))
          }
        })
      )
    ) as never
  })
  onTestFinished(() => void spy.mockRestore())
  return instances
}

describePostgres("a process in the role", () => {
  const databases = useDatabases()

  test.each(["api", "worker", "all"])("%s has each service once", async (role) => {
    const env = {
      DATABASE_URL: databases.url,
      EDP_ENCRYPTION_KEY: sharedEncryptionKey,
      EDP_ROLE: role,
      PORT: String(await freePort())
    }
    const instances = collectInstances()
    await Effect.runPromise(
      Layer.build(Layer.merge(ServerLive, Workers).pipe(Layer.provide(services))).pipe(
        Effect.scoped,
        Effect.provide(
          EncryptionKeys.layer.pipe(
            Layer.provideMerge(
              Layer.unwrap(
                Effect.map(ServerConfig, ({ databaseUrl, dataDir }) => Database.layer({ databaseUrl, dataDir }))
              )
            ),
            Layer.provideMerge(Ids.layer),
            Layer.provide(Logger.layer([])),
            Layer.provideMerge(ServerConfig.layer),
            Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
          )
        )
      )
    )
    const ours = [...instances].filter(([key]) => key.startsWith("@edp/") && key !== several)
    expect(ours.length).toBeGreaterThan(100)
    expect(ours.filter(([, made]) => made.size > 1).map(([key]) => key)).toEqual([])
  })
})
