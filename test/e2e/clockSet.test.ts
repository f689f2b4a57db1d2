import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { signInHeadless } from "../support/hosted-pages/hostedFlow.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const preload = { NODE_OPTIONS: `--import=${fileURLToPath(new URL("clockSteps.ts", import.meta.url))}` }
const HOUR = 3_600_000

let server: SpawnedServer
beforeAll(async () => {
  server = await spawnServer({
    env: { ...preload, EDP_LOG: "json", EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000" }
  })
})
afterAll(() => server.stop())

const ok = async (method: string, path: string, key: string, body?: object) => {
  const response = await callAt(server.baseUrl, method, path, { key, ...(body !== undefined && { body }) })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
  return response.body
}

/** Sets the server's clock by a signal, and waits until it shows. */
const setClock = async (signal: "SIGUSR2" | "SIGPWR" | "SIGIO", ahead: number) => {
  process.kill(server.pid, signal)
  await eventually("the clock is set", async () => {
    const { createdAt } = await ok("POST", "/v1/customers", server.credentials.serverKey, {})
    const offset = Date.parse(createdAt) - Date.now()
    return Math.abs(offset - ahead) < 10_000 ? true : undefined
  })
}

test("a mode of 60 seconds that began while the clock was two hours ahead ends a minute after the clock is set back", async () => {
  const { serverKey } = server.credentials
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
  const session = await ok("POST", "/v1/connections", serverKey, {
    mode: "headless",
    referenceId: "user-1",
    redirectUrl: "https://example.com/connected",
    manufacturerFilters: { manufacturers: ["simulator"] },
    customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location: address }
  })
  const end = await signInHeadless(server.baseUrl, session.url)
  const key = end.searchParams.get("service_scoped_token")!
  const battery = await eventually("the battery is known", async () => {
    const { data } = await ok("GET", "/v1/devices?type=battery", key)
    return data[0] as { readonly id: string } | undefined
  })
  const forcedMode = async () => (await ok("GET", `/v1/devices/${battery.id}`, key)).forcedMode

  await setClock("SIGUSR2", 2 * HOUR)
  await ok("POST", `/v1/devices/${battery.id}/commands`, key, {
    type: "battery:set-operating-mode",
    input: { operatingMode: "charge", enableGridInteraction: true },
    revertAfter: 60
  })
  await eventually("the mode holds", forcedMode)
  await setClock("SIGPWR", 0)
  await eventually("the mode ends in a minute", async () => {
    const mode = await forcedMode()
    return Date.parse(mode.until) < Date.now() + 61_000 ? true : undefined
  })
  await setClock("SIGIO", 70_000)
  await eventually("the mode has ended", async () => ((await forcedMode()) === undefined ? true : undefined))
})
