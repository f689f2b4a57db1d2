import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "../devices/arrangeDevices.ts"

const app = useTestApp()
const path = "/v1/home-assistant-publications"

test("201 has the defaults, stores the password encrypted and returns none", async () => {
  const { call, get } = await arrangeDevices(app)
  const { body, status } = await call("POST", path, { host: "192.168.1.20", username: "edp", password: "right-4711" })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      port: 1883,
      tls: false,
      discoveryPrefix: "homeassistant",
      tag: null,
      takesCommands: false,
      status: "connecting",
      password: "********",
      devices: null
    }
  })
  const [row] = await app.sql<{ row: string }>(
    (sql) => sql`SELECT p::text AS row FROM home_assistant_publications p WHERE id = ${body.id}`
  )
  expect(row!.row).not.toContain("4711")
  expect((await get(`${path}/${body.id}`)).body).toEqual(body)
  expect((await get(path)).body.data).toEqual([body])
  expect((await call("POST", path, { host: "broker.example.com", tls: true })).body).toMatchObject({
    port: 8883,
    password: null
  })
})

test("400 names each field that is wrong, and what it takes", async () => {
  const { call } = await arrangeDevices(app)
  const refused = async (body: object) => (await call("POST", path, body)).body.details
  expect(await refused({ host: "mqtt://x", port: 0, discoveryPrefix: "a/#", fingerprint: "12" })).toEqual({
    host: "Must be a name or an IP address, such as 192.168.1.20",
    port: "Must be a whole number from 1 to 65535",
    discoveryPrefix: "Must be 1 to 100 letters, digits, hyphens and underscores, in levels that slashes separate",
    fingerprint: "Must be a SHA-256 fingerprint: 32 bytes in hexadecimal"
  })
  expect(await refused({ host: "x.example.com", fingerprint: "ab".repeat(32), password: "4711" })).toEqual({
    fingerprint: "Must be absent without tls",
    username: "Is required with a password"
  })
  expect(await refused({ host: "x.example.com", username: "edp", password: "********" })).toEqual({
    password: "Must be the password: no password is stored"
  })
})

test("400 INVALID_STATE for a second publication at the same broker and prefix, and beyond twenty", async () => {
  const { call } = await arrangeDevices(app)
  const create = (host: string, more: object = {}) => call("POST", path, { host, ...more })
  await create("Broker.example.com")
  const again = await create("broker.example.com")
  expect({ status: again.status, code: again.body.code }).toEqual({ status: 400, code: "INVALID_STATE" })
  expect((await create("broker.example.com", { discoveryPrefix: "other" })).status).toBe(201)
  for (let n = 2; n < 20; n++) expect((await create(`b${n}.example.com`)).status).toBe(201)
  expect((await create("one-more.example.com")).body.message).toContain("at most 20 publications")
})

test("a change keeps the password that its mask stands for, and null removes fields", async () => {
  const { call } = await arrangeDevices(app)
  const made = (await call("POST", path, { host: "10.0.0.2", username: "edp", password: "right-4711", tag: "a" })).body
  const patch = async (body: object) => (await call("PATCH", `${path}/${made.id}`, body)).body
  expect(await patch({ password: "********", tag: null })).toMatchObject({ password: "********", tag: null })
  expect(await patch({ tag: null })).toMatchObject({ tag: null })
  expect((await patch({ username: null })).details).toEqual({ username: "Is required with a password" })
  expect(await patch({ username: null, password: null })).toMatchObject({ username: null, password: null })
  expect((await call("DELETE", `${path}/${made.id}`)).status).toBe(204)
  expect((await call("GET", `${path}/${made.id}`)).status).toBe(404)
})
