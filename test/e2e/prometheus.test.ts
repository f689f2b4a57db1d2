import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const scrapeTargets = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

let server: SpawnedServer
let metricsPort: number
const receiver = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(204).end())
})

const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
const call = (method: string, path: string, body?: unknown, key = server.credentials.serverKey) =>
  callAt(server.baseUrl, method, path, { key, ...(body !== undefined && { body }) })

interface Sample {
  readonly name: string
  readonly labels: string
  readonly value: number
}

/** Parses the samples and types of an exposition; fails on a malformed line. */
const parse = (text: string) => {
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const samples: Array<Sample> = []
  expect(text.endsWith("\n")).toBe(true)
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    if (comment?.[1] === "TYPE") types.set(comment[2]!, comment[3]!)
    else if (comment !== null) helps.add(comment[2]!)
    else {
      const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})? (\S+)$/.exec(line)
      expect([line, sample === null]).toEqual([line, false])
      expect([line, Number.isNaN(Number(sample![3]))]).toEqual([line, false])
      samples.push({ name: sample![1]!, labels: sample![2] ?? "", value: Number(sample![3]) })
    }
  }
  return { helps, samples, types }
}

/** The metric family of a sample, without the suffix of a histogram's series. */
const findFamily = (name: string, types: ReadonlyMap<string, string>) =>
  types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")

beforeAll(async () => {
  metricsPort = await freePort()
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  server = await spawnServer({ env: { EDP_METRICS_PORT: `${metricsPort}` } })
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const destination = { destinationType: "WEBHOOK", url, eventTypes: ["CUSTOMER_CREATED"] }
  expect((await call("POST", "/v1/destinations", destination)).status).toBe(201)
  expect((await call("POST", "/v1/customers", { firstName: "Ada" })).status).toBe(201)
  expect((await call("GET", "/v1/customers", undefined, "server_nonsense")).status).toBe(401)
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const site = await call("POST", "/v1/sites", { address })
  const models = await call("GET", "/v1/device-models?manufacturer=generic&type=inverter")
  const device = { manufacturerDeviceId: "one", deviceModelId: models.body.data[0].id, siteId: site.body.id }
  const { manufacturerKey } = server.credentials
  const { id } = (await call("POST", "/devices", device, manufacturerKey)).body
  for (const power of [1, 2]) {
    const pushed = await call("POST", `/devices/${id}/telemetry`, { state: { power } }, manufacturerKey)
    expect(pushed.body.accepted).toBe(1)
  }
  await eventually("an attempt to deliver is counted", async () =>
    (await scrape()).includes("edp_delivery_attempts_total{") ? true : undefined
  )
})
afterAll(async () => {
  await server?.stop()
  receiver.close()
})

test("has the text format, with help and type, base units and conventional names", async () => {
  const { helps, samples, types } = parse(await scrape())
  const families = new Set(samples.map(({ name }) => findFamily(name, types)))
  expect([...families].sort()).toEqual([...types.keys()].sort())
  expect([...helps].sort()).toEqual([...types.keys()].sort())
  for (const [name, type] of types) {
    expect(["counter", "gauge", "histogram"]).toContain(type)
    expect([name, type === "counter"]).toEqual([name, name.endsWith("_total")])
    expect(name).not.toMatch(/milli|micro|nano|_ms(_|$)|minutes|hours|kilo|mega|percent/)
    expect(name).toMatch(/^(edp|http_server|process|nodejs)_[a-z0-9_]+$/)
    if (type === "histogram") expect(name).toMatch(/_seconds$/)
    const labels = samples.filter((sample) => findFamily(sample.name, types) === name).map((sample) => sample.labels)
    if (type !== "histogram") expect(labels.join()).not.toMatch(/[{,](le|quantile)=/)
  }
  const series = samples.map(({ labels, name }) => `${name}${labels}`)
  expect(new Set(series).size).toBe(series.length)
})

test("covers readings, devices, deliveries, requests, the database and the build", async () => {
  const { samples } = parse(await scrape())
  const readValue = (name: string, ...labels: ReadonlyArray<string>) =>
    samples.find((sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)))?.value
  expect(readValue("edp_readings_total", 'outcome="stored"')).toBe(2)
  expect(readValue("edp_readings_total", 'outcome="duplicate"')).toBe(0)
  expect(readValue("edp_delivery_attempts_total", 'type="WEBHOOK"', 'result="succeeded"')).toBe(1)
  expect(
    readValue("edp_build_info", `version="${JSON.parse(scrapeTargets("packages/server/package.json")).version}"`)
  ).toBe(1)
  expect(readValue("http_server_request_duration_seconds_count", 'http_route="/v1/customers"', '_code="201"')).toBe(1)
  expect(readValue("http_server_request_duration_seconds_bucket", 'http_route="/v1/customers"', 'le="10"')).toBe(1)
  expect(readValue("edp_database_connections_max")).toBeGreaterThan(0)
  expect(readValue("process_resident_memory_bytes")).toBeGreaterThan(50_000_000)
  expect(readValue("process_start_time_seconds")).toBeGreaterThan(Date.now() / 1000 - 600)
  expect(readValue("nodejs_eventloop_lag_p99_seconds")).toBeLessThan(60)
  // Metrics from the database are refreshed every few seconds.
  const names = ["edp_devices", "edp_devices_online", "edp_deliveries_pending"]
  await eventually("the device and the delivery are counted", async () => {
    const now = parse(await scrape()).samples
    const found = names.map((name) => now.find((sample) => sample.name === name)?.value)
    return `${found}` === "1,1,0" ? true : undefined
  })
})

test("contains every metric of the dashboard and the alerts", async () => {
  const { samples } = parse(await scrape())
  const there = new Set([...samples.map(({ name }) => name), "up"])
  const texts = [scrapeTargets("deploy/grafana/edp.json"), scrapeTargets("deploy/prometheus/alerts.yml")]
  const named = new Set(
    texts.flatMap((text) => text.match(/\b(edp|http_server|process|nodejs)_[a-z0-9_]+(?=[{\\[\s)])/g) ?? [])
  )
  expect(named.size).toBeGreaterThan(15)
  expect([...named].filter((name) => !there.has(name) && name !== "edp_stray_exceptions_total")).toEqual([])
})

test("is documented for operators, metric by metric", async () => {
  const { types } = parse(await scrape())
  const document = scrapeTargets("docs/operations.md")
  expect([...types.keys()].filter((name) => !document.includes(`\`${name}\``))).toEqual([])
})
