import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt, readStatus } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SmallDisk, smallDisk } from "../support/smallDisk.ts"
import { type Credentials, runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const perPush = 1000
/** Far more than the free space holds. */
const pushes = 400
const noon = Date.UTC(2024, 0, 1, 12)

const arrange = async (baseUrl: string, { serverKey, manufacturerKey }: Credentials) => {
  const made = async (path: string, key: string, body: object) => {
    const response = await callAt(baseUrl, "POST", path, { key, body })
    expect(response.status, response.text).toBe(201)
    return response.body.id as string
  }
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const siteId = await made("/v1/sites", serverKey, { address })
  const models = await callAt(baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=meter", { key: serverKey })
  const deviceModelId = models.body.data[0].id
  const deviceId = await made("/devices", manufacturerKey, { manufacturerDeviceId: "METER-1", deviceModelId, siteId })
  let minutes = 0
  const push = (count: number) => {
    const readings = Array.from({ length: count }, () => ({
      timestamp: new Date(noon + 60_000 * minutes++).toISOString(),
      state: { power: minutes }
    }))
    return callAt(baseUrl, "POST", `/devices/${deviceId}/telemetry`, { key: manufacturerKey, body: { readings } })
  }
  const stored = async () => {
    const path = `/v1/devices/${deviceId}/history?from=2024-01-01T00:00:00Z&perPage=1`
    return (await callAt(baseUrl, "GET", path, { key: serverKey })).body.totalItems as number
  }
  return { push, stored }
}

/** The log still has space, the tables have none. */
const expectOnlyReads = async ({ baseUrl, credentials }: SpawnedServer, fillUp: () => void, makeRoom: () => void) => {
  const key = credentials.serverKey
  const create = () => callAt(baseUrl, "POST", "/v1/customers", { key, body: { firstName: "x".repeat(100) } })
  fillUp()
  await eventually("writes are refused", async () => ((await create()).status === 502 ? true : undefined))
  await eventually("the service is not ready", async () => {
    const { body, status } = await callAt(baseUrl, "GET", "/health/ready")
    return status === 503 && body.checks.database === "full" ? true : undefined
  })
  expect(await readStatus(`${baseUrl}/health/live`, 2000)).toBe(200)
  expect((await callAt(baseUrl, "GET", "/v1/customers", { key })).status).toBe(200)
  makeRoom()
  expect((await create()).status).toBe(201)
  await eventually("the service is ready", async () =>
    (await readStatus(`${baseUrl}/health/ready`, 2000)) === 200 ? true : undefined
  )
}

describe("the embedded database on a full disk", () => {
  let folder: GuardedFolder
  const disks: Array<SmallDisk> = []
  beforeAll(async () => {
    folder = await guardedFolder("edp-full-disk")
  })
  afterAll(async () => {
    for (const disk of disks) disk.remove()
    await folder.remove()
  })

  test.each(["any", "limit"] as const)(
    "refuses writes and is not ready while its tables have no space, and stops the service with one line when its log has none; with free space it starts again with everything that was acknowledged (%s)",
    { timeout: 180_000 },
    async (kind) => {
      const disk = smallDisk(folder.path, kind)
      disks.push(disk)
      const options = {
        port: await freePort(),
        dataDir: join(disk.path, "data"),
        env: { EDP_RATE_LIMIT_BULK: "100000", EDP_LOG: "pretty" }
      }
      const server = await spawnServer(options)
      const { baseUrl, credentials } = server
      const { push, stored } = await arrange(baseUrl, credentials)
      if (disk.fillUp !== undefined) await expectOnlyReads(server, disk.fillUp, disk.makeRoom)
      disk.fill(server.pid)
      let acknowledged = 0
      for (let sent = 0; sent < pushes; sent++) {
        const response = await push(perPush).catch(() => undefined)
        if (response?.status === 200) acknowledged += perPush
        else if (disk.fillUp === undefined || (await readStatus(`${baseUrl}/health/live`, 2000)) !== 200) break
        else {
          // The tables were full before the log was. They get as much space again, which is less than the log's next segment needs.
          disk.makeRoom()
          disk.fill(server.pid)
        }
      }
      expect(acknowledged).toBeLessThan(perPush * pushes)
      expect(await readStatus(`${baseUrl}/health/live`, 2000)).not.toBe(200)
      expect((await server.exited).code).toBe(1)
      const lines = server.stderr().trim().split("\n")
      expect(lines.at(-1)).toMatch(/^edp: the database in .* has stopped: .*; make room and start again$/)

      const again = await runServer({ ...options, through: disk.through })
      expect([again.code, again.stderr.trim().split("\n")]).toEqual([1, [expect.stringMatching(/^edp: /)]])

      disk.makeRoom()
      const roomy = await spawnServer(options)
      const count = await stored()
      expect(count).toBeGreaterThanOrEqual(acknowledged)
      // Pushes in flight when the disk filled up may be stored, but only completely.
      expect((count - acknowledged) % perPush).toBe(0)
      expect((await push(1)).status).toBe(200)
      expect(await stored()).toBe(count + 1)
      expect(await roomy.stop()).toBe(0)
    }
  )
})
