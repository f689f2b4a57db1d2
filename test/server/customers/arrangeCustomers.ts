import { seedDevice, seedSite } from "../../support/Seed.ts"
import type { TestApp } from "../../support/TestApp.ts"

/** A workspace of its own with what tests of customers do in it. */
export const arrangeCustomers = async (app: TestApp, organizationId?: string) => {
  const place = await app.workspace(organizationId)
  const key = place.keys.SERVER
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  const create = async (fields: object = {}): Promise<any> => {
    const response = await call("POST", "/v1/customers", fields)
    if (response.status !== 201) throw new Error(`no customer: ${response.text}`)
    return response.body
  }
  /** As the connect flow does it: the device is the customer's, wherever it is. */
  const connectedBy = async (customerId: string, fields: { readonly siteId?: string } = {}) => {
    const id = await seedDevice(app, place.workspaceId, fields)
    await app.sql((sql) => sql`UPDATE devices SET customer_id = ${customerId} WHERE id = ${id}`)
    return id
  }
  return {
    ...place,
    call,
    create,
    connectedBy,
    get: async (id: string) => (await call("GET", `/v1/customers/${id}`)).body,
    site: (fields: object = {}) => seedSite(app, key, fields),
    device: (fields: { readonly siteId?: string; readonly referenceId?: string; readonly name?: string } = {}) =>
      seedDevice(app, place.workspaceId, fields),
    protect: (on: boolean) =>
      app.call("PATCH", `/v1/workspaces/${place.workspaceId}`, {
        key: place.keys.MANAGEMENT,
        body: { deletionProtection: on }
      })
  }
}

export const nobody = `c${"0".repeat(24)}`
