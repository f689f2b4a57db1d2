import { GridBrokerRunner } from "@edp/server/grid/notifications/GridBrokerRunner"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "../arrangeGrid.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock, env: { EDP_PUBLIC_URL: "http://edp.example.com" } })
const vtnNow = useFakeVtn()

describeMosquitto("a VTN that notifies by MQTT", () => {
  let open: MosquittoBroker
  let closed: MosquittoBroker
  beforeAll(async () => {
    open = await startMosquitto()
    closed = await startMosquitto({
      users: { vtn: "secret" },
      acl: ["user vtn", "topic readwrite #", "", "user ven-42", "topic read vens/+/events/#"]
    })
  })
  afterAll(async () => {
    await open.close()
    await closed.close()
  })

  const arrange = async (port: number, authentication: object) => {
    const world = await arrangeGrid(app, clock, vtnNow())
    vtnNow().notifiers = {
      WEBHOOK: true,
      MQTT: { URIS: [`mqtt://127.0.0.1:${port}`], serialization: "JSON", authentication }
    }
    const operations = (base: string) => ({
      CREATE: `${base}/create`,
      UPDATE: `${base}/update`,
      DELETE: `${base}/delete`
    })
    const own = { programs: { ...operations("programs"), ALL: "programs/+" } }
    vtnNow().topics = own
    const { id } = await world.connect({ pollSeconds: 3600 })
    // The first poll creates the ven, whose topics are asked for at once.
    vtnNow().respond = ({ path }) =>
      /^\/notifiers\/mqtt\/topics\/vens\/[\w-]+\/events$/u.test(path)
        ? { status: 200, body: { topics: operations(`vens/${path.split("/")[5]}/events`) } }
        : undefined
    await world.poll()
    const show = () => world.must(200, "GET", `/v1/grid-connections/${id}`)
    const polledSoon = async () => {
      const [row] = await app.sql<{ readonly wait: number }>(
        (sql) => sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
      )
      return row!.wait < 5 ? true : undefined
    }
    const run = () => app.run(Effect.flatMap(GridBrokerRunner, ({ step }) => step))
    const ven = () => vtnNow().vens[0]!.id
    return { ...world, id, show, polledSoon, run, ven }
  }

  const connected = (show: () => Promise<any>) =>
    eventually("the connection to the broker", async () => ((await show()).notifiedBy === "mqtt" ? true : undefined))

  test("makes the connection due by a message, whatever it says", async () => {
    const { polledSoon, poll, run, show, ven } = await arrange(open.port, { method: "ANONYMOUS" })
    expect(await show()).toMatchObject({ notifiedBy: "none", notificationError: null })
    await run()
    await connected(show)
    await eventually("the poll after the connection", polledSoon)
    await poll()
    expect(await polledSoon()).toBeUndefined()
    await open.publish(`vens/${ven()}/events/create`, "no JSON")
    await eventually("the poll after the message", polledSoon)
    expect((await show()).lastNotifiedAt).not.toBeNull()
    await poll()
    await open.publish("programs/update", "{}")
    await eventually("the poll after the other message", polledSoon)
  })

  test("gets a token of the VTN as the password, and topics that its broker refuses are left out", async () => {
    const authentication = { method: "OAUTH2_BEARER_TOKEN", username: "{clientID}" }
    await closed.setPassword("ven-42", `token-${vtnNow().tokens + 1}`)
    const { polledSoon, poll, run, show, ven } = await arrange(closed.port, authentication)
    await closed.setPassword("ven-42", `token-${vtnNow().tokens}`)
    await run()
    await connected(show)
    await poll()
    await closed.publish(`vens/${ven()}/events/delete`, "{}")
    await eventually("the poll after the message", polledSoon)
  })

  test("is polled as before while its broker is away, and the connection says so", async () => {
    const { must, id, run, show } = await arrange(open.port, { method: "ANONYMOUS" })
    await open.stop()
    await run()
    await eventually("the error", async () => (await show()).notificationError ?? undefined)
    expect(await show()).toMatchObject({ status: "connected", notifiedBy: "none" })
    expect((await show()).notificationError).toMatch(/^The VTN's MQTT broker: /)
    await open.start()
    await app.sql((sql) => sql`UPDATE grid_notifications SET due_at = now() RETURNING 1`)
    await run()
    await connected(show)
    expect((await show()).notificationError).toBeNull()
    // A connection that wants none no longer has its broker.
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { enabled: false })
    expect(await show()).toMatchObject({ notifiedBy: "none" })
  })

  test.each([
    ["authentication by certificates", { authentication: { method: "CERTIFICATE" } }, /CERTIFICATE/],
    ["another form of messages", { serialization: "CBOR" }, /CBOR/],
    ["no address of MQTT", { URIS: ["amqps://broker.example.com"] }, /mqtts/]
  ])("with %s is not connected to", async (_, more, sentence) => {
    const world = await arrangeGrid(app, clock, vtnNow())
    const MQTT = {
      URIS: ["mqtts://broker.example.com"],
      serialization: "JSON",
      authentication: { method: "ANONYMOUS" },
      ...more
    }
    vtnNow().notifiers = { WEBHOOK: true, MQTT }
    const { id } = await world.connect({ notifications: "mqtt" })
    await world.poll()
    expect((await world.must(200, "GET", `/v1/grid-connections/${id}`)).notificationError).toMatch(sentence)
  })
})
