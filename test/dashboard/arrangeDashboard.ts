import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { edp } from "../e2e/edp.ts"
import { callAt } from "../support/callAt.ts"
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
      "/dashboard/dispatches/$id": dispatch.id
    } as Readonly<Record<string, string>>,
    /** Makes a change that open pages hear of. */
    addCustomer: () => make("/v1/customers", { firstName: "Nina" }),
    secrets: [
      managementKey,
      serverKey,
      server.credentials.manufacturerKey,
      key.key,
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
