import type { TestResponse, TestApp } from "../support/TestApp.ts"
import type { Code } from "./errorTable.ts"
import { chargerState, genericCharger, must, nobody, type World } from "./world.ts"

interface Scene {
  readonly app: TestApp
  readonly world: World
  readonly stranger: World
}

const reading = { state: chargerState(1) }
const alert = { title: "Dark", sourceSystem: "watch", severity: "INFO" }
const elsewhere = { streetOne: "9 Elm Street", city: "Sacramento", state: "CA", postalCode: "95814" }

const headless = {
  mode: "headless",
  redirectUrl: "https://example.com/connected",
  manufacturerFilters: { manufacturers: ["simulator"] }
}

const post = ({ app }: Scene, path: string, key: string, body: object = {}) => app.call("POST", path, { key, body })
const push = (scene: Scene, id: string, key = scene.world.keys.MANUFACTURER) =>
  post(scene, `/devices/${id}/telemetry`, key, reading)
/** A key of the workspace that speaks for another maker than that of its devices. */
const otherMaker = async ({ app, world }: Scene) => (await app.key(world, "MANUFACTURER", { scope: ["simulator"] })).key

/** For each code a request that has to be refused with it. */
export const refusals: Readonly<Partial<Record<Code, (scene: Scene) => Promise<TestResponse>>>> = {
  UNAUTHENTICATED: ({ app }) => app.call("GET", "/v1/sites"),
  FORBIDDEN: ({ app, world }) => app.call("GET", `/v1/devices/${world.commonDeviceId}`, { key: world.keys.SCOPED }),
  VALIDATION_ERROR: (scene) =>
    post(scene, "/v1/alerts", scene.world.keys.SERVER, {
      ...alert,
      siteId: scene.world.siteId,
      title: "",
      sourceSystem: 1
    }),

  DEVICE_MODEL_MANUFACTURER_MISMATCH: async (scene) => {
    const { siteId, deviceModelId } = scene.world
    return post(scene, "/devices", await otherMaker(scene), { manufacturerDeviceId: "M-1", siteId, deviceModelId })
  },
  DEVICE_MODEL_NOT_FOUND: (scene) => {
    const { siteId, keys } = scene.world
    const { deviceModelId } = nobody
    return post(scene, "/devices", keys.MANUFACTURER, { manufacturerDeviceId: "M-1", siteId, deviceModelId })
  },
  PARAMETER_MISMATCH: (scene) => {
    const { commonSiteId, deviceModelId, manufacturerDeviceId, keys } = scene.world
    const differing = { siteId: commonSiteId, serialNumber: "another", name: "another" }
    return post(scene, "/devices", keys.MANUFACTURER, { manufacturerDeviceId, deviceModelId, ...differing })
  },
  SITE_NOT_FOUND: (scene) => {
    const { deviceModelId, keys } = scene.world
    const { siteId } = nobody
    return post(scene, "/devices", keys.MANUFACTURER, { manufacturerDeviceId: "M-1", siteId, deviceModelId })
  },

  CUSTOMER_NOT_FOUND: ({ app, world }) =>
    app.call("GET", `/v1/customers/${nobody.customerId}`, { key: world.keys.SERVER }),
  SCHEDULE_NOT_FOUND: ({ app, world }) =>
    app.call("GET", `/v1/schedules/${nobody.scheduleId}`, { key: world.keys.SERVER }),
  DEVICE_NOT_FOUND: (scene) => push(scene, nobody.deviceId),
  DEVICE_NOT_ASSOCIATED: (scene) => push(scene, scene.world.removedDeviceId),
  MANUFACTURER_NOT_ALLOWED: async (scene) => push(scene, scene.world.deviceId, await otherMaker(scene)),
  DEVICE_NOT_OEM_DIRECT: async (scene) => {
    const { app, world } = scene
    const { id: deviceModelId } = await genericCharger(app, world.keys.SERVER)
    const body = { manufacturerDeviceId: "INDIRECT-1", deviceModelId, siteId: world.siteId }
    const { id } = must(await post(scene, "/devices", world.keys.MANUFACTURER, body), 201)
    // As a device that a manufacturer's account brought.
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${id}`)
    return push(scene, id)
  },

  INVALID_LOCATION: (scene) =>
    post(scene, "/v1/sites", scene.world.keys.SERVER, { address: { ...elsewhere, state: "NY" } }),
  SITE_ALREADY_EXISTS: async (scene) => {
    must(await post(scene, "/v1/sites", scene.world.keys.SERVER, { address: elsewhere }), 201)
    const streetOne = elsewhere.streetOne.replace("Street", " ST.")
    return post(scene, "/v1/sites", scene.world.keys.SERVER, { address: { ...elsewhere, streetOne, country: "US" } })
  },
  SITE_NOT_IN_WORKSPACE: (scene) =>
    post(scene, "/v1/alerts", scene.world.keys.SERVER, { ...alert, siteId: scene.stranger.siteId }),

  CUSTOMER_NOT_CONNECTED_TO_SITE: async (scene) => {
    const { keys } = scene.world
    const { id } = must(await post(scene, "/v1/customers", keys.SERVER), 201)
    return post(scene, "/v1/connections", keys.SERVER, { ...headless, customerId: id })
  },
  DUPLICATE_CONNECTION: async (scene) => {
    const { customerId, siteId, keys, workspaceId } = scene.world
    await scene.app.sql(
      (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          created_at, updated_at)
        VALUES (${`c${"1".repeat(24)}`}, ${workspaceId}, 'simulator', 'refusals', 'Account', 'refusals', '{}', 'connected',
          now(), now())`
    )
    const body = { ...headless, customerId, siteId, referenceId: "refusals" }
    return post(scene, "/v1/connections", keys.SERVER, body)
  },

  DUPLICATE_NAME: async (scene) => {
    must(await post(scene, "/v1/workspaces", scene.world.keys.MANAGEMENT, { name: "Twice" }), 201)
    return post(scene, "/v1/workspaces", scene.world.keys.MANAGEMENT, { name: "Twice" })
  },
  DELETION_PROTECTION_ENABLED: async ({ app }) => {
    const { workspaceId, keys } = await app.workspace()
    const site = must(await app.call("POST", "/v1/sites", { key: keys.SERVER, body: { address: elsewhere } }), 201)
    const body = { deletionProtection: true }
    must(await app.call("PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body }), 200)
    return app.call("DELETE", `/v1/sites/${site.id}`, { key: keys.SERVER })
  },
  INVALID_STATE: async ({ app }) => {
    const { keys } = await app.workspace()
    const { data } = must(await app.call("GET", "/v1/api-keys", { key: keys.MANAGEMENT }), 200)
    const { id } = data.find(({ type }: { type: string }) => type === "MANAGEMENT")
    return app.call("POST", `/v1/api-keys/${id}/revoke`, { key: keys.MANAGEMENT })
  },

  INVALID_STATUS: async ({ app, world }) => {
    const path = `/v1/programInstances/${world.programInstanceId}`
    const key = world.keys.SERVER
    must(await app.call("PATCH", path, { key, body: { status: "ARCHIVED" } }), 200)
    return app.call("PATCH", path, { key, body: { status: "ACTIVE" } })
  },

  NOT_FOUND: ({ app, world }) => app.call("GET", `/v1/alerts/${nobody.alertId}`, { key: world.keys.SERVER }),
  APIKEY_NOT_FOUND: ({ app, world }) =>
    app.call("GET", `/v1/api-keys/${nobody.apiKeyId}`, { key: world.keys.MANAGEMENT }),
  WORKSPACE_NOT_FOUND: ({ app, world }) =>
    app.call("GET", `/v1/workspaces/${nobody.workspaceId}`, { key: world.keys.MANAGEMENT }),

  COLLECTION_NOT_FOUND: ({ app, world }) =>
    app.call("GET", `/v1/collections/${nobody.collectionId}`, { key: world.keys.SERVER }),
  INVALID_CRITERIA: (scene) =>
    post(scene, "/v1/collections/preview", scene.world.keys.SERVER, {
      collectionType: "DEVICE",
      criteria: { any: [{ attribute: "colour", operator: "eq", value: "red" }] }
    }),

  RATE_LIMITED: async ({ app, world }) => {
    const { id, key } = await app.key(world, "SERVER")
    const body = { rateLimits: { read: 1 } }
    must(await app.call("PATCH", `/v1/api-keys/${id}`, { key: world.keys.MANAGEMENT, body }), 200)
    const ask = () => app.call("GET", "/v1/sites", { key })
    // A minute may end once in between.
    const responses = [await ask(), await ask(), await ask()]
    return responses.find(({ status }) => status !== 200)!
  }
}
