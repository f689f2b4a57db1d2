import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { freePort } from "../../../support/freePort.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { startVisit } from "../../../support/hosted-pages/hostedFlow.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { newPerson } from "../arrangeConnections.ts"
import { atOnce } from "../../../support/races.ts"

const SECOND = 1000

const clock = movableClock(Date.parse("2026-03-01T12:00:00Z"))

/** The page says after a second what it says after the default time otherwise. */
const app = useTestApp({
  clock,
  env: { EDP_DEVICE_RESPONSE_TIME: "1 second", EDP_DEVICE_NETWORKS: "127.0.0.0/8,10.0.0.0/8" }
})

// Each test begins in a minute in which no form was sent.
beforeEach(() => clock.move(120_000))

const sockets = new Set<Socket>()
const servers: Array<Server> = []
const listen = async (server: Server) => {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

/** A session at the form of a local device. */
const atTheForm = async (manufacturer: string) => {
  const { keys } = await app.workspace()
  const { body } = await app.call("POST", "/v1/connections", {
    key: keys.CONNECT,
    body: { manufacturerFilters: { manufacturers: [manufacturer] }, customerInfo: newPerson() }
  })
  const path = new URL(body.url).pathname
  const visit = startVisit(app.url)
  await visit.open(`${app.url}${path}`)
  await visit.post(`${app.url}${path}/consent`, [["granted", "yes"]])
  return {
    submit: (host: string, port: number, more: ReadonlyArray<readonly [string, string]> = [["unitId", "1"]]) =>
      visit.post(`${app.url}${path}/form`, [["host", host], ["port", `${port}`], ...more]),
    read: async () => (await app.call("GET", `/v1/connections/${body.id}`, { key: keys.CONNECT })).body
  }
}

/** Hosts and ports to which a visitor may point the platform. */
const places = async (): Promise<ReadonlyArray<readonly [string, string, number]>> => [
  ["a closed port", "127.0.0.1", await freePort()],
  ["a port that does not respond", "127.0.0.1", await listen(createServer())],
  ["a port that ends connections", "127.0.0.1", await listen(createServer((socket) => socket.destroy()))],
  ["another service", "127.0.0.1", await listen(createHttpServer((_, response) => response.end("other")))],
  ["a network that is not allowed", "192.168.77.1", 502],
  ["a name that leads to such a network", "169.254.169.254", 502],
  ["a name that does not exist", "nowhere.invalid", 502]
]

describe("a connect form of a local device", () => {
  test.each([
    [
      "sunspec",
      [
        ["unitId", "1"],
        ["meterDirection", "import"]
      ]
    ],
    [
      "mqtt",
      [
        ["tls", "no"],
        ["discoveryPrefix", "homeassistant"],
        ["tasmota", "no"],
        ["sensorRole", "meter"],
        ["temperatureUnit", "none"]
      ]
    ]
  ] as const)(
    "for %s has one response for all that is no such device, after the same time",
    async (manufacturer, more) => {
      const form = await atTheForm(manufacturer)
      const pages = await Promise.all(
        (await places()).map(async ([what, host, port]) => {
          const began = performance.now()
          const { status, text } = await form.submit(host, port, more)
          const page = text.replaceAll(host, "HOST").replaceAll(`value="${port}"`, "PORT")
          return { what, status, page, waited: performance.now() - began >= SECOND - 50 }
        })
      )
      expect(pages[0]!.page).toContain("No such device could be reached at this address")
      expect(pages).toEqual(pages.map(({ what }) => ({ what, status: 422, page: pages[0]!.page, waited: true })))
      // Nor does the key that made the link learn more.
      expect(await form.read()).toMatchObject({ status: "AUTHORIZING_MANUFACTURER", lastError: null })
    }
  )

  test("tries 20 addresses with one link, and no more", async () => {
    const form = await atTheForm("sunspec")
    let dials = 0
    const port = await listen(createServer((socket) => (dials++, socket.destroy())))
    const replies = await atOnce(24, () => form.submit("127.0.0.1", port))
    const spent = replies.filter(({ text }) => text.includes("Too many attempts were made with this link"))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 422))
    expect(dials).toBeGreaterThan(0)
    expect(dials).toBeLessThanOrEqual(20)
    expect(spent).toHaveLength(4)
  })

  test("is not tried more than 30 times a minute by one network, with however many links", async () => {
    const forms = await Promise.all([atTheForm("sunspec"), atTheForm("sunspec"), atTheForm("sunspec")])
    const replies = await Promise.all(
      forms.flatMap((form) => Array.from({ length: 18 }, (_, n) => form.submit(`127.0.2.${n}`, 1)))
    )
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(3 * 18 - 30)
    for (const { text } of refused) expect(text).toContain("too many attempts from your network")
  })
})
