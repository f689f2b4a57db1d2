import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { startEdp } from "./edp.ts"

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

let folder: GuardedFolder
let port: number
let server: SpawnedServer
beforeAll(async () => {
  folder = await guardedFolder("edp-watch")
  port = await freePort()
  server = await spawnServer({ dataDir: folder.path, port })
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const post = async (path: string, body: object, key = server.credentials.manufacturerKey) =>
  (await callAt(server.baseUrl, "POST", path, { key, body })).body

const provision = async () => {
  const { serverKey } = server.credentials
  const { id: siteId } = await post("/v1/sites", { address }, serverKey)
  const models = "/v1/device-models?manufacturer=generic&type=meter"
  const [model] = (await callAt(server.baseUrl, "GET", models, { key: serverKey })).body.data
  return post("/devices", { manufacturerDeviceId: "meter-1", deviceModelId: model.id, siteId })
}

test("edp devices watch shows readings as they arrive, survives a crash of the service, and stops on Ctrl-C", async () => {
  const { id } = await provision()
  const speak = (power: number) => post(`/devices/${id}/telemetry`, { state: { power } })
  const watching = startEdp(["devices", "watch", "meter-1", "--interval", "1", "--json"], { EDP_DATA_DIR: folder.path })
  const powers = () =>
    watching
      .stdout()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).power)
  const shown = (...expected: ReadonlyArray<number>) =>
    eventually(`${expected.join()} are shown`, () => (powers().join() === expected.join() ? true : undefined))
  const noted = (note: string) => eventually(note, () => (watching.stderr().includes(note) ? true : undefined))

  await noted("Ctrl-C to stop")
  await speak(1)
  await shown(1)
  await speak(2)
  await server.kill9()
  await noted("UNREACHABLE")
  server = await spawnServer({ dataDir: folder.path, port })
  await speak(3)
  await noted("The service responds again")
  await shown(1, 2, 3)
  watching.signal("SIGINT")
  const { code, stderr } = await watching.ended
  expect(code).toBe(130)
  expect(stderr).not.toContain("Error")
})
