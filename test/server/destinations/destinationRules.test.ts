import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { describeKafka, type KafkaCluster, startKafka } from "../../support/peers/KafkaCluster.ts"
import { TestApp, useTestApp } from "../../support/TestApp.ts"
import { webhookChecks } from "../../support/WebhookChecks.ts"
import { arrangeDestinations } from "./arrangeDestinations.ts"
import { startMailRelay } from "../../support/peers/mailRelay.ts"

/** A gateway for text messages that queues each. */
const startGateway = async () => {
  const forms: Array<Readonly<Record<string, string>>> = []
  const server = createServer(async (request, response) => {
    forms.push(Object.fromEntries(new URLSearchParams(await text(request))))
    response.writeHead(201, { "content-type": "application/json" }).end('{"sid":"SM1","status":"queued"}')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { forms, url: `http://127.0.0.1:${port}`, close: () => void server.close().closeAllConnections() }
}

const app = new TestApp()
let relay: Awaited<ReturnType<typeof startMailRelay>>
let gateway: Awaited<ReturnType<typeof startGateway>>
beforeAll(async () => {
  relay = await startMailRelay({ hideSTARTTLS: true })
  gateway = await startGateway()
  await app.start({
    env: {
      SMTP_URL: `smtp://127.0.0.1:${relay.port}?starttls=optional`,
      SMTP_FROM: "edp@example.com",
      SMS_API_URL: gateway.url,
      SMS_ACCOUNT: "AC1",
      SMS_TOKEN: "for-tests-only",
      SMS_FROM: "+15005550006"
    }
  })
})
afterAll(async () => {
  await app.stop()
  gateway.close()
  await relay.close()
})
beforeEach(() => {
  relay.taken.length = 0
  gateway.forms.length = 0
})

const arrange = () => arrangeDestinations(app)
const eventTypes = ["CUSTOMER_CREATED"]
const kafkaConfig = { brokers: ["kafka-1.example.com:9092"], topic: "events" }
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const url = "http://127.0.0.1:9/"

/** A creation that each type takes, and what it may have besides. */
const taken: Readonly<Record<string, { readonly needs: object; readonly may: object }>> = {
  WEBHOOK: { needs: { url, eventTypes }, may: { secret, headers: { "X-Team": "a" } } },
  EMAIL: { needs: { email: "ada@example.com", eventTypes }, may: {} },
  SMS: { needs: { phoneNumber: "+19165550142", eventTypes }, may: {} },
  KAFKA: { needs: { kafkaConfig, eventTypes }, may: {} },
  MANUFACTURER_COMMAND: {
    needs: { url, manufacturer: "generic" },
    may: { secret, headers: { "X-Team": "a" }, eventTypes: [] }
  }
}
const types = Object.keys(taken)
const anyField: object = {
  url,
  secret,
  headers: { "X-Team": "a" },
  email: "ada@example.com",
  phoneNumber: "+19165550142",
  kafkaConfig,
  manufacturer: "generic"
}

const missing = types.flatMap((type) => Object.keys(taken[type]!.needs).map((field) => [type, field] as const))
const foreign = types.flatMap((type) => {
  const own = Object.keys({ ...taken[type]!.needs, ...taken[type]!.may })
  return Object.keys(anyField)
    .filter((field) => !own.includes(field))
    .map((field) => [type, field] as const)
})

describe("POST /v1/destinations", () => {
  test.each(types)("201 %s with its required fields, and with its optional ones", async (destinationType) => {
    const { call } = await arrange()
    const { may, needs } = taken[destinationType]!
    for (const body of [
      { destinationType, ...needs },
      { destinationType, ...needs, ...may }
    ]) {
      const reply = await call("POST", "/v1/destinations", body)
      expect(reply.status, reply.text).toBe(201)
      expect(reply.body.destinationType).toBe(destinationType)
      expect((await call("DELETE", `/v1/destinations/${reply.body.id}`)).status).toBe(204)
    }
  })

  test.each(missing)("400 VALIDATION_ERROR %s without %s", async (destinationType, field) => {
    const { call } = await arrange()
    const { [field]: _, ...rest } = taken[destinationType]!.needs as Record<string, unknown>
    expectError(await call("POST", "/v1/destinations", { destinationType, ...rest }), 400, "VALIDATION_ERROR", {
      [field]: expect.stringMatching(/^(?:Needed for|Must be at least one event type)/)
    })
  })

  test.each(foreign)("400 VALIDATION_ERROR %s with %s, a field of another type", async (destinationType, field) => {
    const { call, destination } = await arrange()
    const given = { [field]: anyField[field as keyof typeof anyField] }
    const body = { destinationType, ...taken[destinationType]!.needs, ...given }
    const details = { [field]: expect.stringMatching(/^Must be absent: only destinations of type /) }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", details)
    // A read-only field is ignored like any unknown one.
    if (field === "secret" || field === "manufacturer") return
    const { id } = await destination({ eventTypes: undefined, destinationType, ...taken[destinationType]!.needs })
    expectError(await call("PATCH", `/v1/destinations/${id}`, given), 400, "VALIDATION_ERROR", details)
  })

  test("400 VALIDATION_ERROR MANUFACTURER_COMMAND with event types: it receives only commands", async () => {
    const { call } = await arrange()
    const body = { destinationType: "MANUFACTURER_COMMAND", url, manufacturer: "generic", eventTypes }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      eventTypes: expect.stringMatching(/^Must be empty or absent/)
    })
  })

  test("400 VALIDATION_ERROR MANUFACTURER_COMMAND of an unknown manufacturer", async () => {
    const { call } = await arrange()
    const body = { destinationType: "MANUFACTURER_COMMAND", url, manufacturer: "no-such-maker" }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      manufacturer: "Is no manufacturer that the service knows"
    })
  })

  test("400 VALIDATION_ERROR a second MANUFACTURER_COMMAND of a manufacturer, until the first is deleted", async () => {
    const { call } = await arrange()
    const body = { destinationType: "MANUFACTURER_COMMAND", url, manufacturer: "generic" }
    const first = await call("POST", "/v1/destinations", body)
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      manufacturer: expect.any(String)
    })
    expect((await call("POST", "/v1/destinations", { ...body, manufacturer: "simulator" })).status).toBe(201)
    await call("DELETE", `/v1/destinations/${first.body.id}`)
    expect((await call("POST", "/v1/destinations", body)).status).toBe(201)
  })

  test.each(["916-555-0142", "+0165550142", "+191655", "+1 916 555 0142", "+19165550142123456", ""])(
    "400 VALIDATION_ERROR the phone number %j",
    async (phoneNumber) => {
      const { call } = await arrange()
      const body = { destinationType: "SMS", phoneNumber, eventTypes }
      expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
        phoneNumber: expect.stringMatching(/E\.164/)
      })
    }
  )

  test.each([
    "ada",
    "ada@example.com, eve@example.com",
    "ada@example.com\r\nBcc: eve@example.com",
    "<ada@example.com>",
    "a b@example.com"
  ])("400 VALIDATION_ERROR the address %j", async (email) => {
    const { call } = await arrange()
    const body = { destinationType: "EMAIL", email, eventTypes }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", { email: expect.any(String) })
  })

  test.each([
    ["no brokers", { brokers: [] }, "kafkaConfig.brokers"],
    ["too many brokers", { brokers: Array(21).fill("a.example.com:9092") }, "kafkaConfig.brokers"],
    ["a broker without a port", { brokers: ["a.example.com"] }, "kafkaConfig.brokers.0"],
    ["a broker with an invalid port", { brokers: ["a.example.com:65536"] }, "kafkaConfig.brokers.0"],
    ["an address of a page for a broker", { brokers: ["http://a.example.com:9092"] }, "kafkaConfig.brokers.0"],
    ["a topic with a blank", { topic: "my events" }, "kafkaConfig.topic"],
    ["the topic ..", { topic: ".." }, "kafkaConfig.topic"],
    ["another login", { sasl: { mechanism: "gssapi", username: "a", password: "b" } }, "kafkaConfig.sasl.mechanism"],
    ["a login without a password", { sasl: { mechanism: "plain", username: "a" } }, "kafkaConfig.sasl.password"],
    [
      "the mask for a password",
      { sasl: { mechanism: "plain", username: "a", password: "********" } },
      "kafkaConfig.sasl.password"
    ]
  ])("400 VALIDATION_ERROR a cluster with %s", async (_, fields, place) => {
    const { call } = await arrange()
    const body = { destinationType: "KAFKA", eventTypes, kafkaConfig: { ...kafkaConfig, ...fields } }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", { [place]: expect.any(String) })
  })
})

describe("a cluster's password", () => {
  const sasl = { mechanism: "scram-sha-512", username: "edp", password: "hunter2" }
  const passwords = (id: string) =>
    app.sql<{ readonly sealed: string | null; readonly config: string }>(
      (sql) =>
        sql`SELECT encode(sealed_password, 'hex') AS sealed, kafka_config::text AS config FROM destinations WHERE id = ${id}`
    )

  test("is never shown, and unchanged when its mask is sent back", async () => {
    const { destination, ok } = await arrange()
    const made = await destination({ destinationType: "KAFKA", kafkaConfig: { ...kafkaConfig, sasl } })
    expect(made.kafkaConfig).toEqual({
      ...kafkaConfig,
      clientId: "edp",
      ssl: true,
      sasl: { ...sasl, password: "********" }
    })
    const [before] = await passwords(made.id)
    const changed = await ok("PATCH", `/v1/destinations/${made.id}`, {
      kafkaConfig: { ...made.kafkaConfig, topic: "others" }
    })
    expect(changed.kafkaConfig).toEqual({ ...made.kafkaConfig, topic: "others" })
    const [after] = await passwords(made.id)
    expect(after!.sealed).toBe(before!.sealed)
    expect(`${after!.config}${after!.sealed}`).not.toContain("hunter2")
    const another = { ...made.kafkaConfig, sasl: { ...sasl, password: "another" } }
    await ok("PATCH", `/v1/destinations/${made.id}`, { kafkaConfig: another })
    const [replaced] = await passwords(made.id)
    expect(replaced!.sealed).not.toBe(before!.sealed)
  })

  test("is deleted with the login", async () => {
    const { destination, ok } = await arrange()
    const { id } = await destination({ destinationType: "KAFKA", kafkaConfig: { ...kafkaConfig, sasl } })
    expect((await ok("PATCH", `/v1/destinations/${id}`, { kafkaConfig })).kafkaConfig.sasl).not.toBeNull()
    const without = { kafkaConfig: { sasl: null } }
    expect((await ok("PATCH", `/v1/destinations/${id}`, without)).kafkaConfig.sasl).toBeNull()
    expect((await passwords(id))[0]!.sealed).toBeNull()
  })
})

describe("events from the outbox to the feed", () => {
  test("arrive by e-mail", async () => {
    const { customer, deliveries, deliverUntil, destination, workspaceId } = await arrange()
    const { id } = await destination({ destinationType: "EMAIL", email: "ada@example.com", label: "On call" })
    await customer({ firstName: "Grace", lastName: "Hopper" })
    await deliverUntil("it is recorded", async () => (await deliveries(id))[0]?.status === "succeeded")
    const [{ from, mail, to }] = relay.taken as [(typeof relay.taken)[number]]
    expect([from, to, mail.subject]).toEqual(["edp@example.com", ["ada@example.com"], "Customer created: Grace Hopper"])
    expect(mail.text).toContain(`Workspace: ${workspaceId}`)
    expect((await deliveries(id))[0].attempts).toMatchObject([{ statusCode: 250, error: null }])
  })

  test("arrive by text message", async () => {
    const { customer, deliveries, deliverUntil, destination } = await arrange()
    const { id } = await destination({ destinationType: "SMS", phoneNumber: "+19165550142" })
    await customer({ firstName: "Grace" })
    await deliverUntil("it is recorded", async () => (await deliveries(id))[0]?.status === "succeeded")
    expect(gateway.forms).toEqual([
      { To: "+19165550142", From: "+15005550006", Body: expect.stringMatching(/^Customer created: Grace \(.* UTC\)$/) }
    ])
  })

  test("arrive at a manufacturer, for a sample command", async () => {
    const { destination, ok } = await arrange()
    const commands = await startGateway()
    const made = await destination({
      destinationType: "MANUFACTURER_COMMAND",
      url: commands.url,
      manufacturer: "generic",
      eventTypes: []
    })
    expect(made.secret).toMatch(/^whsec_/)
    expect(await ok("POST", `/v1/destinations/${made.id}/test`)).toMatchObject({ succeeded: true, statusCode: 201 })
    expect(Object.keys(commands.forms[0]!)[0]).toContain('"command":{')
    commands.close()
  })
})

describeKafka("events from the outbox to a topic", () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await startKafka()
  })
  afterAll(() => cluster.stop())

  test("are in order for each subject, which is the key", async () => {
    const { customer, deliveries, deliverUntil, destination, ok } = await arrange()
    const { id } = await destination({
      destinationType: "KAFKA",
      eventTypes: ["CUSTOMER_CREATED", "CUSTOMER_UPDATED"],
      kafkaConfig: { brokers: cluster.brokers, topic: "customers", ssl: false }
    })
    const made = await Promise.all([customer(), customer(), customer()])
    for (const name of ["A", "B"]) {
      for (const { id: each } of made) await ok("PATCH", `/v1/customers/${each}`, { firstName: name })
    }
    const succeeded = async () => (await deliveries(id)).filter(({ status }) => status === "succeeded").length
    await deliverUntil("all are recorded", async () => (await succeeded()) === 9)
    const messages = await cluster.messages("customers")
    expect(messages).toHaveLength(9)
    const checks = webhookChecks()
    for (const { payload } of messages) checks.check(payload)
    checks.end()
    for (const { id: each } of made) {
      const mine = messages.filter(({ key }) => key === each)
      expect(new Set(mine.map(({ partition }) => partition)).size).toBe(1)
      expect(mine.map(({ payload }) => JSON.parse(payload).data.customer.firstName)).toEqual([null, "A", "B"])
      expect(mine.map(({ headers }) => headers["event-id"])).toEqual(mine.map(({ payload }) => JSON.parse(payload).id))
    }
  })
})

describe("if private addresses are not allowed", () => {
  const guarded = useTestApp({ env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "false" } })
  test.each([
    "127.0.0.1:9092",
    "[::1]:9092",
    "[::ffff:7f00:1]:9092",
    "169.254.169.254:80",
    "10.0.0.8:9092",
    "localhost:9092",
    "kafka:9092"
  ])("400 VALIDATION_ERROR the broker %s", async (broker) => {
    const { call } = await arrangeDestinations(guarded)
    const body = {
      destinationType: "KAFKA",
      eventTypes,
      kafkaConfig: { topic: "a", brokers: ["192.0.2.1.example:1", broker] }
    }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      "kafkaConfig.brokers.1": expect.stringMatching(/^Must (?:not|be a public)/)
    })
  })

  test.each([
    ["EMAIL", { email: "ada@example.com" }, "This server sends no mails: its operator has not set SMTP_URL"],
    ["SMS", { phoneNumber: "+19165550142" }, "This server sends no text messages: its operator has not set SMS_API_URL"]
  ])(
    "400 VALIDATION_ERROR %s where the operator has set nothing up for it",
    async (destinationType, fields, sentence) => {
      const { call } = await arrangeDestinations(guarded)
      const body = { destinationType, eventTypes, ...fields }
      expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", { destinationType: sentence })
    }
  )
})
