import { seedDevice, seedSite, type SeededDevice } from "../../support/Seed.ts"
import { expect } from "vitest"
import type { TestApp } from "../../support/TestApp.ts"

let count = 0

/** A workspace and what its collections are tried with. */
export const arrangeCollections = async (app: TestApp) => {
  const place = await app.workspace()
  const key = place.keys.SERVER
  const call = (method: string, path: string, body?: object, by = key) =>
    app.call(method, path, { key: by, ...(body === undefined ? {} : { body }) })
  const create = async (fields: object): Promise<any> => {
    const body = { name: `Collection ${++count}`, collectionType: "DEVICE", criteria: {}, ...fields }
    const response = await call("POST", "/v1/collections", body)
    expect([response.status, response.text]).toEqual([201, expect.anything()])
    return response.body
  }
  const device = (fields: SeededDevice & { readonly tags?: ReadonlyArray<string> } = {}) =>
    seedDevice(app, place.workspaceId, fields).then(async (id) => {
      const { tags } = fields
      if (tags !== undefined) await app.sql((sql) => sql`UPDATE devices SET tags = ${tags}::text[] WHERE id = ${id}`)
      return id
    })
  const site = (fields: object = {}) => seedSite(app, key, fields)
  const memberIds = async (id: string): Promise<ReadonlyArray<string>> => {
    const { body, status } = await call("GET", `/v1/collections/${id}/members?perPage=100`)
    expect(status).toBe(200)
    expect(body.totalItems).toBe(body.data.length)
    return body.data.map((member: { readonly id: string }) => member.id)
  }
  return { ...place, call, create, device, site, memberIds }
}

export const named = (name: string) => ({ attribute: "name", operator: "eq", value: name })
