import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt, readStatus } from "../support/callAt.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SmallDisk, smallDisk } from "../support/smallDisk.ts"
import { type Credentials, runServer, spawnServer } from "../support/spawnServer.ts"

const perPush = 1000
/** Far more than the free space holds. */
const pushes = 100
const noon = Date.UTC(2024, 0, 1, 12)

const arrange = async (baseUrl: string, { serverKey, manufacturerKey }: Credentials) => {
  const made = async (path: string, key: string, body: object) => {
    const answer = await callAt(baseUrl, "POST", path, { key, body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.id as string
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
    "stops the service with one line; with free space it starts again with everything that was acknowledged (%s)",
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
      disk.fill(server.pid)
      let acknowledged = 0
      for (let sent = 0; sent < pushes; sent++) {
        const answer = await push(perPush).catch(() => undefined)
        if (answer?.status !== 200) break
        acknowledged += perPush
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
