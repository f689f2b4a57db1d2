import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt, readStatus } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type OtlpSink, startOtlpSink } from "../support/peers/otlpSink.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { listProcesses } from "../support/processes.ts"
import { type RedisServer, startRedis } from "../support/peers/RedisServer.ts"
import { signInHeadless, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { startMailRelay } from "../support/peers/mailRelay.ts"
import { nominatimPlaces } from "../support/peers/geocoderResponses.ts"
import { forecast } from "../support/peers/forecasts.ts"
import { knownSettings } from "./wrongSettings.ts"
import { atOnce } from "../support/races.ts"

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
const day = 86_400_000
const newEncryptionKey = () => randomBytes(32).toString("base64")

/** The first two by test/e2e/readReplica.test.ts, which has a replica. */
const tried = new Set(["DATABASE_READ_URL", "EDP_READ_LAG"])

/** A test of settings that the server was started with, each at a value other than its default. */
const shows = (names: ReadonlyArray<string>, effect: string, check: () => Promise<void>) => {
  for (const name of names) tried.add(name)
  test(`${names.join(", ")}: ${effect}`, check)
}

/** Records what MQTT clients send, and never responds. */
const startDeafBroker = async () => {
  let received = ""
  const server = createTcpServer((socket) => {
    socket.on("data", (bytes) => (received += bytes.toString("latin1"))).on("error", () => undefined)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    close: () => new Promise<void>((closed) => server.close(() => closed()))
  }
}

/** An external HTTP service that records its requests and always responds with the same. */
const startVendor = async (reply: object) => {
  const asked: Array<{ readonly path: string; readonly authorization: string | undefined; readonly body: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      asked.push({ path: request.url!, authorization: request.headers.authorization, body })
      response.setHeader("content-type", "application/json").end(JSON.stringify(reply))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}

const documentedSettings = () => {
  const text = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
  const rows = text.split("\n## ")[1]!.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)
  return [...rows].flatMap(([, names]) => names!.replaceAll("`", "").split(", "))
}

/** The example in the documentation of templates. */
const documentedTemplate = () => {
  const text = readFileSync(new URL("../../docs/local-devices.md", import.meta.url), "utf8")
  return /```json\n(.*?)\n```/su.exec(text)![1]!
}

type Call = (method: string, path: string, body?: object) => Promise<{ readonly status: number; readonly body: any }>

/** A battery of the manufacturer `generic`, which takes commands. */
const provisionBattery = async (call: Call) => {
  const [model] = (await call("GET", "/v1/device-models?manufacturer=generic&type=battery")).body.data
  const site = await call("POST", "/v1/sites", { address: { ...address, streetOne: "3 Capitol Mall" } })
  const { body } = await call("POST", "/devices", {
    manufacturerDeviceId: "battery-1",
    deviceModelId: model.id,
    siteId: site.body.id
  })
  return body.id as string
}

/** Whether the API itself responds, with data of the database. */
const apiResponses = async (baseUrl: string, key: string) => {
  const { status, body } = await callAt(baseUrl, "GET", "/v1/manufacturers", { key })
  return status === 200 && body.totalItems > 3
}

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-settings")
})
afterAll(() => folder.remove())

describe("a server on the embedded database with every setting at a value other than its default", () => {
  const managementKey = generateKey("MANAGEMENT", randomBytes)
  let geocoder: Awaited<ReturnType<typeof startVendor>>
  let weather: Awaited<ReturnType<typeof startVendor>>
  let receiver: Awaited<ReturnType<typeof startVendor>>
  let gateway: Awaited<ReturnType<typeof startVendor>>
  let relay: Awaited<ReturnType<typeof startMailRelay>>
  let broker: Awaited<ReturnType<typeof startDeafBroker>>
  let sink: OtlpSink
  let settings: Readonly<Record<string, string>>
  let server: SpawnedServer
  let metricsPort: number
  const keys: Record<string, string> = {}

  const call = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
    callAt(server.baseUrl, method, path, {
      key: path.startsWith("/devices") ? keys.MANUFACTURER! : keys.SERVER!,
      headers,
      ...(body !== undefined && { body })
    })
  const destination = async (fields: object) => {
    const made = await call("POST", "/v1/destinations", { eventTypes: ["CUSTOMER_CREATED"], ...fields })
    expect(made.status, made.text).toBe(201)
    return made.body.id as string
  }
  const customer = (firstName: string) => call("POST", "/v1/customers", { firstName })

  /** Checks that one of several events is sent at once and the others wait for the next hour, while a webhook gets all of them. */
  const oneAnHour = async (fields: object, taken: () => number) => {
    const id = await destination(fields)
    const other = await destination({ destinationType: "WEBHOOK", url: `${receiver.url}/${id}` })
    const names = ["First", "Second", "Third"]
    for (const [index, name] of names.entries()) {
      await customer(name)
      await eventually(`the webhook is told of ${name}`, () =>
        receiver.asked.filter(({ path }) => path.endsWith(id)).length > index ? true : undefined
      )
      await eventually("the first message is out", () => (taken() > 0 ? true : undefined))
    }
    const deliveries = (await call("GET", `/v1/destinations/${id}/deliveries`)).body.data as ReadonlyArray<any>
    const outcome = deliveries.map(({ attempts, status }) => `${status} after ${attempts.length}`)
    expect(outcome.toSorted()).toEqual(["pending after 0", "pending after 0", "succeeded after 1"])
    expect(taken()).toBe(1)
    for (const each of [id, other]) await call("DELETE", `/v1/destinations/${each}`)
  }

  beforeAll(async () => {
    geocoder = await startVendor(nominatimPlaces)
    weather = await startVendor(forecast)
    receiver = await startVendor({})
    gateway = await startVendor({ sid: "SM1", status: "queued" })
    relay = await startMailRelay({ hideSTARTTLS: true })
    broker = await startDeafBroker()
    sink = await startOtlpSink()
    metricsPort = await freePort()
    const templates = join(folder.path, "templates")
    mkdirSync(templates)
    writeFileSync(join(templates, "acme-battery.json"), documentedTemplate())
    settings = {
      EDP_HOST: "0.0.0.0",
      EDP_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      EDP_ENCRYPTION_KEY: newEncryptionKey(),
      EDP_RATE_LIMIT_READ: "500001",
      EDP_RATE_LIMIT_WRITE: "500002",
      EDP_RATE_LIMIT_BULK: "500003",
      EDP_RATE_LIMIT_AUTH_FAILURES: "3",
      EDP_TRUSTED_PROXIES: "127.0.0.1",
      EDP_CORS_ORIGINS: "https://app.example.com",
      EDP_METRICS_PORT: `${metricsPort}`,
      EDP_TELEMETRY_RETENTION: "30 days",
      EDP_SHARED_CATALOGUE_WRITES: "none",
      EDP_UNREAD_ANSWERS: "16",
      EDP_UNREAD_TIMEOUT: "3",
      EDP_DESTINATIONS_PER_WORKSPACE: "3",
      EDP_COMMAND_TIMEOUT: "2 hours",
      EDP_PUBLIC_URL: "https://edp.example.com",
      EDP_CONNECT_SESSION_TTL: "2 hours",
      EDP_SCOPED_KEY_TTL: "90 days",
      EDP_ADAPTERS: fileURLToPath(new URL("../../packages/adapters/blueprint", import.meta.url)),
      EDP_BLUEPRINT_API_URL: "https://api.acme.example.com",
      EDP_TEMPLATES_DIR: templates,
      EDP_DEVICE_NETWORKS: "public",
      EDP_DEVICE_RESPONSE_TIME: "1 second",
      GEOCODER: geocoder.url,
      WEATHER_URL: weather.url,
      SMTP_URL: `smtp://127.0.0.1:${relay.port}?starttls=optional`,
      SMTP_FROM: "Energy Platform <alerts@example.com>",
      EDP_EMAIL_HOURLY: "1",
      SMS_API_URL: gateway.url,
      SMS_ACCOUNT: "AC0123",
      SMS_TOKEN: "for-tests-only",
      SMS_FROM: "+19165550100",
      EDP_SMS_HOURLY: "1",
      EDP_OPENADR_MQTT_URL: `mqtt://edp-publisher:for-tests-only@127.0.0.1:${broker.port}`,
      EDP_OPENADR_MQTT_PUBLIC_URL: "mqtts://broker.example.com",
      EDP_OPENADR_MQTT_AUTHENTICATION: "anonymous",
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_TRACES_SAMPLER_ARG: "1",
      EDP_LOG: "pretty",
      EDP_LOG_LEVEL: "debug",
      NODE_COMPILE_CACHE: join(folder.path, "compiled")
    }
    server = await spawnServer({ dataDir: join(folder.path, "elsewhere"), env: settings })
    const make = async (type: string, fields: object = {}) => {
      const body = { name: type, type, ...fields }
      const made = await callAt(server.baseUrl, "POST", "/v1/api-keys", { key: managementKey, body })
      expect(made.status, made.text).toBe(201)
      keys[type] = made.body.key
    }
    await make("SERVER")
    await make("MANUFACTURER", { manufacturerScope: ["generic"] })
  })
  afterAll(async () => {
    await server.stop()
    await Promise.all([geocoder, weather, receiver, gateway, relay, broker, sink].map((one) => one.close()))
  })

  shows(["PORT", "EDP_HOST"], "the API listens there", async () => {
    expect(server.port).not.toBe(3000)
    expect(await apiResponses(server.baseUrl, keys.SERVER!)).toBe(true)
    expect(await apiResponses(`http://127.0.0.2:${server.port}`, keys.SERVER!)).toBe(true)
  })

  shows(
    ["EDP_METRICS_PORT"],
    "Prometheus finds metrics there and nothing else, and the API stays where it is",
    async () => {
      const metrics = await callAt(`http://127.0.0.1:${metricsPort}`, "GET", "/metrics")
      expect([metrics.status, metrics.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/plain/)
      ])
      expect(metrics.text).toContain("process_resident_memory_bytes")
      for (const path of ["/v1/docs", "/health/live", "/v1/manufacturers", "/"]) {
        expect(await readStatus(`http://127.0.0.1:${metricsPort}${path}`, 5000)).toBe(404)
      }
      expect(await apiResponses(server.baseUrl, keys.SERVER!)).toBe(true)
      expect(await readStatus(`${server.baseUrl}/v1/docs`, 5000)).toBe(200)
      expect((await call("GET", "/metrics")).status).toBe(404)
    }
  )

  shows(
    ["EDP_DATA_DIR", "EDP_BOOTSTRAP_MANAGEMENT_KEY", "EDP_ENCRYPTION_KEY"],
    "no secret is made in the folder",
    async () => {
      expect(existsSync(join(server.dataDir, "pgdata"))).toBe(true)
      expect(readdirSync(server.dataDir)).not.toContain("credentials.json")
      expect(readdirSync(server.dataDir)).not.toContain("encryption.key")
      expect((await callAt(server.baseUrl, "GET", "/v1/api-keys", { key: managementKey })).body.totalItems).toBe(3)
    }
  )

  shows(["EDP_RATE_LIMIT_READ", "EDP_RATE_LIMIT_WRITE", "EDP_RATE_LIMIT_BULK"], "headers show them", async () => {
    const readLimit = async (method: string, path: string, body?: object) =>
      (await call(method, path, body)).headers.get("x-ratelimit-limit")
    expect(await readLimit("GET", "/v1/sites")).toBe("500001")
    expect(await readLimit("POST", "/v1/customers", { firstName: "Ada" })).toBe("500002")
    expect(await readLimit("POST", "/v1/customers/bulk", { customers: [{ firstName: "Ada" }] })).toBe("500003")
  })

  shows(
    ["EDP_RATE_LIMIT_AUTH_FAILURES", "EDP_TRUSTED_PROXIES"],
    "failures count per client behind the proxy",
    async () => {
      const fail = async (client: string) =>
        (await callAt(server.baseUrl, "GET", "/v1/sites", { key: "nobody's", headers: { "X-Forwarded-For": client } }))
          .status
      const statuses = []
      for (let count = 0; count < 8; count++) statuses.push(await fail("192.0.2.1"))
      expect(statuses).toContain(429)
      expect(await fail("192.0.2.2")).toBe(401)
    }
  )

  shows(["EDP_CORS_ORIGINS"], "pages of other origins get no permission", async () => {
    const allowed = async (origin: string) =>
      (await call("GET", "/v1/sites", undefined, { origin })).headers.get("access-control-allow-origin")
    expect(await allowed("https://app.example.com")).toBe("https://app.example.com")
    expect(await allowed("https://other.example.com")).toBeNull()
  })

  shows(["GEOCODER", "WEATHER_URL"], "sites get their location and weather from those services", async () => {
    const site = await call("POST", "/v1/sites", { address })
    expect(site.status, site.text).toBe(201)
    expect(geocoder.asked[0]!.path).toMatch(/^\/search\?/)
    const read = await call("GET", `/v1/sites/${site.body.id}?include=weather`)
    expect(weather.asked[0]!.path).toMatch(/^\/v1\/forecast\?/)
    expect(JSON.stringify(read.body.weather)).toContain(`${forecast.current.cloud_cover}`)
  })

  shows(["EDP_TELEMETRY_RETENTION"], "older readings are refused", async () => {
    const [model] = (await call("GET", "/v1/device-models?manufacturer=generic&type=meter")).body.data
    const site = await call("POST", "/v1/sites", { address: { ...address, streetOne: "2 Capitol Mall" } })
    const device = await call("POST", "/devices", {
      manufacturerDeviceId: "meter-1",
      deviceModelId: model.id,
      siteId: site.body.id
    })
    const push = (ageInDays: number) =>
      call("POST", `/devices/${device.body.id}/telemetry`, {
        timestamp: new Date(Date.now() - ageInDays * day).toISOString(),
        state: { power: 1 }
      })
    expect((await push(29)).status).toBe(200)
    expect((await push(31)).body.code).toBe("VALIDATION_ERROR")
  })

  shows(["EDP_COMMAND_TIMEOUT"], "a command expires so long after its issue", async () => {
    const device = await provisionBattery(call)
    const command = { type: "battery:set-reserve", input: { chargePercentage: 30 } }
    const { body } = await call("POST", `/v1/devices/${device}/commands`, command)
    expect(Date.parse(body.expiresAt) - Date.parse(body.issuedAt)).toBe(2 * 3_600_000)
  })

  shows(["EDP_DESTINATIONS_PER_WORKSPACE"], "a further destination is refused", async () => {
    const webhook = { destinationType: "WEBHOOK", url: receiver.url }
    const ids = [await destination(webhook), await destination(webhook), await destination(webhook)]
    const refused = await call("POST", "/v1/destinations", { eventTypes: ["CUSTOMER_CREATED"], ...webhook })
    expect(refused.body.code).toBe("INVALID_STATE")
    for (const id of ids) expect((await call("DELETE", `/v1/destinations/${id}`)).status).toBe(204)
  })

  shows(
    ["EDP_CONNECT_SESSION_TTL"],
    "links for connecting devices work for that time, at the public address",
    async () => {
      const { body } = await call("POST", "/v1/connections", {})
      expect(body.url).toMatch(/^https:\/\/edp\.example\.com\/connect\/[\w-]{43}$/)
      expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7_200_000)
    }
  )

  shows(["EDP_SCOPED_KEY_TTL"], "the key of a connected user expires", async () => {
    const { body } = await call("POST", "/v1/connections", {
      mode: "headless",
      redirectUrl: "https://example.com/connected",
      manufacturerFilters: { manufacturers: ["simulator"] },
      customerInfo: {
        firstName: "Ada",
        lastName: "Okafor",
        email: "ada@example.com",
        location: { ...address, country: "USA" }
      }
    })
    const end = await signInHeadless(server.baseUrl, body.url)
    expect(end.searchParams.get("service_scoped_token")).toMatch(/^scoped_/)
    const { data } = (await callAt(server.baseUrl, "GET", "/v1/api-keys", { key: managementKey })).body
    const { createdAt, expiresAt } = data.find(({ type }: { type: string }) => type === "SCOPED")
    expect((Date.parse(expiresAt) - Date.parse(createdAt)) / day).toBeCloseTo(90, 2)
  })

  shows(
    ["EDP_DEVICE_NETWORKS", "EDP_DEVICE_RESPONSE_TIME"],
    "no device of this machine's network is dialled, and the page says after the time that there is none",
    async () => {
      const { body } = await call("POST", "/v1/connections", {
        manufacturerFilters: { manufacturers: ["sunspec"] },
        customerInfo: {
          firstName: "Ada",
          lastName: "Okafor",
          email: "ada@example.com",
          location: { ...address, country: "USA" }
        }
      })
      const visit = startVisit(server.baseUrl)
      await visit.open(body.url)
      await visit.post(`${body.url}/consent`, [["granted", "yes"]])
      let dials = 0
      const device = createTcpServer((socket) => {
        dials++
        socket.destroy()
      })
      await new Promise<void>((resolve) => device.listen(0, "127.0.0.1", resolve))
      const { port } = device.address() as AddressInfo
      const { status, text } = await visit.post(`${body.url}/form`, [
        ["host", "127.0.0.1"],
        ["port", `${port}`],
        ["unitId", "1"]
      ])
      device.close()
      expect([status, dials]).toEqual([422, 0])
      expect(text).toContain("No such device could be reached")
    }
  )

  shows(["EDP_ADAPTERS"], "the manufacturer of an adapter from elsewhere can be connected", async () => {
    const { body } = await call("GET", "/v1/manufacturers/blueprint")
    expect(body).toMatchObject({ name: "Acme", deviceTypes: ["battery"], connectable: true })
  })

  shows(["EDP_TEMPLATES_DIR"], "devices of the folder's templates can be connected", async () => {
    const { body } = await call("GET", "/v1/manufacturers/acme")
    expect(body).toMatchObject({ name: "Acme", deviceTypes: ["battery"], connectable: true })
  })

  shows(["EDP_SHARED_CATALOGUE_WRITES"], "nobody changes the shared catalogue", async () => {
    const body = { name: "Renamed" }
    const refused = await callAt(server.baseUrl, "PATCH", "/v1/manufacturers/generic", { key: managementKey, body })
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"])
  })

  shows(
    ["EDP_UNREAD_ANSWERS", "EDP_UNREAD_TIMEOUT"],
    "large responses are refused until an unread one is cut",
    async () => {
      const [model] = (await call("GET", "/v1/device-models?manufacturer=generic&type=meter")).body.data
      for (let number = 10; number < 24; number++) {
        const site = await call("POST", "/v1/sites", { address: { ...address, streetOne: `${number} Capitol Mall` } })
        const device = { manufacturerDeviceId: `meter-${number}`, deviceModelId: model.id, siteId: site.body.id }
        expect((await call("POST", "/devices", device)).status).toBe(201)
      }
      // 9 MB: more than the kernel buffers, and more than half of 16 MiB.
      const path = "/v1/metrics/grid?from=2025-01-01T00:00:00Z&to=2025-07-25T00:00:00Z&period=hour&groupBy=device"
      const socket = connect(server.port, "127.0.0.1").on("error", () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nService-Api-Key: ${keys.SERVER}\r\n\r\n`)
      await once(socket, "readable")
      const refused = await call("GET", path)
      expect([refused.status, refused.body.code]).toEqual([502, "SERVICE_UNAVAILABLE"])
      expect(await apiResponses(server.baseUrl, keys.SERVER!)).toBe(true)
      // The client never reads: only the server can end this.
      await eventually("there is room again", async () => ((await call("GET", path)).status === 200 ? true : undefined))
      socket.destroy()
    }
  )

  shows(
    ["SMTP_URL", "SMTP_FROM", "EDP_PUBLIC_URL", "EDP_EMAIL_HOURLY"],
    "mails use that relay, one an hour",
    async () => {
      await oneAnHour({ destinationType: "EMAIL", email: "ada@example.com" }, () => relay.taken.length)
      const [{ from, mail }] = relay.taken as [(typeof relay.taken)[number]]
      expect(from).toBe("alerts@example.com")
      expect(mail.messageId).toMatch(/@edp\.example\.com>$/)
    }
  )

  shows(
    ["SMS_API_URL", "SMS_ACCOUNT", "SMS_TOKEN", "SMS_FROM", "EDP_SMS_HOURLY"],
    "text messages use that gateway, one an hour",
    async () => {
      await oneAnHour({ destinationType: "SMS", phoneNumber: "+19165550142" }, () => gateway.asked.length)
      const [{ authorization, body, path }] = gateway.asked as [(typeof gateway.asked)[number]]
      expect(path).toContain("/Accounts/AC0123/")
      expect(authorization).toBe(`Basic ${Buffer.from("AC0123:for-tests-only").toString("base64")}`)
      expect(new URLSearchParams(body).get("From")).toBe("+19165550100")
    }
  )

  shows(["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER_ARG"], "every request is traced there", async () => {
    const before = new Set(sink.spans().map(({ traceId }) => traceId))
    const count = 20
    for (let read = 0; read < count; read++) await call("GET", "/v1/tags")
    const isRead = (attributes: Readonly<Record<string, unknown>>) =>
      Object.values(attributes).some((value) => value === "/v1/tags")
    await eventually("each request is a trace", () => {
      const traces = sink.spans().filter(({ attributes, traceId }) => !before.has(traceId) && isRead(attributes))
      return new Set(traces.map(({ traceId }) => traceId)).size >= count ? true : undefined
    })
  })

  shows(["EDP_LOG_LEVEL"], "polls of the health are in the log", async () => {
    await callAt(server.baseUrl, "GET", "/health/live")
    await eventually("the poll is in the log", () =>
      / DEBUG 200 GET \/health\/live /.test(server.stdout()) ? true : undefined
    )
  })

  shows(["EDP_LOG"], "lines are human-readable", async () => {
    const requests = await eventually("requests are in the log", () => {
      const lines = server
        .stdout()
        .split("\n")
        .filter((line) => line.includes("/v1/tags"))
      return lines.length > 0 ? lines : undefined
    })
    expect(requests.filter((line) => line.startsWith("{"))).toEqual([])
  })

  shows(
    ["NODE_COMPILE_CACHE", "EDP_ENCRYPTION_KEY_PREVIOUS"],
    "a later start uses another folder and another key",
    async () => {
      const id = await destination({ destinationType: "WEBHOOK", url: "http://127.0.0.1:9/" })
      const { secret } = (await call("GET", `/v1/destinations/${id}`)).body
      expect(await server.stop()).toBe(0)
      expect(readdirSync(settings.NODE_COMPILE_CACHE!)).not.toEqual([])
      const { EDP_ENCRYPTION_KEY: previous = "" } = settings
      const env = { ...settings, EDP_ENCRYPTION_KEY: newEncryptionKey(), EDP_ENCRYPTION_KEY_PREVIOUS: previous }
      server = await spawnServer({ dataDir: server.dataDir, env })
      expect(await apiResponses(server.baseUrl, keys.SERVER!)).toBe(true)
      expect((await call("GET", `/v1/destinations/${id}`)).body.secret).toBe(secret)
    }
  )

  shows(
    ["EDP_OPENADR_MQTT_URL", "EDP_OPENADR_MQTT_PUBLIC_URL", "EDP_OPENADR_MQTT_AUTHENTICATION"],
    "the OpenADR server names that broker, and logs in to it to publish",
    async () => {
      const { body: client } = await callAt(server.baseUrl, "POST", "/v1/api-keys", {
        key: managementKey,
        body: { name: "Business logic", type: "OPENADR_BL" }
      })
      const base = `${server.baseUrl}/openadr3/3.1.0`
      const form = { grant_type: "client_credentials", client_id: client.id, client_secret: client.key }
      const issued = await fetch(`${base}/auth/token`, { method: "POST", body: new URLSearchParams(form) })
      const { access_token: token } = (await issued.json()) as { readonly access_token: string }
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const { MQTT } = (await (await fetch(`${base}/notifiers`, { headers })).json()) as { readonly MQTT: object }
      expect(MQTT).toMatchObject({
        URIS: ["mqtts://broker.example.com:8883"],
        authentication: { method: "ANONYMOUS" }
      })
      await fetch(`${base}/programs`, { method: "POST", headers, body: JSON.stringify({ programName: "Peak" }) })
      await eventually("the login at the broker", () =>
        broker.received().includes("edp-publisher") && broker.received().includes("for-tests-only") ? true : undefined
      )
    }
  )

  shows(["EDP_ALLOW_PRIVATE_DESTINATIONS"], "private addresses are refused on the embedded database, too", async () => {
    const { EDP_ENCRYPTION_KEY_PREVIOUS: _, SMTP_URL: __, SMTP_FROM: ___, SMS_API_URL: ____, ...rest } = settings
    const sms = ["SMS_ACCOUNT", "SMS_TOKEN", "SMS_FROM"]
    const env = Object.fromEntries(Object.entries(rest).filter(([name]) => !sms.includes(name)))
    await server.stop()
    server = await spawnServer({
      dataDir: join(folder.path, "third"),
      env: { ...env, EDP_ALLOW_PRIVATE_DESTINATIONS: "false" }
    })
    const body = { name: "SERVER", type: "SERVER" }
    const { key } = (await callAt(server.baseUrl, "POST", "/v1/api-keys", { key: managementKey, body })).body
    const refused = await callAt(server.baseUrl, "POST", "/v1/destinations", {
      key,
      body: { destinationType: "WEBHOOK", url: "http://127.0.0.1:9/", eventTypes: ["CUSTOMER_CREATED"] }
    })
    expect(refused.status).toBe(400)
    expect(await apiResponses(server.baseUrl, key)).toBe(true)
  })
})

describePostgres("servers on PostgreSQL", () => {
  const databases = useDatabases()
  let redis: RedisServer
  let database: Client
  let api: SpawnedServer
  let key: string
  let env: Readonly<Record<string, string>>
  beforeAll(async () => {
    redis = await startRedis()
    database = new Client({ connectionString: databases.url })
    await database.connect()
    env = {
      DATABASE_URL: databases.url,
      EDP_DATABASE_POOL: "2",
      REDIS_URL: redis.url,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_SIMULATOR: "false",
      EDP_METRICS_PORT: `${await freePort()}`
    }
    api = await spawnServer({ env: { ...env, EDP_ROLE: "api" } })
    key = api.credentials.serverKey
  })
  afterAll(async () => {
    await database.end()
    await api.stop()
    await redis.close()
  })

  shows(["DATABASE_URL", "EDP_DATABASE_POOL"], "data is stored there, over few connections", async () => {
    await atOnce(40, () => callAt(api.baseUrl, "GET", "/v1/sites", { key }))
    const made = await callAt(api.baseUrl, "POST", "/v1/customers", { key, body: { firstName: "Ada" } })
    const { rows } = await database.query("SELECT first_name FROM customers WHERE id = $1", [made.body.id])
    expect(rows).toEqual([{ first_name: "Ada" }])
    const { rows: connections } = await database.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'edp'"
    )
    // One more holds the leases of the instance, and another listens for announced work.
    expect(connections[0].count).toBeLessThanOrEqual(4)
  })

  shows(["EDP_PROCESSES"], "so many processes serve, and one more does the background work", async () => {
    const server = await spawnServer({ env: { DATABASE_URL: await databases.create(), EDP_PROCESSES: "2" } })
    expect([...listProcesses(server).keys()].toSorted()).toEqual(["api-1", "api-2", "worker-1"])
    expect(await apiResponses(server.baseUrl, server.credentials.serverKey)).toBe(true)
    expect(await server.stop()).toBe(0)
  })

  shows(["EDP_SIMULATOR"], "nobody can connect a simulated device", async () => {
    const { body } = await callAt(api.baseUrl, "GET", "/v1/manufacturers/simulator", { key })
    expect(body).toMatchObject({ slug: "simulator", connectable: false })
    const simulated = await callAt(api.baseUrl, "GET", "/adapters/simulator/oauth/authorize")
    expect(simulated.status).toBe(404)
  })

  shows(["EDP_METRICS_PORT"], "Prometheus finds metrics there, and the API stays where it is", async () => {
    const metrics = await callAt(`http://127.0.0.1:${env.EDP_METRICS_PORT}`, "GET", "/metrics")
    expect([metrics.status, metrics.text]).toEqual([200, expect.stringContaining("process_resident_memory_bytes")])
    expect(await apiResponses(api.baseUrl, key)).toBe(true)
  })

  shows(["EDP_COMMAND_WRITES_PER_HOUR"], "a schedule's further command within the hour fails", async () => {
    const { manufacturerKey } = api.credentials
    const call: Call = (method, path, body) => {
      const by = path.startsWith("/devices") ? manufacturerKey : key
      return callAt(api.baseUrl, method, path, { key: by, ...(body !== undefined && { body }) })
    }
    const device = await provisionBattery(call)
    const send = async (chargePercentage: number) => {
      const body = { type: "battery:set-reserve", input: { chargePercentage } }
      return (await call("POST", `/v1/devices/${device}/commands`, body)).body.id as string
    }
    // No worker runs yet, so both commands become a schedule's before they are judged.
    await send(30)
    await call("GET", `/devices/${device}/commands?status=pending`)
    const second = await send(40)
    await database.query("UPDATE commands SET source = 'schedule'")
    const { EDP_METRICS_PORT: _, ...others } = env
    const worker = await spawnServer({ env: { ...others, EDP_ROLE: "worker", EDP_COMMAND_WRITES_PER_HOUR: "1" } })
    const outcome = await eventually("the worker refuses it", async () => {
      const { body } = await call("GET", `/v1/commands/${second}`)
      return body.status === "failed" ? body.reason : undefined
    })
    expect(outcome).toBe("quota_exhausted")
    await worker.stop()
  })

  shows(
    ["EDP_CLICKHOUSE_URL", "EDP_CLICKHOUSE_TABLES", "EDP_HOT_DAYS"],
    "readings of the last month that is old enough move into the cluster's table",
    async () => {
      const archive = await startVendor({})
      const latest = new Date(Date.now() - 7 * day)
      const month = new Date(Date.UTC(latest.getUTCFullYear(), latest.getUTCMonth() - 1)).toISOString()
      await database.query("SELECT ensure_readings_partition($1::date)", [month.slice(0, 10)])
      await database.query("INSERT INTO readings (device_id, at, id, state) VALUES ('c1', $1, $2, '{}')", [
        month,
        `c${"0".repeat(24)}`
      ])
      const { EDP_METRICS_PORT: _, ...others } = env
      const worker = await spawnServer({
        env: {
          ...others,
          EDP_ROLE: "worker",
          EDP_CLICKHOUSE_URL: archive.url.replace("//", "//archivist:secret@"),
          EDP_CLICKHOUSE_TABLES: "replicated:edge",
          EDP_HOT_DAYS: "7 days"
        }
      })
      const [insert] = await eventually("the worker moves the reading", () => {
        const inserts = archive.asked.filter(({ path }) => path.includes("INSERT"))
        return inserts.length > 0 ? inserts : undefined
      })
      expect(insert!.authorization).toBe(`Basic ${Buffer.from("archivist:secret").toString("base64")}`)
      expect(archive.asked.some(({ body }) => body.includes("ON CLUSTER `edge`"))).toBe(true)
      await worker.stop()
      await archive.close()
    }
  )

  shows(
    ["EDP_ROLE", "REDIS_URL", "EDP_AUDIT_RETENTION", "EDP_OPENADR_REPORT_RETENTION"],
    "a separate worker delivers and deletes, and shares rate limits with the others",
    async () => {
      const { managementKey } = api.credentials
      const body = { name: "Renamed" }
      const path = `/v1/workspaces/${api.credentials.workspaceId}`
      expect((await callAt(api.baseUrl, "PATCH", path, { key: managementKey, body })).status).toBe(200)
      await database.query(
        "UPDATE audit_logs SET id = 'c00' || substr(id, 4), created_at = created_at - interval '2 years'"
      )
      const logs = async (baseUrl: string) =>
        (await callAt(baseUrl, "GET", "/v1/audit-logs", { key: managementKey })).body.totalItems
      expect(await logs(api.baseUrl)).toBe(1)
      await database.query(
        `INSERT INTO vtn_reports (id, workspace_id, body, created_at, modified_at, event_key, program_key, client_name)
          SELECT 'report-' || days, $1, '{}', now(), now() - days * interval '1 day', 'e', 'p', 'c' FROM unnest($2::int[]) days`,
        [api.credentials.workspaceId, [366, 30]]
      )

      const receiver = await startVendor({})
      const wanted = { destinationType: "WEBHOOK", url: `${receiver.url}/hook`, eventTypes: ["CUSTOMER_CREATED"] }
      const destination = await callAt(api.baseUrl, "POST", "/v1/destinations", { key, body: wanted })
      expect(destination.status, destination.text).toBe(201)
      await callAt(api.baseUrl, "POST", "/v1/customers", { key, body: { firstName: "Grace" } })
      expect(receiver.asked).toEqual([])

      const { EDP_METRICS_PORT: _, ...others } = env
      const worker = await spawnServer({
        env: {
          ...others,
          EDP_ROLE: "worker",
          EDP_AUDIT_RETENTION: "365 days",
          EDP_OPENADR_REPORT_RETENTION: "365 days"
        }
      })
      await eventually("the worker delivers", () => (receiver.asked.length > 0 ? true : undefined))
      await eventually("the worker deletes old records", async () =>
        (await logs(worker.baseUrl)) === 0 ? true : undefined
      )
      await eventually("the worker deletes old reports", async () => {
        const { rows } = await database.query("SELECT id FROM vtn_reports")
        return rows.length === 1 && rows[0].id === "report-30" ? true : undefined
      })

      const left = async (baseUrl: string) => {
        const { headers } = await callAt(baseUrl, "GET", "/v1/tags", { key })
        return { left: Number(headers.get("x-ratelimit-remaining")), until: headers.get("x-ratelimit-reset") }
      }
      await eventually("both count the same requests", async () => {
        const [first, second] = [await left(api.baseUrl), await left(worker.baseUrl)]
        return first.until === second.until && second.left === first.left - 1 ? true : undefined
      })
      await worker.stop()
      await receiver.close()
    }
  )
})

test("every setting that the server reads is documented, and every documented one was tried", async () => {
  const documented = [...new Set(documentedSettings())].toSorted()
  // Read by Node itself.
  const read = [...(await knownSettings()), "NODE_COMPILE_CACHE"].toSorted()
  expect(documented).toEqual(read)
  expect([...tried].toSorted()).toEqual(documented)
})
