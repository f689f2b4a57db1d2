import { randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Client } from "pg"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { listProcesses, replaced } from "../support/processes.ts"
import { Random } from "../support/Random.ts"
import { sharedEncryptionKey, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { stopAll, times } from "./fleet.ts"

const key = Buffer.from(sharedEncryptionKey, "base64")
const newId = () => `c${randomBytes(12).toString("hex")}`

const kills = rounds(3)
const batteries = 250
const commandsEach = 4
/** The scheduled commands are spread over this time. */
const spreadMs = 30_000
const turnMs = spreadMs / commandsEach
/** Within this time of its time a command is sent, unless a killed worker has its device. */
const promptMs = 5_000

const original = { mode: "self-consumption", power: "5000" }

/** Two instances, or two processes of one. */
const suite = (isOneInstance: boolean) =>
  describePostgres(`two ${isOneInstance ? "processes" : "instances"} that send commands`, () => {
    const databases = useDatabases()
    let cloud: Awaited<ReturnType<typeof startCommandCloud>>
    let database: Client
    let servers: Array<SpawnedServer>
    let workspaceId: string
    let serverKey: string
    const start = (more: Readonly<Record<string, string>> = {}) =>
      spawnServer({
        preload: "commandCloudAdapter",
        env: {
          DATABASE_URL: databases.url,
          EDP_COMMANDCLOUD_BASE_URL: cloud.url,
          EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes",
          EDP_RATE_LIMIT_READ: "1000000",
          EDP_RATE_LIMIT_WRITE: "1000000",
          ...more
        }
      })
    beforeAll(async () => {
      cloud = await startCommandCloud(10)
      servers = [await start(isOneInstance ? { EDP_PROCESSES: "2", EDP_ROLE: "worker" } : {})]
      ;({ serverKey, workspaceId } = servers[0]!.credentials)
      if (!isOneInstance) servers.push(await start())
      database = new Client({ connectionString: databases.url })
      await database.connect()
    })
    afterAll(async () => {
      await database.end()
      await stopAll(servers)
      cloud.stop()
    })

    /** A connected battery. */
    const link = async () => {
      const [accountId, deviceId, name] = [newId(), newId(), newId()]
      const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), "{}"))
      await database.query(
        `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
        sealed_credentials, created_at, updated_at)
        VALUES ($1, $2, 'commandcloud', $3, 'Account', 'user-1', '{}', 'connected', $4, now(), now())`,
        [accountId, workspaceId, name, sealed]
      )
      await database.query(
        `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer, manufacturer_device_id,
        reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
        VALUES ($1, $2, $2, $3, 'Battery', 'commandcloud', $4, 'user-1', 'Battery', 'battery',
          '{battery:set-reserve,battery:set-operating-mode}', '{}', false, now(), now(), now())`,
        [deviceId, workspaceId, accountId, name]
      )
      cloud.settings.set(name, original)
      return { deviceId, name }
    }
    const call = (method: string, path: string, body?: object) =>
      callAt(servers[0]!.baseUrl, method, path, { key: serverKey, ...(body && { body }) })
    const send = async (deviceId: string, body: object): Promise<any> => {
      const response = await call("POST", `/v1/devices/${deviceId}/commands`, body)
      expect(response.status, response.text).toBe(201)
      return response.body
    }
    const statuses = async (ids: ReadonlyArray<string>) =>
      (await database.query("SELECT status, attempts FROM commands WHERE id = ANY($1)", [ids])).rows as ReadonlyArray<{
        readonly status: string
        readonly attempts: number
      }>

    /** The claims of a killed worker: those that nobody ends. Its leases end at once, as after two minutes. */
    const takeOver = async () => {
      const claims = async () =>
        (await database.query("SELECT device_id, claim FROM device_work WHERE claim IS NOT NULL"))
          .rows as ReadonlyArray<{
          readonly device_id: string
          readonly claim: string
        }>
      const before = await claims()
      await setTimeout(2000)
      const held = new Set((await claims()).map(({ claim }) => claim))
      const orphans = before.filter(({ claim }) => held.has(claim))
      await database.query("UPDATE device_work SET lease_until = clock_timestamp() WHERE claim = ANY($1)", [
        orphans.map(({ claim }) => claim)
      ])
      return orphans.map(({ device_id }) => device_id)
    }

    const listWorkers = () => (isOneInstance ? [...listProcesses(servers[0]!).values()] : servers.map(({ pid }) => pid))

    /** Kills a worker; returns what waits for its successor. */
    const kill = async (worker: number) => {
      if (isOneInstance) {
        const [name] = [...listProcesses(servers[0]!)].find(([, pid]) => pid === worker)!
        process.kill(worker, "SIGKILL")
        return () => replaced(servers[0]!, name, worker)
      }
      const [killed] = servers.splice(
        servers.findIndex(({ pid }) => pid === worker),
        1
      )
      await killed!.kill9()
      return async () => servers.push(await start())
    }

    test(`send each of 1,000 scheduled commands in time, though workers are killed (seed ${testSeed})`, async () => {
      const random = new Random(testSeed)
      const devices: Array<Awaited<ReturnType<typeof link>>> = []
      for (const _ of times(batteries)) devices.push(await link())
      const begin = Date.now() + 45_000
      const commands = new Map<string, { readonly deviceId: string; readonly at: number }>()
      for (const n of times(commandsEach)) {
        for (const some of times(batteries / 10)) {
          await Promise.all(
            devices.slice(some * 10, some * 10 + 10).map(async ({ deviceId }) => {
              // A second between those of a device: one for the same second would override the other.
              const at = begin + Math.floor(n * turnMs + random.next() * (turnMs - 1000))
              const input = { chargePercentage: n }
              const scheduledFor = new Date(at).toISOString()
              const { id } = await send(deviceId, { type: "battery:set-reserve", input, scheduledFor })
              commands.set(id, { deviceId, at })
            })
          )
        }
      }
      expect(commands.size).toBe(batteries * commandsEach)
      expect(Date.now()).toBeLessThan(begin)

      // The devices of killed workers wait until their leases end.
      const orphaned: Array<{ readonly deviceId: string; readonly until: number }> = []
      await setTimeout(begin - Date.now())
      for (const _ of times(kills)) {
        await setTimeout((spreadMs / (kills + 1)) * random.next())
        const succeeded = await kill(random.pick(listWorkers()))
        const deviceIds = await takeOver()
        orphaned.push(...deviceIds.map((deviceId) => ({ deviceId, until: Date.now() })))
        await succeeded()
      }
      await eventually(
        "all commands are sent",
        async () =>
          (await statuses([...commands.keys()])).every(({ status }) => status === "delivered") ? true : undefined,
        150_000
      )

      const calls = Map.groupBy(cloud.calls, ({ token }) => token)
      const isOrphaned = ({ at, deviceId }: { readonly deviceId: string; readonly at: number }) =>
        orphaned.some((one) => one.deviceId === deviceId && at <= one.until)
      const late: Array<number> = []
      for (const [id, command] of commands) {
        const [first, ...more] = calls.get(id) ?? []
        expect(first, id).toBeDefined()
        expect(first!.at, id).toBeGreaterThanOrEqual(command.at)
        // Sent again only if its worker may have died in the call.
        expect(more.length, id).toBeLessThanOrEqual(isOrphaned(command) ? 1 : 0)
        if (!isOrphaned(command)) late.push(first!.at - command.at)
      }
      late.sort((one, other) => one - other)
      expect(late.length).toBeGreaterThan(commands.size / 2)
      expect(late[Math.floor(late.length * 0.99)]).toBeLessThan(promptMs)
      expect(cloud.overlaps).toEqual([])
    })

    test("leave a battery as it was after charge, idle, discharge and reset, whichever write a worker dies at", async () => {
      const modes = ["charge", "idle", "discharge", "reset"]
      for (const dying of times(modes.length * 2)) {
        const { deviceId, name } = await link()
        const killed = Promise.withResolvers<() => Promise<unknown>>()
        let writes = 0
        cloud.intercept(async (made) => {
          if (made.device !== name || writes++ !== dying) return
          killed.resolve(await kill(made.worker))
        })
        const restarted = killed.promise.then(async (succeeded) => {
          await takeOver()
          await succeeded()
        })
        for (const operatingMode of modes) {
          const { id } = await send(deviceId, { type: "battery:set-operating-mode", input: { operatingMode } })
          await eventually(`${operatingMode} is accepted, killed at write ${dying}`, async () =>
            (await statuses([id]))[0]!.status === "delivered" ? true : undefined
          )
          if (operatingMode !== "reset") expect(cloud.settings.get(name)!["mode"]).toBe(operatingMode)
        }
        expect(cloud.settings.get(name), `killed at write ${dying}`).toEqual(original)
        const { body } = await call("GET", `/v1/devices/${deviceId}`)
        expect(body.forcedMode).toBeUndefined()
        await restarted
      }
      cloud.intercept(undefined)
      expect(cloud.overlaps).toEqual([])
    })

    // The processes of an instance would take all commands first.
    if (isOneInstance) return
    test("give a command to the instance that holds the device's connection", async () => {
      const other = await start({ EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "no" })
      onTestFinished(async () => void (await other.stop()))
      const took: Array<number> = []
      const passed = () => cloud.calls.filter(({ what, worker }) => what === "elsewhere" && worker === other.pid)
      // Which of the instances claims a device first is a race.
      while (took.length < 20 || (passed().length === 0 && took.length < 200)) {
        const { deviceId, name } = await link()
        const begun = Date.now()
        const body = { type: "battery:set-reserve", input: { chargePercentage: 1 } }
        // The instance that does not hold the connection hears of the command first.
        const response = await callAt(other.baseUrl, "POST", `/v1/devices/${deviceId}/commands`, {
          key: serverKey,
          body
        })
        const id = response.body.id
        await eventually("it is sent", async () =>
          (await statuses([id]))[0]!.status === "delivered" ? true : undefined
        )
        expect((await statuses([id]))[0]!.attempts).toBe(0)
        took.push(cloud.calls.find(({ device, what }) => device === name && what === "send")!.at - begun)
      }
      expect(passed().length).toBeGreaterThan(0)
      // The holder hears of each command at once: looking for commands now and then would take most of them longer.
      expect(took.toSorted((one, other) => one - other)[Math.floor(took.length / 2)]).toBeLessThan(promptMs)
    })
  })

inTurn(
  1,
  () => suite(false),
  () => suite(true)
)
