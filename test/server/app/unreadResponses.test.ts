import { connect } from "node:net"
import { afterEach, beforeAll, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics } from "../metrics/arrangeMetrics.ts"
import { atOnce } from "../../support/races.ts"

// A key may hold half of it.
const app = useTestApp({ env: { EDP_UNREAD_ANSWERS: "40" } })

const HOUR = 3_600_000
const to = Math.floor(Date.now() / HOUR) * HOUR
const span = `from=${new Date(to - 4990 * HOUR).toISOString()}&to=${new Date(to).toISOString()}`
/** Some 10 MB: five thousand hours of twenty devices. */
const large = `/v1/metrics/generation?period=hour&groupBy=device&${span}`

let place: Awaited<ReturnType<typeof arrangeMetrics>>
beforeAll(async () => {
  place = await arrangeMetrics(app)
  await place.many(20)
})

const open: Array<() => void> = []
afterEach(() => open.splice(0).forEach((close) => close()))

/** Sends a request and reads only the first bytes of the response, until `readAll` is called. */
const askAndWait = (key: string) => {
  const { hostname, port } = new URL(app.url)
  const request = `GET ${large} HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${key}\r\nConnection: close\r\n\r\n`
  return new Promise<{ readonly status: string; readonly readAll: () => Promise<number> }>((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    open.push(() => socket.destroy())
    socket.on("error", () => {})
    socket.once("data", (part: Buffer) => {
      socket.pause()
      const readAll = () =>
        new Promise<number>((done) => {
          let heard = part.length
          socket.on("data", (more: Buffer) => (heard += more.length)).on("close", () => done(heard))
          socket.resume()
        })
      resolve({ status: part.toString().split(" ", 2)[1]!, readAll })
    })
  })
}

test("502 SERVICE_UNAVAILABLE for further large responses of a key with unread ones, until they are read", async () => {
  const { key } = await app.key(place, "SERVER")
  const first = await askAndWait(key)
  expect(first.status).toBe("200")
  expectError(await app.call("GET", large, { key }), 502, "SERVICE_UNAVAILABLE")
  expect((await app.call("GET", "/v1/devices", { key })).status).toBe(200)
  expect((await app.call("GET", "/v1/metrics/generation?period=day&" + span, { key })).status).toBe(200)
  expect((await app.call("GET", large, { key: (await app.key(place, "SERVER")).key })).status).toBe(200)
  expect(await first.readAll()).toBeGreaterThan(10_000_000)
  await eventually("there is room again", async () =>
    (await app.call("GET", large, { key })).status === 200 ? true : undefined
  )
})

test("the unread responses of all keys together are limited", async () => {
  const keys = await atOnce(4, () => app.key(place, "SERVER"))
  const statuses = []
  for (const { key } of keys) statuses.push((await askAndWait(key)).status)
  expect(statuses).toEqual(["200", "200", "200", "502"])
})

test("a closed connection releases its share", async () => {
  const { key } = await app.key(place, "SERVER")
  await askAndWait(key)
  open.splice(0).forEach((close) => close())
  await eventually("there is room again", async () =>
    (await app.call("GET", large, { key })).status === 200 ? true : undefined
  )
})
