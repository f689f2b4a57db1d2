import { BrokerPublisher } from "@edp/server/vtn/notifications/BrokerPublisher"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { freePort } from "../../../support/freePort.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../../support/peers/MosquittoBroker.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { checkNotification } from "../openAdrDocument.ts"
import { makeVtn, type VtnClient } from "../VtnWorld.ts"

const port = await freePort()
const app = useTestApp({
  own: true,
  env: {
    EDP_OPENADR_MQTT_URL: `mqtt://edp:broker-secret@127.0.0.1:${port}`,
    EDP_OPENADR_MQTT_PUBLIC_URL: "mqtts://broker.example.com:8883"
  }
})
const anonymous = useTestApp({
  env: { EDP_OPENADR_MQTT_URL: `mqtt://127.0.0.1:${port}`, EDP_OPENADR_MQTT_AUTHENTICATION: "anonymous" }
})
const without = useTestApp()

const publishDue = () => app.run(Effect.flatMap(BrokerPublisher, ({ publishDue: publish }) => publish) as never)
const waiting = async () => {
  const rows = await app.sql<{ n: number }>((sql) => sql`SELECT count(*)::int AS n FROM vtn_broker_messages`)
  return rows[0]!.n
}

/** The lines of the access control list that docs/openadr-vtn.md gives. */
const acl = ["user edp", "topic readwrite openadr/#", "", "pattern read openadr/+/clients/%u/#"]

describeMosquitto("the MQTT notifier", () => {
  let broker: MosquittoBroker
  beforeAll(async () => {
    broker = await startMosquitto({ port, users: { edp: "broker-secret" }, acl })
  })
  beforeEach(() => app.sql((sql) => sql`DELETE FROM vtn_broker_messages RETURNING 1`))
  afterAll(() => broker.close())

  /** The topics and notifications that a client of the broker receives of a filter, each checked against the official document. */
  const receive = async (filter: string, user?: { readonly name: string; readonly password: string }) => {
    const { end, lines } = await broker.receive(filter, user)
    const messages = () =>
      lines().map((line) => {
        const at = line.indexOf(" ")
        const body = JSON.parse(line.slice(at + 1))
        checkNotification(body)
        return { topic: line.slice(0, at), body }
      })
    return { end, messages }
  }

  const findTopics = async (client: VtnClient, path: string) =>
    (await client.ok("GET", `/notifiers/mqtt/topics/${path}`)).topics

  test("is named with how clients log in", async () => {
    const { bl, newVen } = await makeVtn(app)
    const expected = {
      WEBHOOK: true,
      MQTT: {
        URIS: ["mqtts://broker.example.com:8883"],
        serialization: "JSON",
        authentication: { method: "OAUTH2_BEARER_TOKEN", username: "{clientID}" }
      }
    }
    expect(await bl.ok("GET", "/notifiers")).toEqual(expected)
    expect(await (await newVen()).ok("GET", "/notifiers")).toEqual(expected)
    const { bl: other } = await makeVtn(anonymous as TestApp)
    expect((await other.ok("GET", "/notifiers")).MQTT).toEqual({
      URIS: [`mqtt://127.0.0.1:${port}`],
      serialization: "JSON",
      authentication: { method: "ANONYMOUS" }
    })
    const { bl: last } = await makeVtn(without)
    expect(await last.ok("GET", "/notifiers")).toEqual({ WEBHOOK: true })
    expect((await last.call("GET", "/notifiers/mqtt/topics/events")).status).toBe(404)
  })

  test("gives business logic the topics of all objects, and a VEN those of what it sees", async () => {
    const { bl, enrolled, makeProgram, newVen, workspaceId } = await makeVtn(app)
    const [one, other] = [await enrolled(), await enrolled()]
    const program = await makeProgram()
    const all = `openadr/${workspaceId}/bl`
    const own = `openadr/${workspaceId}/clients/${one.clientId}`
    const topics = (base: string) => ({
      CREATE: `${base}/create`,
      UPDATE: `${base}/update`,
      DELETE: `${base}/delete`,
      ALL: `${base}/+`
    })
    const oneObject = (base: string) => {
      const { ALL, DELETE, UPDATE } = topics(base)
      return { UPDATE, DELETE, ALL }
    }
    const paths = [
      ["programs", topics(`${all}/programs/+`), topics(`${own}/programs/+`)],
      [
        `programs/${program.id}`,
        oneObject(`${all}/programs/${program.id}`),
        oneObject(`${own}/programs/${program.id}`)
      ],
      ["events", topics(`${all}/events/+`), 403],
      [`programs/${program.id}/events`, topics(`${all}/events/${program.id}`), topics(`${own}/events/${program.id}`)],
      ["reports", topics(`${all}/reports`), 403],
      ["subscriptions", topics(`${all}/subscriptions`), 403],
      ["vens", topics(`${all}/vens/+`), 403],
      [`vens/${one.ven.id}`, oneObject(`${all}/vens/${one.ven.id}`), oneObject(`${own}/vens/${one.ven.id}`)],
      ["resources", topics(`${all}/resources/+`), 403],
      [`vens/${one.ven.id}/events`, topics(`${own}/events/+`), topics(`${own}/events/+`)],
      [`vens/${one.ven.id}/programs`, topics(`${own}/programs/+`), topics(`${own}/programs/+`)],
      [
        `vens/${one.ven.id}/resources`,
        topics(`${all}/resources/${one.ven.id}`),
        topics(`${own}/resources/${one.ven.id}`)
      ]
    ] as const
    for (const [path, ofBusinessLogic, ofVen] of paths) {
      expect(await findTopics(bl, path), path).toEqual(ofBusinessLogic)
      const { body, status } = await one.call("GET", `/notifiers/mqtt/topics/${path}`)
      if (typeof ofVen === "number") expect(status, path).toBe(ofVen)
      else expect(body.topics, path).toEqual(ofVen)
    }
    expect((await other.call("GET", `/notifiers/mqtt/topics/vens/${one.ven.id}/events`)).status).toBe(404)
    expect((await (await newVen()).call("GET", "/notifiers/mqtt/topics/programs")).status).toBe(404)
    const hidden = await makeProgram({ targets: ["feeder-7"] })
    expect((await one.call("GET", `/notifiers/mqtt/topics/programs/${hidden.id}/events`)).status).toBe(404)
    expect((await bl.call("GET", "/notifiers/mqtt/topics/elsewhere")).status).toBe(404)
  })

  test("publishes each change to business logic, and to each VEN what it sees of it", async () => {
    const { bl, enrolled, makeEvent, makeProgram, workspaceId } = await makeVtn(app)
    const near = await enrolled(["feeder-7"])
    const far = await enrolled(["feeder-9"])
    await publishDue()
    await broker.setPassword(near.clientId, near.token)
    await broker.setPassword(far.clientId, far.token)
    const all = await receive(`openadr/${workspaceId}/bl/#`)
    const nearly = await receive("#", { name: near.clientId, password: near.token })
    const farther = await receive("#", { name: far.clientId, password: far.token })

    const program = await makeProgram()
    const event = await makeEvent({ programID: program.id, targets: ["feeder-7", "feeder-8"], eventName: "tonight" })
    await bl.ok("PUT", `/events/${event.id}`, { ...event, eventName: "tomorrow" })
    await near.ok("POST", "/reports", { eventID: event.id, clientName: "near", resources: [] })
    await bl.ok("DELETE", `/events/${event.id}`)
    expect(await publishDue()).toBe(5 + 5 + 1)

    const summary = ({ messages }: typeof all) =>
      messages().map(({ body, topic }) => [topic.replace(`openadr/${workspaceId}/`, ""), body.operation])
    const ofEvents = `events/${program.id}`
    await eventually("5 messages", () => summary(all)[4])
    expect(summary(all)).toEqual([
      [`bl/programs/${program.id}/create`, "CREATE"],
      [`bl/${ofEvents}/create`, "CREATE"],
      [`bl/${ofEvents}/update`, "UPDATE"],
      ["bl/reports/create", "CREATE"],
      [`bl/${ofEvents}/delete`, "DELETE"]
    ])
    expect(all.messages()[1]!.body.object).toEqual(event)
    await eventually("5 messages", () => summary(nearly)[4])
    expect(summary(nearly).map(([topic]) => topic)).toEqual(
      summary(all).map(([topic]) => topic!.replace("bl/", `clients/${near.clientId}/`))
    )
    expect(nearly.messages()[1]!.body).toMatchObject({ targets: ["feeder-7"], object: { targets: ["feeder-7"] } })
    await eventually("1 messages", () => summary(farther)[0])
    expect(summary(farther)).toEqual([[`clients/${far.clientId}/programs/${program.id}/create`, "CREATE"]])
    for (const { end } of [all, nearly, farther]) end()
  })

  test("keeps what changes while the broker is away, and publishes it in order afterwards", async () => {
    const { bl, makeProgram, workspaceId } = await makeVtn(app)
    const program = await makeProgram()
    await publishDue()
    await broker.stop()
    for (const programName of ["first", "second", "third"]) {
      await bl.ok("PUT", `/programs/${program.id}`, { programName })
    }
    const before = await waiting()
    expect(await publishDue()).toBe(0)
    expect(await waiting()).toBe(before)
    expect(await publishDue()).toBe(0)
    const [work] = await app.sql<{ failures: number; isPutOff: boolean }>(
      (sql) => sql`SELECT failures, due_at > now() AS "isPutOff" FROM vtn_broker_work`
    )
    expect(work).toEqual({ failures: 1, isPutOff: true })
    await broker.start()
    const all = await receive(`openadr/${workspaceId}/bl/#`)
    await app.sql((sql) => sql`UPDATE vtn_broker_work SET due_at = now() RETURNING 1`)
    expect(await publishDue()).toBe(before)
    await eventually("3 messages", () => all.messages()[2])
    expect(all.messages().map(({ body }) => body.object.programName)).toEqual(["first", "second", "third"])
    all.end()
    expect(await waiting()).toBe(0)
  })

  test("drops what has waited for a broker for a day", async () => {
    const { makeProgram } = await makeVtn(app)
    await makeProgram()
    await app.sql((sql) => sql`UPDATE vtn_broker_messages SET created_at = now() - interval '25 hours' RETURNING 1`)
    await makeProgram()
    await broker.stop()
    await app.sql((sql) => sql`UPDATE vtn_broker_work SET due_at = now() RETURNING 1`)
    expect(await publishDue()).toBe(0)
    expect(await waiting()).toBe(1)
    await broker.start()
  })

  test("writes nothing for a broker that is not configured", async () => {
    const { makeProgram } = await makeVtn(without)
    await makeProgram()
    const rows = await without.sql((sql) => sql`SELECT 1 FROM vtn_broker_messages`)
    expect(rows).toEqual([])
  })
})
