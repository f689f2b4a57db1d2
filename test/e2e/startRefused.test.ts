import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { ConfigProvider, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { type Credentials, runServer, type ServerOptions, spawnServer } from "../support/spawnServer.ts"
import { listenAsPostgres } from "../support/peers/fakePostgres.ts"
import { anyText, knownSettings, wrongSettings } from "./wrongSettings.ts"

/** A start that must fail: one line on stderr, nothing else, exit code 1. Returns the line. */
const refusal = async (options: ServerOptions): Promise<string> => {
  const run = await runServer(options)
  expect(run).toMatchObject({ code: 1, signal: null, stdout: "", stderr: expect.stringMatching(/^edp: [^\n]+\n$/) })
  return run.stderr.trimEnd()
}

/** Root ignores file permissions, unless it drops these two capabilities. */
const unprivileged = process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : []

const permissionsHold = () => {
  try {
    execFileSync(unprivileged[0] ?? "true", [...unprivileged.slice(1), ...(unprivileged.length > 0 ? ["true"] : [])])
    return true
  } catch {
    return false
  }
}

const listenOn = (port: number) =>
  new Promise<() => void>((resolve) => {
    const server = createServer()
    server.listen(port, "127.0.0.1", () => resolve(() => void server.close()))
  })

let folder: GuardedFolder
let dataDir: string
let credentials: Credentials
beforeAll(async () => {
  folder = await guardedFolder("edp-refused")
  dataDir = join(folder.path, "data")
  const server = await spawnServer({ dataDir })
  credentials = server.credentials
  await server.stop()
})
afterAll(() => folder.remove())

/** The folder still starts, with its keys unchanged. */
const unharmed = async () => {
  const server = await spawnServer({ dataDir })
  const { status } = await callAt(server.baseUrl, "GET", "/v1/api-keys", { key: credentials.managementKey })
  expect(status).toBe(200)
  await server.stop()
}

test("a start on an older Node.js names the version that the service needs", async () => {
  const NODE_OPTIONS = "--import=data:text/javascript,delete%20globalThis.Temporal"
  expect(await refusal({ env: { NODE_OPTIONS } })).toBe(
    `edp: the service needs Node.js 26 or newer, and this is ${process.versions.node}`
  )
})

describe("a port that is in use", () => {
  test("is reported before a database or a key is created", async () => {
    const port = await freePort()
    const free = await listenOn(port)
    const fresh = join(folder.path, "fresh")
    expect(await refusal({ port, dataDir: fresh })).toBe(`edp: 127.0.0.1:${port} is in use: set PORT to another port`)
    expect(existsSync(fresh)).toBe(false)
    free()
  })

  test("is reported for EDP_METRICS_PORT, too", async () => {
    const port = await freePort()
    const free = await listenOn(port)
    expect(await refusal({ dataDir, env: { EDP_METRICS_PORT: `${port}` } })).toBe(
      `edp: 127.0.0.1:${port} is in use: set EDP_METRICS_PORT to another port`
    )
    free()
    await unharmed()
  })
})

describe("a data folder", () => {
  test("that is a file", async () => {
    const path = join(folder.path, "file")
    await writeFile(path, "mine")
    expect(await refusal({ dataDir: path })).toBe(
      `edp: cannot use the data folder ${path}: there is a file of that name`
    )
    expect(await readFile(path, "utf8")).toBe("mine")
  })

  test("below a file", async () => {
    const path = join(folder.path, "file", "data")
    expect(await refusal({ dataDir: path })).toBe(
      `edp: cannot use the data folder ${path}: a part of the path is a file`
    )
  })

  test("with something else as its pgdata is refused", async () => {
    const path = join(folder.path, "other")
    await mkdir(join(path, "pgdata"), { recursive: true })
    await writeFile(join(path, "pgdata", "diary"), "mine")
    expect(await refusal({ dataDir: path })).toContain("is not a database")
    expect(await readFile(join(path, "pgdata", "diary"), "utf8")).toBe("mine")
  })

  test.skipIf(!permissionsHold()).each([
    ["unreadable", 0o000],
    ["not writable", 0o500]
  ])("that is %s", async (_, mode) => {
    await chmod(dataDir, mode)
    const line = await refusal({ dataDir, through: unprivileged })
    await chmod(dataDir, 0o700)
    expect(line).toBe(`edp: cannot use the data folder ${dataDir}: permission denied`)
    await unharmed()
  })

  test("that another server uses: the other server keeps running", async () => {
    const server = await spawnServer({ dataDir })
    const line = await refusal({ dataDir })
    expect(line).toBe(`edp: another server (pid ${server.pid}) uses the data folder ${dataDir}`)
    const { managementKey: key } = credentials
    expect((await callAt(server.baseUrl, "GET", "/v1/workspaces", { key })).status).toBe(200)
    await server.stop()
    await unharmed()
  })
})

describe("a database that cannot be used", () => {
  const secret = "hunter2hunter2"
  const refusedUrl = async (url: string) => {
    const line = await refusal({ env: { DATABASE_URL: url } })
    expect(line).not.toContain(secret)
    return line
  }

  test("because nobody listens there", async () => {
    const port = await freePort()
    expect(await refusedUrl(`postgres://edp:${secret}@127.0.0.1:${port}/edp`)).toBe(
      `edp: cannot reach PostgreSQL at 127.0.0.1:${port} for database "edp": connection refused`
    )
  })

  test("because it is too old", async () => {
    const port = await listenAsPostgres("14.19", "140019")
    expect(await refusedUrl(`postgres://edp:${secret}@127.0.0.1:${port}/edp`)).toBe(
      `edp: PostgreSQL at 127.0.0.1:${port} is version 14.19, but 15 or newer is needed`
    )
  })

  describePostgres("on PostgreSQL", () => {
    let postgres: PostgresServer
    beforeAll(async () => {
      postgres = await startPostgres({ fsync: false, auth: "password" })
    })
    afterAll(() => postgres.stop())

    test("because the password is wrong", async () => {
      const url = new URL(postgres.url)
      url.password = secret
      expect(await refusedUrl(url.href)).toMatch(
        /refused user "edp" for database "edp": password authentication failed/
      )
    })

    test("because it does not exist", async () => {
      expect(await refusedUrl(postgres.url.replace(/edp$/, "absent"))).toContain('has no database "absent"')
    })
  })
})

describe("a command line", () => {
  test("with an unknown command names those there are", async () => {
    expect(await refusal({ args: ["server"] })).toMatch(/^edp: unknown command server: .*serve.*migrate.*recover-key/)
  })

  test.each(["constructor", "toString", "__proto__"])("does not take %s for a command", async (name) => {
    expect(await refusal({ args: [name] })).toContain(`unknown command ${name}`)
  })
})

describe("a setting", () => {
  const isFirst = (name: string, at: number) => wrongSettings.findIndex(([other]) => other === name) === at

  test("that the server reads has wrong values here", async () => {
    const covered = [...wrongSettings.map(([name]) => name), ...anyText]
    expect([...new Set(covered)].sort()).toEqual([...(await knownSettings())].sort())
  })

  test.each(wrongSettings)("%s=%s is refused by its name, with what it takes", async (name, value) => {
    const read = Layer.build(ServerConfig.layer).pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { [name]: value } })))
    )
    const { message } = await Effect.runPromise(Effect.flip(Effect.scoped(read)))
    expect(message).toMatch(new RegExp(`^${name} must be .+`))
  })

  // The same code reads every setting, so a few processes are enough.
  const ofProcess = [
    "PORT",
    "DATABASE_URL",
    "EDP_TELEMETRY_RETENTION",
    "SMTP_URL",
    "EDP_LOG",
    "EDP_ROLE",
    "EDP_PROCESSES"
  ]
  test.concurrent.each(wrongSettings.filter(([name], at) => ofProcess.includes(name) && isFirst(name, at)))(
    "%s=%s ends the start before anything is made",
    async (name, value) => {
      // With this folder present, the server does not prepare a database in advance, which would cost time here.
      const dataDir = join(folder.path, `wrong-${name}-${encodeURIComponent(value)}`)
      await mkdir(join(dataDir, "pgdata"), { recursive: true })
      const line = await refusal({ dataDir, env: { [name]: value } })
      expect(line).toMatch(new RegExp(`^edp: ${name} must be .+`))
      expect(await readdir(dataDir, { recursive: true })).toEqual(["pgdata"])
    }
  )

  test("that holds a secret is not repeated", async () => {
    const line = await refusal({ env: { DATABASE_URL: "mysql://edp:hunter2@db/edp" } })
    expect(line).not.toContain("hunter2")
  })

  test("EDP_HOST that is not an address of this machine is reported", async () => {
    expect(await refusal({ env: { EDP_HOST: "192.0.2.1" } })).toMatch(
      /^edp: 192\.0\.2\.1:\d+ is not an address of this machine: set EDP_HOST to one$/
    )
  })

  test("a separate worker needs PostgreSQL", async () => {
    expect(await refusal({ env: { EDP_ROLE: "worker" } })).toMatch(
      /^edp: EDP_ROLE must be all on the embedded database$/
    )
  })

  test("several processes need PostgreSQL", async () => {
    expect(await refusal({ env: { EDP_PROCESSES: "2" } })).toMatch(
      /^edp: EDP_PROCESSES must be 1 or auto on the embedded database/
    )
  })
})
