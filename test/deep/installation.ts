import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { residentMegabytes } from "../bench/setting/residentMemory.ts"
import { arrangeLoad } from "../support/arrangeLoad.ts"
import { callAt, type Reply } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { guardedFolder } from "../support/guardedFolder.ts"
import { signInHeadless } from "../support/hosted-pages/hostedFlow.ts"
import { type OpenApiOracle, openApiOracle } from "../support/OpenApiOracle.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { startFaultyProxy } from "../support/peers/faultyProxy.ts"
import { startRedis } from "../support/peers/RedisServer.ts"
import { startReceiver } from "../support/peers/webhookReceiver.ts"
import { startPostgres } from "../support/PostgresServer.ts"
import { listProcesses, severalProcesses } from "../support/processes.ts"
import { RecordingLoad } from "../support/RecordingLoad.ts"
import { smallDisk } from "../support/smallDisk.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

/** The load follows the feed of these. */
const eventTypes = [
  "CUSTOMER_CREATED",
  "DEVICE_CONNECTED",
  "DEVICE_DISCOVERED",
  "DEVICE_UPDATED",
  "COMMAND_SUCCEEDED",
  "COMMAND_FAILED",
  "COMMAND_OVERRIDDEN"
]

const document = new URL("../../packages/domain/openapi.json", import.meta.url)
const clock = fileURLToPath(new URL("../e2e/clockSteps.ts", import.meta.url))
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }

/** A service of several processes that is started again wherever it ends, as a service manager does. */
class Instance {
  readonly name: string
  readonly #options: NonNullable<Parameters<typeof spawnServer>[0]>
  #server: SpawnedServer | undefined
  #isStopping = false

  constructor(name: string, port: number, dataDir: string, env: Readonly<Record<string, string>>) {
    this.name = name
    this.#options = { port, dataDir, env, fromSources: true, preload: "commandCloudAdapter" }
  }

  get server() {
    return this.#server!
  }

  async start() {
    this.#server = await spawnServer(this.#options)
    void this.#server.exited.then(async () => {
      while (!this.#isStopping) {
        // A start ends while the database is gone.
        if (
          await this.start().then(
            () => true,
            () => false
          )
        )
          return
      }
    })
  }

  /** The ids of all of its processes, by their names. */
  processes(): ReadonlyMap<string, number> {
    const named = [...listProcesses(this.server)].map(([name, pid]) => [`${this.name}/${name}`, pid] as const)
    const all = [[`${this.name}/supervisor`, this.server.pid] as const, ...named]
    return new Map(all.filter(([, pid]) => existsSync(`/proc/${pid}/exe`)))
  }

  async stop() {
    this.#isStopping = true
    await this.server.stop()
  }
}

/** PostgreSQL in memory on a disk that can be filled, if this account may mount one. */
const startDatabase = async (withSmallDisk: boolean) => {
  if (!withSmallDisk) return { postgres: await startPostgres(), disk: undefined, remove: async () => {} }
  const folder = await guardedFolder("edp-chaos-disk", { parent: "/tmp" })
  chmodSync(folder.path, 0o755)
  const disk = smallDisk(folder.path, "any", 700)
  // A mount would outlive this process.
  process.once("exit", disk.remove)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))
  if (disk.fillUp !== undefined) process.env["EDP_TEST_MEMORY"] = disk.path
  const settings = { max_wal_size: "128MB", min_wal_size: "32MB" }
  const postgres = await startPostgres({ settings })
  const remove = async () => {
    disk.remove()
    await folder.remove()
  }
  return { postgres, disk: disk.fillUp === undefined ? undefined : disk, remove }
}

/** An account of the simulated manufacturer, whose home has a device of each type. */
const linkSimulator = async (baseUrl: string, key: string) => {
  const location = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
  const body = {
    mode: "headless",
    referenceId: "user-2",
    redirectUrl: "https://example.com/connected",
    manufacturerFilters: { manufacturers: ["simulator"] },
    customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location }
  }
  const { body: session } = await callAt(baseUrl, "POST", "/v1/connections", { key, body })
  await signInHeadless(baseUrl, session.url)
}

/**
 * Two instances of several processes each, on PostgreSQL and Redis, with what they speak to. The second instance reaches PostgreSQL, and all
 * deliveries their receiver, through proxies.
 */
export const install = async ({ pause, withSmallDisk }: { pause: number; withSmallDisk: boolean }) => {
  const database = await startDatabase(withSmallDisk)
  const { disk, postgres } = database
  const folder = await guardedFolder("edp-chaos")
  const [redis, receiver, cloud] = await Promise.all([startRedis(), startReceiver(), startCommandCloud(10)])
  const databaseProxy = await startFaultyProxy(postgres.port)
  const receiverProxy = await startFaultyProxy(Number(new URL(receiver.url).port))
  const newInstance = async (name: string, databaseUrl: string) =>
    new Instance(name, await freePort(), join(folder.path, name), {
      ...limits,
      ...severalProcesses,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_COMMANDCLOUD_BASE_URL: cloud.url,
      EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes",
      NODE_OPTIONS: `--import=${clock}`
    })
  const proxied = postgres.url.replace(`:${postgres.port}/`, `:${databaseProxy.port}/`)
  const instances = [await newInstance("one", postgres.url), await newInstance("two", proxied)] as const
  for (const instance of instances) await instance.start()

  const { baseUrl, credentials } = instances[0].server
  const webhook = { url: `http://127.0.0.1:${receiverProxy.port}/`, eventTypes }
  const devices = await arrangeLoad(baseUrl, credentials, postgres.url, cloud, { inverters: 4, ...webhook })
  await linkSimulator(baseUrl, credentials.serverKey)

  /** Responses that the OpenAPI document does not allow, and those with the status 500. */
  const undocumented: Array<string> = []
  const oracle: OpenApiOracle = openApiOracle(JSON.parse(readFileSync(document, "utf8")))
  const check = (method: string, path: string, { headers, status, text }: Reply) => {
    try {
      if (status === 500) throw new Error(`${method} ${path} responded with 500: ${text}`)
      oracle.check(method, path, status, headers, text)
    } catch (error) {
      undocumented.push(`${error}`)
    }
  }
  const options = { keys: credentials, ...devices, pause, reads: true, check }
  const load = new RecordingLoad(
    instances.map(({ server }) => server.baseUrl),
    options
  )
  return {
    cloud,
    credentials,
    databaseProxy,
    deviceIds: devices.deviceIds,
    disk,
    eventTypes,
    instances,
    load,
    postgres,
    receiver,
    receiverProxy,
    redis,
    undocumented,
    stop: async () => {
      databaseProxy.setMode("clear")
      await Promise.all(instances.map((instance) => instance.stop().catch(() => {})))
      await Promise.all([databaseProxy.stop(), receiverProxy.stop(), redis.close(), postgres.stop()])
      cloud.stop()
      await folder.remove()
      await database.remove()
      await receiver.stop()
    }
  }
}

export type Installation = Awaited<ReturnType<typeof install>>

/** Memory in MB and open file descriptors of each process. */
export const measureProcesses = ({ instances }: Pick<Installation, "instances">) =>
  new Map(
    instances
      .flatMap((instance) => [...instance.processes()])
      .map(([name, pid]) => [
        name,
        { megabytes: residentMegabytes(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length }
      ])
  )

export type Measured = ReturnType<typeof measureProcesses>

/** Waits until every process of every instance is there and serves. */
export const whole = ({ instances }: Installation) =>
  eventually("all processes are running", async () => {
    for (const instance of instances) {
      if (instance.processes().size < 4) return undefined
      const ready = await callAt(instance.server.baseUrl, "GET", "/health/ready", { patience: 5000 }).catch(
        () => undefined
      )
      if (ready?.status !== 200) return undefined
    }
    return true
  })
