import type { ApiClient } from "@edp/domain/Client"
import { retryingNotFound } from "@edp/domain/client/retryingNotFound"
import { Effect } from "effect"

const referenceId = "typed-client-example"
const address = { streetOne: "1315 10th St", city: "Sacramento", state: "CA", postalCode: "95814" }

/** The example's site: made by the first run, found by the next. */
export const arrangeSite = Effect.fn("arrangeSite")(function* (client: ApiClient) {
  const [site] = (yield* client.sites.list({ query: { referenceId: [referenceId], perPage: 1 } })).data
  return site ?? (yield* client.sites.create({ payload: { name: "Typed client example", referenceId, address } }))
})

/**
 * A device of the example, provisioned as its manufacturer would. Provisioning again with the same fields returns the same
 * device; with others it fails with PARAMETER_MISMATCH, which names them.
 */
export const arrangeDevice = Effect.fn("arrangeDevice")(function* (
  client: ApiClient,
  manufacturer: ApiClient,
  siteId: string,
  type: "inverter" | "battery"
) {
  const { data } = yield* client.deviceModels.list({ query: { manufacturer: ["generic"], type: [type] } })
  const [model] = data
  if (model === undefined) return yield* Effect.die(`the catalogue has no generic ${type}`)
  const manufacturerDeviceId = type === "inverter" ? referenceId : `${referenceId}-${type}`
  return yield* retryingNotFound(
    manufacturer.directIntegration.provision({
      payload: { manufacturerDeviceId, deviceModelId: model.id, siteId, name: `Example ${type}` }
    })
  )
})
