import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices, nobody } from "./arrangeDevices.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeDevices(app)
  const foreign = await arrangeDevices(app, place.organizationId)
  const { id: siteId } = await place.site()
  const { id: foreignSite } = await foreign.site()
  return { ...place, siteId, foreignSite, foreignDevice: await foreign.device(), path: `/v1/sites/${siteId}/devices` }
}

describe("GET /v1/sites/:id/devices", () => {
  test("200 lists the devices of the site, newest first, page by page", async () => {
    const { device, get, path, siteId } = await arrange()
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) ids.unshift(await device({ siteId }))
    await device()
    const { status, body } = await get(`${path}?page=2&perPage=2`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 2, perPage: 2, totalItems: 5, totalPages: 3 })
    expect(body.data.map((one: any) => one.id)).toEqual(ids.slice(2, 4))
    expect((await get(path)).body.data.map((one: any) => one.id)).toEqual(ids)
  })

  test("400 VALIDATION_ERROR lists every invalid parameter, including cursor", async () => {
    const { get, path } = await arrange()
    const wrong = { perPage: expect.any(String), cursor: expect.any(String) }
    expectError(await get(`${path}?perPage=0&cursor=x`), 400, "VALIDATION_ERROR", wrong)
  })

  test("404 SITE_NOT_FOUND", async () => {
    const { get, foreignSite } = await arrange()
    for (const id of [nobody, "short", foreignSite]) {
      expectError(await get(`/v1/sites/${id}/devices`), 404, "SITE_NOT_FOUND")
    }
  })
})

describe("PUT /v1/sites/:id/devices/:deviceId", () => {
  test("200 moves the device to the site", async () => {
    const { call, device, get, path, site, siteId } = await arrange()
    const { id: before } = await site()
    const id = await device({ siteId: before })
    const response = await call("PUT", `${path}/${id}`)
    expect(response).toMatchObject({ status: 200, body: { id, siteId, location: {} } })
    expect((await get(`/v1/sites/${before}/devices`)).body.totalItems).toBe(0)
    expect((await call("PUT", `${path}/${id}`)).body.siteId).toBe(siteId)
  })

  test("404 SITE_NOT_FOUND", async () => {
    const { call, device, foreignSite } = await arrange()
    const id = await device()
    for (const site of [nobody, "short", foreignSite]) {
      expectError(await call("PUT", `/v1/sites/${site}/devices/${id}`), 404, "SITE_NOT_FOUND")
    }
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { call, path, foreignDevice } = await arrange()
    for (const id of [nobody, "short", foreignDevice]) {
      expectError(await call("PUT", `${path}/${id}`), 404, "DEVICE_NOT_FOUND")
    }
  })
})

describe("DELETE /v1/sites/:id/devices/:deviceId", () => {
  test("204 keeps the device, without a site", async () => {
    const { call, device, get, path, siteId } = await arrange()
    const id = await device({ siteId })
    expect((await call("DELETE", `${path}/${id}`)).status).toBe(204)
    expect((await get(`/v1/devices/${id}`)).body.siteId).toBeNull()
  })

  test("404 SITE_NOT_FOUND", async () => {
    const { call, device, foreignSite } = await arrange()
    const id = await device()
    for (const site of [nobody, "short", foreignSite]) {
      expectError(await call("DELETE", `/v1/sites/${site}/devices/${id}`), 404, "SITE_NOT_FOUND")
    }
  })

  test("404 DEVICE_NOT_FOUND, also when the device is at another site", async () => {
    const { call, device, get, path, foreignDevice, site } = await arrange()
    const { id: elsewhere } = await site()
    const away = await device({ siteId: elsewhere })
    for (const id of [nobody, "short", foreignDevice, away, await device()]) {
      expectError(await call("DELETE", `${path}/${id}`), 404, "DEVICE_NOT_FOUND")
    }
    expect((await get(`/v1/devices/${away}`)).body.siteId).toBe(elsewhere)
  })
})
