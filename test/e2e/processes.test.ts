import { existsSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { closeAll, rpcStation, until } from "../adapters/ocpp/platform.ts"
import { openStream } from "../server/dashboard/openStream.ts"
import { callAt, readStatus } from "../support/callAt.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import {
  killProcess,
  listProcesses,
  processNames,
  readLines,
  replaced,
  severalProcesses
} from "../support/processes.ts"
import { untilLockWait } from "../support/races.ts"
import { runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { times } from "./fleet.ts"
import { begin, commander, end, link, socketUrl, status } from "./stations.ts"

interface Asked {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly requestId: string
}

/** Reads over a connection of its own, so that any of the processes gets the request. */
const readOnce = (baseUrl: string, path: string, key: string): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const call = request(baseUrl + path, { agent: false, headers: { "Service-Api-Key": key } }, (response) => {
      response.resume()
      response.on("end", () => {
        const { headers, statusCode } = response
        resolve({ status: statusCode!, headers, requestId: `${headers["x-request-id"]}` })
      })
    })
    call.on("error", reject)
    call.end()
  })

/** The process that has responded to a request, as the log tells. */
const findProcess = (server: SpawnedServer, requestId: string) =>
  eventually("the request is logged", () => readLines(server).find((line) => line.requestId === requestId)?.process)

afterEach(closeAll)

describePostgres("a service with two API processes and a worker", () => {
  const databases = useDatabases()
  let server: SpawnedServer
  let database: Client
  const start = async (env: Readonly<Record<string, string>> = {}) =>
    spawnServer({
      env: { DATABASE_URL: databases.url, EDP_ALLOW_PRIVATE_DESTINATIONS: "true", ...severalProcesses, ...env }
    })
  beforeAll(async () => {
    server = await start()
    database = new Client({ connectionString: databases.url })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    expect(await server.stop()).toBe(0)
  })

  const newKey = async (type: string) => {
    const body = { name: "Another", type }
    const made = await callAt(server.baseUrl, "POST", "/v1/api-keys", { key: server.credentials.managementKey, body })
    expect(made.status, made.text).toBe(201)
    return made.body.key as string
  }

  test("shares its port among the API processes, and names the process in each line of one log", async () => {
    expect([...listProcesses(server).keys()].toSorted()).toEqual(processNames)
    const { serverKey } = server.credentials
    const responses = await Promise.all(times(40).map(() => readOnce(server.baseUrl, "/v1/sites", serverKey)))
    expect(responses.map((one) => one.status)).toEqual(times(40).map(() => 200))
    const by = await Promise.all(responses.map(({ requestId }) => findProcess(server, requestId)))
    expect([...new Set(by)].toSorted()).toEqual(["api-1", "api-2"])
    expect(readLines(server).filter((line) => line.process === undefined)).toEqual([])
    expect(readLines(server).filter(({ message }) => /is running at/u.test(message))).toHaveLength(1)
  })

  test("admits a key exactly as often as its limit says, whichever process it asks", async () => {
    const readInOneWindow = async (): Promise<ReadonlyArray<Asked>> => {
      const key = await newKey("SERVER")
      const responses: Array<Asked> = []
      for (const _ of times(11))
        responses.push(...(await Promise.all(times(30).map(() => readOnce(server.baseUrl, "/v1/sites", key)))))
      const windows = new Set(responses.map(({ headers }) => headers["x-ratelimit-reset"]))
      return windows.size === 1 ? responses : readInOneWindow()
    }
    const responses = await readInOneWindow()
    const admitted = responses.filter((one) => one.status === 200)
    expect(admitted).toHaveLength(300)
    expect(responses.filter((one) => one.status === 429)).toHaveLength(30)
    const remaining = admitted.map(({ headers }) => Number(headers["x-ratelimit-remaining"]))
    expect(remaining.toSorted((one, other) => one - other)).toEqual(times(300))
    const first = await findProcess(server, responses[0]!.requestId)
    const by = await Promise.all(responses.map(({ requestId }) => findProcess(server, requestId)))
    expect(by.filter((name) => name !== first).length).toBeGreaterThan(0)
  })

  /** The values of a metric, by its labels. */
  const scrape = async (name: string) => {
    const { text } = await callAt(server.baseUrl, "GET", "/metrics", { key: server.credentials.managementKey })
    const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    return lines.map((line) => ({ labels: line, value: Number(line.slice(line.lastIndexOf(" ") + 1)) }))
  }
  const countReads = async () => {
    const counts = await scrape("http_server_request_duration_seconds_count")
    return counts.find(({ labels }) => labels.includes('"/v1/tags"'))?.value ?? 0
  }

  test("tells the figures of all processes together, which do not fall when one is killed", async () => {
    const key = await newKey("SERVER")
    await Promise.all(times(20).map(() => readOnce(server.baseUrl, "/v1/tags", key)))
    expect(await countReads()).toBe(20)
    const memory = (await scrape("process_resident_memory_bytes"))[0]!.value
    expect(memory).toBeGreaterThan(350_000_000)
    expect((await scrape("edp_processes")).map(({ value }) => value)).toEqual([2, 1])
    expect((await scrape("edp_build_info")).map(({ value }) => value)).toEqual([1])
    for (const name of ["api-1", "api-2"]) await killProcess(server, name)
    await Promise.all(times(5).map(() => readOnce(server.baseUrl, "/v1/tags", key)))
    expect(await countReads()).toBe(25)
    const ends = await scrape("edp_process_ends_total")
    expect(ends.map(({ value }) => value)).toEqual([1, 1, 0])
  })

  test("replaces a killed process of any kind within a second, logs it, and goes on meanwhile", async () => {
    const received: Array<string> = []
    const receiver = createServer((call, response) => {
      received.push(call.url!)
      call.resume().on("end", () => response.writeHead(204).end())
    })
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
    onTestFinished(() => void receiver.close())
    const key = await newKey("SERVER")
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const body = { destinationType: "WEBHOOK", url, eventTypes: ["CUSTOMER_CREATED"] }
    expect((await callAt(server.baseUrl, "POST", "/v1/destinations", { key, body })).status).toBe(201)

    for (const [round, name] of processNames.entries()) {
      const pid = listProcesses(server).get(name)!
      process.kill(pid, "SIGKILL")
      const killed = performance.now()
      const next = await eventually(`another process ${name} has started`, () => {
        const now = listProcesses(server).get(name)
        return now === pid ? undefined : now
      })
      // A second on a machine that is not loaded with other tests.
      expect(performance.now() - killed).toBeLessThan(15_000)
      expect((await readOnce(server.baseUrl, "/v1/sites", key)).status).toBe(200)
      await eventually("its end is logged", () =>
        readLines(server).find((line) => line.pid === pid && /has ended \(SIGKILL\)/u.test(line.message))
      )
      await eventually("the new one is running", () =>
        readLines(server).find((line) => line.pid === next && line.message.endsWith("is running"))
      )
      expect((await callAt(server.baseUrl, "POST", "/v1/customers", { key, body: {} })).status).toBe(201)
      await eventually("the event is delivered", () => (received.length > round ? true : undefined))
    }
  })

  test("kills processes that stand still, and others serve in their place", async () => {
    const frozen = ["api-2", "worker-1"].map((name) => [name, listProcesses(server).get(name)!] as const)
    for (const [, pid] of frozen) process.kill(pid, "SIGSTOP")
    for (const [name, pid] of frozen) await replaced(server, name, pid)
    for (const [, pid] of frozen) {
      const lines = readLines(server).filter((line) => line.pid === pid)
      expect(lines.filter(({ message }) => /has not responded for 15 seconds/u.test(message))).toHaveLength(1)
    }
    const key = await newKey("SERVER")
    const responses = await Promise.all(times(20).map(() => readOnce(server.baseUrl, "/v1/sites", key)))
    expect(responses.map((one) => one.status)).toEqual(times(20).map(() => 200))
  })

  test("sends events to the streams of every process", async () => {
    const key = server.credentials.managementKey
    const streams = await Promise.all(times(12).map(() => openStream(server.baseUrl, key)))
    onTestFinished(async () => void (await Promise.all(streams.map((stream) => stream.close()))))
    await Promise.all(streams.map((stream) => stream.find("the snapshot", ({ event }) => event === "snapshot")))
    const body = { address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" } }
    const site = await callAt(server.baseUrl, "POST", "/v1/sites", { key: server.credentials.serverKey, body })
    const alert = { siteId: site.body.id, title: "Dark", sourceSystem: "watch", severity: "CRITICAL" }
    const raised = await callAt(server.baseUrl, "POST", "/v1/alerts", {
      key: server.credentials.serverKey,
      body: alert
    })
    expect(raised.status, raised.text).toBe(201)
    await Promise.all(
      streams.map((stream) =>
        stream.find("the alert", ({ data }) => data.kind === "event" && data.type === "ALERT_CREATED")
      )
    )
    await Promise.all(streams.map((stream) => stream.close()))
    const lines = await eventually("the streams are logged", () => {
      const found = readLines(server).filter(({ path }) => path === "/dashboard/api/stream")
      return found.length === streams.length ? found : undefined
    })
    expect(new Set(lines.map((line) => line.process)).size).toBe(2)
  })

  test("takes commands for a charging station in any process, and the one with its connection sends them", async () => {
    const { login, scopedKey, station: first } = await link(server, server.credentials.serverKey, "CP-1")
    const { reached, send } = await commander(server, scopedKey, "CP-1")
    let station = first
    for (const _ of times(4)) {
      await station.call("StatusNotification", status("Preparing"))
      const starting = await send("start-charging")
      await until("the station is asked to start", () => station.asked("RemoteStartTransaction").length === 1)
      const transactionId = await begin(station)
      await reached(starting, "completed")
      const stopping = await send("stop-charging")
      await until("the station is asked to stop", () => station.asked("RemoteStopTransaction").length === 1)
      await end(station, transactionId)
      await reached(stopping, "completed")
      // Its next connection may reach another process.
      station = await rpcStation(socketUrl(server), login, "ocpp1.6")
    }
    const { rows } = await database.query("SELECT DISTINCT attempts, status FROM commands")
    expect(rows).toEqual([{ attempts: 0, status: "completed" }])
    await eventually("all connections are logged", () =>
      readLines(server).filter((line) => line.status === 101).length >= 5 ? true : undefined
    )
  })

  test("backs off from a process that ends at each start, and serves meanwhile", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "edp-broken-"))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    const broken = join(dataDir, "broken")
    const preload = `import { existsSync } from "node:fs"
      if (process.argv[3] === "worker-1" && existsSync(${JSON.stringify(broken)})) process.exit(3)`
    const other = await start({
      DATABASE_URL: await databases.create(),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`
    })
    onTestFinished(() => other.kill9())
    writeFileSync(broken, "")
    process.kill(listProcesses(other).get("worker-1")!, "SIGKILL")
    const pauses = () =>
      readLines(other).flatMap(({ message }) => /another one is started (.*)$/u.exec(message)?.slice(1) ?? [])
    await eventually("it has ended again and again", () => (pauses().length >= 5 ? true : undefined))
    // It may have lived for long before it was killed.
    const afterStarts = pauses().filter((pause) => pause !== "at once")
    expect(afterStarts.slice(0, 3)).toEqual(["in 0.5 seconds", "in 1 seconds", "in 2 seconds"])
    expect((await readOnce(other.baseUrl, "/v1/sites", other.credentials.serverKey)).status).toBe(200)
    rmSync(broken)
    await eventually("it is running again", () => (listProcesses(other).has("worker-1") ? true : undefined))
    expect(await other.stop()).toBe(0)
  })

  test("finishes the requests of all processes at SIGTERM, and ends them with one last line", async () => {
    const url = await databases.create()
    const other = await start({ DATABASE_URL: url, EDP_DATABASE_POOL: "10" })
    const stranger = new Client({ connectionString: url })
    await stranger.connect()
    await stranger.query("BEGIN; LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE")
    const { managementKey } = other.credentials
    const reading = times(4).map(() => readOnce(other.baseUrl, "/v1/workspaces", managementKey))
    const waiting = { sessions: reading.length, statement: "SELECT count(*)%FROM workspaces%" }
    await untilLockWait(url, "the requests wait in the database", waiting)
    const pids = [...listProcesses(other).values()]
    process.kill(other.pid, "SIGTERM")
    await eventually("no process takes connections", async () =>
      (await readStatus(`${other.baseUrl}/health/live`, 2000)) === undefined ? true : undefined
    )
    await stranger.query("COMMIT")
    await stranger.end()
    const responses = await Promise.all(reading)
    expect(responses.map((one) => one.status)).toEqual(times(4).map(() => 200))
    expect(await other.exited).toEqual({ code: 0, signal: null })
    expect(other.stderr()).toBe("")
    const lines = readLines(other)
    expect(lines.at(-1)).toMatchObject({ message: "The Energy Device Platform has stopped after SIGTERM" })
    expect(lines.filter(({ message }) => /has (?:stopped|ended)/u.test(message))).toHaveLength(1)
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  })

  test("ends with its supervisor, however that ends", async () => {
    const other = await start({ DATABASE_URL: await databases.create() })
    const pids = [...listProcesses(other).values()]
    expect(pids).toHaveLength(3)
    await other.kill9()
    for (const pid of pids) {
      await eventually("the process is gone", () => (existsSync(`/proc/${pid}`) ? undefined : true))
    }
  })

  test("a process that is told to stop is replaced, too", async () => {
    const pid = listProcesses(server).get("api-2")!
    process.kill(pid, "SIGTERM")
    await replaced(server, "api-2", pid)
    const line = readLines(server).find((one) => one.pid === pid && one.level === "WARN")
    expect(line?.message).toMatch(/^The process api-2 has ended \(exit code 0\); another one is started/u)
  })

  describe("a start that is refused", () => {
    const refusal = async (env: Readonly<Record<string, string>>, port?: number) => {
      const run = await runServer({
        env: { DATABASE_URL: databases.url, ...severalProcesses, ...env },
        ...(port !== undefined && { port })
      })
      expect(run).toMatchObject({
        code: 1,
        signal: null,
        stdout: "",
        stderr: expect.stringMatching(/^edp: [^\n]+\n$/u)
      })
      return run.stderr.trimEnd()
    }

    test("because of a setting ends with one line, though every process refuses it", async () => {
      expect(await refusal({ EDP_RATE_LIMIT_READ: "many" })).toBe(
        "edp: EDP_RATE_LIMIT_READ must be requests a minute from 1 to 1000000"
      )
    })

    test("because of the database ends with one line", async () => {
      const url = `postgres://edp@127.0.0.1:${await freePort()}/edp`
      expect(await refusal({ DATABASE_URL: url })).toMatch(/^edp: cannot reach PostgreSQL at 127/u)
    })

    test("because of the port ends with one line, though the one that has it shares it among processes of its own", async () => {
      expect(await refusal({}, server.port)).toBe(`edp: 127.0.0.1:${server.port} is in use: set PORT to another port`)
    })
  })
})
