import { Accounts } from "@edp/server/accounts/Accounts"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { testHost } from "@edp/adapter-kit/testing/TestHost"
import { TestApp } from "../../support/TestApp.ts"
import { asLinked } from "@edp/adapter-kit/testing/ContractRun"
import { contractAdapters, contractCases } from "./contractCases.ts"
import { settingName } from "./settingName.ts"

const USERS = 20

/** The adapter, which counts refreshes and whether two ever ran at once. */
const counting = (adapter: AnyManufacturerAdapter) => {
  const counts = { refreshes: 0, running: 0, atOnce: 0 }
  const counted: AnyManufacturerAdapter = {
    ...adapter,
    // Twenty readings at once are more than some manufacturers allow.
    manifest: { ...adapter.manifest, quotas: [] },
    create: (settings, host) =>
      Effect.map(adapter.create(settings, host), (instance) => ({
        ...instance,
        refresh: (account) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              counts.refreshes++
              counts.atOnce = Math.max(counts.atOnce, ++counts.running)
            }),
            () => instance.refresh!(account),
            () => Effect.sync(() => counts.running--)
          )
      }))
  }
  return { counted, counts }
}

const signIns = contractAdapters.flatMap((adapter) => {
  const found = contractCases.find(({ slug }) => slug === adapter.manifest.slug)
  return adapter.manifest.authorization === "oauth2" && found !== undefined
    ? [[adapter.manifest.slug, adapter, found] as const]
    : []
})

it.each(signIns)(
  "twenty users of an account of %s at the time when its tokens expire make one refresh",
  async (slug, adapter, contractCase) => {
    const peer = await contractCase.start()
    const { counted, counts } = counting(adapter)
    const app = new TestApp()
    const settings = Object.entries({ ...contractCase.settings, ...peer.settings })
    await app.start({
      adapters: [counted],
      env: {
        ...(peer.publicUrl !== undefined && { EDP_PUBLIC_URL: peer.publicUrl }),
        ...Object.fromEntries(settings.map(([field, value]) => [settingName(slug, field), value]))
      }
    })
    try {
      const { workspaceId } = await app.workspace()
      const found = await app.run(
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const linked = yield* peer.link(yield* accounts.instance(slug), testHost().host as never)
          const expiresAt = Date.now() + 1000
          const account = { workspaceId, manufacturer: slug, referenceId: "user-1", tags: [] }
          const id = yield* accounts.begin({ ...account, linked: { ...linked, expiresAt } })
          const read = accounts.withAccount(id, (one, instance) =>
            Effect.flatMap(instance.discoverDevices!(one), (devices) =>
              instance.readDevices!(one, devices.map(asLinked))
            )
          )
          const reports = yield* Effect.all(
            Array.from({ length: USERS }, () => read),
            { concurrency: "unbounded" }
          )
          // The tokens of that refresh are those that are stored.
          return [...reports, yield* read]
        })
      )
      expect(counts).toEqual({ refreshes: 1, running: 0, atOnce: 1 })
      expect(found.filter(({ observations }) => observations.length > 0)).toHaveLength(USERS + 1)
    } finally {
      await app.stop()
      await peer.close()
    }
  }
)
