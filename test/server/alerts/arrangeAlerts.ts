import { seedDevice, type SeededDevice, seedSite } from "../../support/Seed.ts"
import type { TestApp } from "../../support/TestApp.ts"

/** A workspace with a site, and the ways to alerts and devices in it. */
export const arrangeAlerts = async (app: TestApp) => {
  const place = await app.workspace()
  const site = await seedSite(app, place.keys.SERVER)
  const input = {
    siteId: site.id,
    title: "Inverter does not respond",
    sourceSystem: "night-watch",
    severity: "WARNING"
  }
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: place.keys.SERVER, ...(body === undefined ? {} : { body }) })
  return {
    ...place,
    site,
    input,
    call,
    create: async (fields: object = {}) => (await call("POST", "/v1/alerts", { ...input, ...fields })).body,
    device: (fields: SeededDevice = {}) => seedDevice(app, place.workspaceId, { siteId: site.id, ...fields })
  }
}
