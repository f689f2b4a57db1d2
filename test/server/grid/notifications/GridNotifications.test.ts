import { describe, expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "../arrangeGrid.ts"

const PUBLIC_URL = "https://edp.example.com"
const DAY = 86_400

// Connections are due in all workspaces at once, and the clock is the file's own.
const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock, env: { EDP_PUBLIC_URL: PUBLIC_URL } })
const inner = useTestApp({ own: true, clock, env: { EDP_PUBLIC_URL: "http://edp.example.com" } })
const vtnNow = useFakeVtn()

const arrange = async (service = app) => {
  const world = await arrangeGrid(service, clock, vtnNow())
  vtnNow().notifiers = { WEBHOOK: true }
  const show = (id: string) => world.must(200, "GET", `/v1/grid-connections/${id}`)
  const wait = async (id: string) => {
    const [row] = await service.sql<{ readonly wait: number }>(
      (sql) => sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
    )
    return row!.wait
  }
  return { ...world, show, wait }
}

const requests = (method: string, path: string) =>
  vtnNow().requests.filter((request) => request.method === method && request.path.startsWith(path))

/** The address and the token that a VTN was given. */
const callback = () => {
  const [{ bearerToken, callbackUrl }] = vtnNow().subscriptions[0]!["objectOperations"]
  return { bearerToken: bearerToken as string, url: (callbackUrl as string).replace(PUBLIC_URL, app.url) }
}

const notify = (url: string, bearerToken: string, body = "{}") =>
  fetch(url, { method: "POST", body, headers: { authorization: `Bearer ${bearerToken}` } })

describe("a VTN that notifies by webhook", () => {
  test("gets a subscription to programs and events, once", async () => {
    const { connect, poll, show } = await arrange()
    const { id } = await connect({ targets: ["zone-7"] })
    expect(await show(id)).toMatchObject({ notifications: "automatic", notifiedBy: "none" })
    await poll()
    expect(vtnNow().subscriptions).toHaveLength(1)
    expect(vtnNow().subscriptions[0]).toMatchObject({
      clientName: `edp-${id}`,
      targets: ["zone-7"],
      objectOperations: [{ objects: ["PROGRAM", "EVENT"], operations: ["CREATE", "UPDATE", "DELETE"] }]
    })
    const [{ bearerToken, callbackUrl }] = vtnNow().subscriptions[0]!["objectOperations"]
    expect(callbackUrl).toMatch(/^https:\/\/edp\.example\.com\/grid-notifications\/[\w-]{43}$/)
    expect(bearerToken).toMatch(/^[\w-]{43}$/)
    expect(await show(id)).toMatchObject({ notifiedBy: "webhook", notificationError: null, lastNotifiedAt: null })
    const stored = await app.sql((sql) => sql`SELECT to_jsonb(n)::text AS text FROM grid_notifications n`)
    expect(JSON.stringify(stored)).not.toContain(bearerToken)
    await poll(60)
    expect(requests("GET", "/notifiers")).toHaveLength(1)
    expect(vtnNow().subscriptions).toHaveLength(1)
  })

  test("gets the value back that it asks for", async () => {
    const { connect, poll } = await arrange()
    await connect()
    await poll()
    const { url } = callback()
    const response = await fetch(`${url}?echo=${encodeURIComponent("<b>4711</b>")}`)
    expect([response.status, await response.text()]).toEqual([200, "<b>4711</b>"])
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/)
    expect((await fetch(url)).status).toBe(400)
    expect((await fetch(`${url}?echo=${"x".repeat(1025)}`)).status).toBe(400)
    expect((await fetch(`${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}?echo=1`)).status).toBe(404)
    expect((await fetch(`${app.url}/grid-notifications/short?echo=1`)).status).toBe(404)
    expect((await fetch(url, { method: "PUT" })).status).toBe(405)
  })

  test("makes the connection due by a notification, some seconds after the last poll at the earliest", async () => {
    const { connect, poll, show, wait } = await arrange()
    const { id } = await connect({ pollSeconds: 3600 })
    await poll()
    expect(await wait(id)).toBeGreaterThan(3000)
    const { bearerToken, url } = callback()
    for (let n = 0; n < 3; n++) expect((await notify(url, bearerToken)).status).toBe(200)
    const due = await wait(id)
    expect(due).toBeLessThan(2.1)
    const { lastNotifiedAt } = await show(id)
    expect(lastNotifiedAt).toBe(new Date(clock.currentTimeMillisUnsafe()).toISOString())
  })

  test("can do nothing without its token, or with a notification that is too long", async () => {
    const { connect, poll, wait, workspaceId } = await arrange()
    const { id } = await connect({ pollSeconds: 3600 })
    await poll()
    const { bearerToken, url } = callback()
    const refusals = [
      await notify(url, "another"),
      await fetch(url, { method: "POST" }),
      await notify(`${url.slice(0, -2)}xx`, bearerToken),
      await notify(url, bearerToken, "x".repeat(1024 * 1024 + 1))
    ]
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 404, 413])
    for (const refusal of refusals) {
      const text = await refusal.text()
      expect(Object.keys(JSON.parse(text))).toEqual(["title", "status"])
      expect(text).not.toContain(id)
      expect(text).not.toContain(workspaceId)
    }
    expect(await wait(id)).toBeGreaterThan(3000)
  })

  test("that notifies in the middle of a poll is polled again", async () => {
    const { connect, poll, wait } = await arrange()
    const { id } = await connect({ pollSeconds: 3600 })
    await poll()
    const { bearerToken, url } = callback()
    vtnNow().respond = async ({ path }) => {
      if (path === "/events") await notify(url, bearerToken)
      return undefined
    }
    await poll()
    expect(await wait(id)).toBeLessThan(2.1)
    vtnNow().respond = () => undefined
    await poll()
    expect(await wait(id)).toBeGreaterThan(3000)
  })

  test("is not polled for a notification while its connection is paused", async () => {
    const { connect, must, poll, show } = await arrange()
    const { id } = await connect()
    await poll()
    const { bearerToken, url } = callback()
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { enabled: false })
    expect((await notify(url, bearerToken)).status).toBe(200)
    const rows = await app.sql((sql) => sql`SELECT poll_at AS "pollAt" FROM grid_connections WHERE id = ${id}`)
    expect(rows).toEqual([{ pollAt: null }])
    expect(await show(id)).toMatchObject({ status: "paused", notifiedBy: "none" })
  })

  test("gets the subscription anew where it has lost it, and with new secrets after a day", async () => {
    const { connect, poll, show } = await arrange()
    const { id } = await connect()
    await poll()
    const first = callback()
    vtnNow().subscriptions.length = 0
    await poll(11 * 60)
    expect(vtnNow().subscriptions).toHaveLength(1)
    const second = callback()
    expect(second.url).not.toBe(first.url)
    expect((await notify(first.url, first.bearerToken)).status).toBe(404)
    expect((await notify(second.url, second.bearerToken)).status).toBe(200)
    await poll(DAY + 1)
    expect(requests("PUT", "/subscriptions")).toHaveLength(1)
    expect(vtnNow().subscriptions).toHaveLength(1)
    const third = callback()
    expect(third).not.toEqual(second)
    expect((await notify(third.url, third.bearerToken)).status).toBe(200)
    expect(await show(id)).toMatchObject({ notifiedBy: "webhook" })
  })

  test("gets the subscription with new targets, and removes one whose response was lost", async () => {
    const { connect, must, poll } = await arrange()
    const { id } = await connect()
    vtnNow().subscriptions.push({ id: "lost", clientName: `edp-${id}` }, { id: "other", clientName: "somebody else" })
    await poll()
    expect(vtnNow().subscriptions.map((one) => one["clientName"])).toEqual(["somebody else", `edp-${id}`])
    expect(vtnNow().subscriptions[1]!.id).not.toBe("lost")
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { targets: ["zone-9"] })
    await poll()
    expect(vtnNow().subscriptions[1]).toMatchObject({ targets: ["zone-9"] })
    expect(vtnNow().subscriptions).toHaveLength(2)
  })

  test.each([
    ["is removed", "DELETE", undefined],
    ["goes to another client", "PATCH", { clientId: null }],
    ["wants none", "PATCH", { notifications: "none" }]
  ] as const)("loses the subscription when the connection %s", async (_, method, body) => {
    const { call, connect, poll } = await arrange()
    const { id } = await connect()
    await poll()
    const { bearerToken, url } = callback()
    const { status } = await call(method, `/v1/grid-connections/${id}`, body)
    expect(status).toBeLessThan(300)
    if (body !== undefined && "notifications" in body) await poll()
    expect(vtnNow().subscriptions).toEqual([])
    expect((await notify(url, bearerToken)).status).toBe(404)
  })

  test("that does not take the subscription is polled as before, and the connection says why", async () => {
    const { connect, poll, show } = await arrange()
    const { id } = await connect()
    vtnNow().respond = ({ method, path }) =>
      method === "POST" && path === "/subscriptions"
        ? { status: 400, body: { title: "Bad Request", detail: "The callback does not respond", status: 400 } }
        : undefined
    await poll()
    expect(await show(id)).toMatchObject({
      status: "connected",
      lastError: null,
      notifiedBy: "none",
      notificationError: "/subscriptions answered 400: Bad Request: The callback does not respond"
    })
    vtnNow().respond = () => undefined
    await poll(11 * 60)
    expect(await show(id)).toMatchObject({ notifiedBy: "webhook", notificationError: null })
  })
})

describe("a connection", () => {
  test("without a way to be notified is polled, and says what is missing where that was asked for", async () => {
    const { connect, must, poll, show } = await arrange(inner)
    const { id } = await connect()
    await poll()
    expect(await show(id)).toMatchObject({ status: "connected", notifiedBy: "none", notificationError: null })
    expect(vtnNow().subscriptions).toEqual([])
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { notifications: "webhook" })
    await poll()
    expect((await show(id)).notificationError).toMatch(/EDP_PUBLIC_URL/)
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { notifications: "mqtt" })
    await poll()
    expect((await show(id)).notificationError).toBe("The VTN has no MQTT broker")
  })

  test("to a VTN that knows no notifiers has none, without an error", async () => {
    const { connect, poll, show } = await arrange()
    vtnNow().notifiers = undefined
    const { id } = await connect()
    await poll()
    expect(await show(id)).toMatchObject({ status: "connected", notifiedBy: "none", notificationError: null })
  })
})
