import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { edp } from "../e2e/edp.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { FakeVtn } from "../support/peers/FakeVtn.ts"
import { type SpawnedServer } from "../support/spawnServer.ts"

const sample = fileURLToPath(new URL("../../examples/sample-home/home.csv", import.meta.url))
const address = ["--timezone", "America/Los_Angeles", "--address", "1 Capitol Mall, Sacramento, CA 95814"]

/** A workspace as the demo leaves it, with what the other pages list. */
export const arrangeDashboard = async (server: SpawnedServer) => {
  const { managementKey, serverKey } = server.credentials
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await edp([...args, "--json"], { EDP_DATA_DIR: server.dataDir })
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const make = async (path: string, body: object, key = serverKey) => {
    const response = await callAt(server.baseUrl, "POST", path, { key, body })
    expect(response.status, response.text).toBe(201)
    return response.body
  }
  const first = async (path: string) => {
    const { body } = await callAt(server.baseUrl, "GET", path, { key: serverKey })
    return body.data[0]
  }
  /** A connection to a VTN whose event the instance follows. The VTN is gone before the next poll. */
  const arrangeGrid = async (programInstanceId: string) => {
    const vtn = await new FakeVtn().open()
    try {
      const program = vtn.program({
        programName: "summer-peak",
        payloadDescriptors: [
          { objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "DISPATCH_SETPOINT", units: "KW" },
          { objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "PRICE", units: "KWH", currency: "USD" }
        ]
      })
      const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 6 * 3_600_000).toISOString()
      vtn.event(program.id, {
        eventName: "Hot evening",
        intervalPeriod: { start, duration: "PT1H" },
        intervals: [
          { id: 0, payloads: [{ type: "DISPATCH_SETPOINT", values: [-10] }] },
          { id: 1, payloads: [{ type: "DISPATCH_SETPOINT", values: [-5] }] }
        ]
      })
      const connection = await make("/v1/grid-connections", {
        name: "Example Utility",
        vtnUrl: vtn.url,
        clientId: vtn.client.id,
        clientSecret: vtn.client.secret,
        venName: "example-ven",
        pollSeconds: 3600
      })
      const followed = await eventually("the programs of the VTN", () =>
        first(`/v1/grid-connections/${connection.id}/programs`)
      )
      const mapped = await callAt(server.baseUrl, "PATCH", `/v1/grid-programs/${followed.id}`, {
        key: serverKey,
        body: { programInstanceId, rules: [{ payloadType: "DISPATCH_SETPOINT", share: "battery" }] }
      })
      expect(mapped.status, mapped.text).toBe(200)
      return connection
    } finally {
      await vtn.close()
    }
  }
  /** A client of the OpenADR server, which calls it with a token of its own. */
  const openAdrClient = async (name: string, type: "OPENADR_BL" | "OPENADR_VEN") => {
    const { id, key } = await make("/v1/api-keys", { name, type }, managementKey)
    const base = `${server.baseUrl}/openadr3/3.1.0`
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: key })
    const issued = await fetch(`${base}/auth/token`, { method: "POST", body: form })
    const headers = {
      Authorization: `Bearer ${((await issued.json()) as { access_token: string }).access_token}`,
      "Content-Type": "application/json"
    }
    const post = async (path: string, body: object) => {
      const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) })
      expect(response.status).toBe(201)
      return (await response.json()) as { readonly id: string }
    }
    return { id, key, post }
  }
  /** A VEN that follows an event of business logic, and has reported. */
  const arrangeVen = async () => {
    const bl = await openAdrClient("System of the utility", "OPENADR_BL")
    const client = await openAdrClient("Aggregator", "OPENADR_VEN")
    const ven = await bl.post("/vens", {
      objectType: "BL_VEN_REQUEST",
      clientID: client.id,
      venName: "aggregator",
      targets: ["feeder-7"]
    })
    const program = await bl.post("/programs", { programName: "Evening peak", targets: ["feeder-7"] })
    const event = await bl.post("/events", {
      programID: program.id,
      eventName: "Tonight",
      targets: ["feeder-7"],
      intervalPeriod: { start: new Date(Date.now() - 3_600_000).toISOString(), duration: "PT12H" },
      intervals: [{ id: 0, payloads: [{ type: "SIMPLE", values: [1] }] }]
    })
    await client.post("/resources", { objectType: "VEN_RESOURCE_REQUEST", venID: ven.id, resourceName: "batteries" })
    await client.post("/reports", { eventID: event.id, clientName: "aggregator", resources: [] })
    return [bl.key, client.key]
  }
  await run("telemetry", "import", sample, "--provision", ...address)
  const town = await run("simulator", "town", "--homes", "2", "--with", "battery")
  const destination = await make("/v1/destinations", {
    destinationType: "WEBHOOK",
    url: "http://127.0.0.1:9/hook",
    eventTypes: ["ALERT_CREATED", "DEVICE_CONNECTED"]
  })
  await run("programs", "create", "--slug", "hot-evenings", "--name", "Hot Evenings", "--state", "CA")
  const instance = await run(
    "instances",
    "create",
    "--slug",
    "hot-evenings-2026",
    "--program",
    "hot-evenings",
    "--title",
    "Hot Evenings 2026",
    "--for",
    "Homes in California.",
    "--terms",
    "A few evenings a year."
  )
  const homes = town.data.map(({ account }: { readonly account: string }) => `${account},1\n`).join("")
  const list = join(server.dataDir, "enrollments.csv")
  writeFileSync(list, `customerReferenceId,termsVersion\n${homes}`)
  await run("enrollments", "import", list, "--instance", instance.slug)
  for (const { id } of (await run("enrollments", "list", "--instance", instance.slug, "--all")).data) {
    await run("enrollments", "approve", id)
  }
  const dispatch = await run(
    "dispatches",
    "create",
    "--instance",
    instance.slug,
    "--name",
    "First call",
    "--start",
    "1h",
    "--duration",
    "2h",
    "--battery",
    "discharge enableGridInteraction=true",
    "--nominated-power",
    "10000"
  )
  const battery = await first("/v1/devices?type=battery")
  await make(`/v1/devices/${battery.id}/commands`, { type: "battery:set-reserve", input: { chargePercentage: 30 } })
  const collection = await make("/v1/collections", {
    name: "All batteries",
    collectionType: "DEVICE",
    criteria: { attribute: "type", operator: "eq", value: "battery" }
  })
  await make("/v1/schedules", {
    name: "Cheap nights",
    target: { tag: "pilot" },
    deviceType: "battery",
    rules: [{ daysOfWeek: [1, 2], startTime: "22:00", endTime: "06:00", mode: { operatingMode: "charge" } }]
  })
  const gridConnection = await arrangeGrid(instance.id)
  const openAdrKeys = await arrangeVen()
  const key = await make("/v1/api-keys", { name: "Back end", type: "SERVER" }, managementKey)
  return {
    /** The id that a page of one record shows, by the address of the page. */
    ids: {
      "/dashboard/devices/$id": (await first("/v1/devices?type=inverter")).id,
      "/dashboard/sites/$id": (await first("/v1/sites?perPage=1")).id,
      "/dashboard/collections/$id": collection.id,
      "/dashboard/customers/$id": (await first("/v1/customers?perPage=1")).id,
      "/dashboard/destinations/$id": destination.id,
      "/dashboard/programs/$id": instance.id,
      "/dashboard/grid-connections/$id": gridConnection.id,
      "/dashboard/dispatches/$id": dispatch.id
    } as Readonly<Record<string, string>>,
    /** Makes a change that open pages hear of. */
    addCustomer: () => make("/v1/customers", { firstName: "Nina" }),
    secrets: [
      managementKey,
      serverKey,
      server.credentials.manufacturerKey,
      key.key,
      ...openAdrKeys,
      destination.secret
    ] as ReadonlyArray<string>
  }
}

/** The folder for pictures of all pages, if EDP_TEST_SCREENSHOTS names one. */
export const screenshotPath = (name: string): string | undefined => {
  const folder = process.env["EDP_TEST_SCREENSHOTS"]
  if (folder === undefined) return undefined
  mkdirSync(folder, { recursive: true })
  return join(folder, `${name}.png`)
}
