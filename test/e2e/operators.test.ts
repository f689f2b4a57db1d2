import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { shellBlocks } from "../support/documents.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { launch, runProgram } from "../support/launch.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { type Credentials, sharedEncryptionKey, spawnServer } from "../support/spawnServer.ts"
import { surroundings } from "../support/surroundings.ts"
import { knownSettings } from "./wrongSettings.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The commands of docs/operations.md that are marked as run here under this name. */
const commands = (name: string) => {
  const marked = `test/e2e/operators.test.ts runs it as ${name}`
  const [block, ...others] = shellBlocks("docs/operations.md").filter(({ notRun }) => notRun === marked)
  expect(others, name).toEqual([])
  return block!.text
}

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-operators")
})
afterAll(() => folder.remove())

/** A folder to work in that has the repository's `deploy`. */
const workFolder = (name: string) => {
  const path = join(folder.path, name)
  mkdirSync(path)
  symlinkSync(join(root, "deploy"), join(path, "deploy"))
  return path
}

const runIn = (cwd: string, name: string, env: Readonly<Record<string, string>> = {}) =>
  runProgram("bash", ["-euo", "pipefail", "-c", commands(name)], { cwd, env: { ...surroundings(), ...env } })

const webhook = { destinationType: "WEBHOOK", url: "http://127.0.0.1:9/", eventTypes: ["CUSTOMER_CREATED"] }

/** Stores a record, and one with a secret that only the encryption key decrypts. */
const writeData = async (baseUrl: string, { serverKey: key }: Credentials) => {
  const customer = await callAt(baseUrl, "POST", "/v1/customers", { key, body: { firstName: "Ada" } })
  const destination = await callAt(baseUrl, "POST", "/v1/destinations", { key, body: webhook })
  expect([customer.status, destination.status]).toEqual([201, 201])
  const paths = [`/v1/customers/${customer.body.id}`, `/v1/destinations/${destination.body.id}`]
  const readData = async (url: string) =>
    Promise.all(paths.map(async (path) => (await callAt(url, "GET", path, { key })).body))
  return { before: await readData(baseUrl), readData }
}

describePostgres("on PostgreSQL", () => {
  let postgres: PostgresServer
  let cwd: string
  let admin: Readonly<Record<string, string>>
  const query = async (url: string, statement: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }
  const ownUrl = () => {
    const url = new URL(postgres.adminUrl)
    url.username = "edp"
    url.password = readFileSync(join(cwd, "database_password"), "utf8").trim()
    url.pathname = "/edp"
    return url.href
  }
  const destroy = async () => {
    for (const what of ["DATABASE edp", "ROLE edp", "ROLE IF EXISTS edp_reader"]) {
      await query(postgres.adminUrl, `DROP ${what}`)
    }
  }
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false, auth: "password" })
    cwd = workFolder("postgres")
    const { hostname, password, port, username } = new URL(postgres.adminUrl)
    admin = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password, PGDATABASE: "postgres" }
    await destroy()
    await runIn(cwd, "postgres.sql", admin)
  })
  afterAll(() => postgres.stop())

  test("deploy/postgres.sql creates a role that owns its database and has no other rights", async () => {
    const roles = await query(
      postgres.adminUrl,
      `SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS may_more
       FROM pg_roles WHERE rolname LIKE 'edp%' ORDER BY rolname`
    )
    expect(roles).toEqual([
      { rolname: "edp", may_more: false },
      { rolname: "edp_reader", may_more: false }
    ])
    expect(
      await query(ownUrl(), "SELECT current_user, has_database_privilege('postgres', 'CREATE') AS elsewhere")
    ).toEqual([{ current_user: "edp", elsewhere: false }])
    await query(postgres.adminUrl, "CREATE ROLE stranger LOGIN PASSWORD 'strange'")
    const strange = new URL(ownUrl())
    strange.username = "stranger"
    strange.password = "strange"
    await expect(query(strange.href, "SELECT 1")).rejects.toThrow(/permission denied for database/)
  })

  test("a back-up is restored on the same server, and on one without the roles, with everything in it", async () => {
    const dataDir = join(cwd, "data")
    const env = { DATABASE_URL: ownUrl(), EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
    const first = await spawnServer({ dataDir, env })
    const { before, readData } = await writeData(first.baseUrl, first.credentials)

    await query(postgres.adminUrl, "ALTER ROLE edp_reader PASSWORD 'for-tests-only'")
    const reader = new URL(ownUrl())
    reader.username = "edp_reader"
    reader.password = "for-tests-only"
    expect(await query(reader.href, "SELECT first_name FROM customers")).toEqual([{ first_name: "Ada" }])
    await expect(query(reader.href, "DELETE FROM customers")).rejects.toThrow(/permission denied/)

    await runIn(cwd, "back up PostgreSQL", { DATABASE_URL: reader.href })
    const late = await callAt(first.baseUrl, "POST", "/v1/customers", { key: first.credentials.serverKey, body: {} })
    expect(await first.stop()).toBe(0)
    await runIn(cwd, "restore PostgreSQL", { ...admin, DATABASE_URL: ownUrl() })
    expect(await query(ownUrl(), "SELECT first_name FROM customers")).toEqual([{ first_name: "Ada" }])
    expect(await query(reader.href, "SELECT first_name FROM customers")).toEqual([{ first_name: "Ada" }])
    const second = await spawnServer({ dataDir, env })
    expect(await readData(second.baseUrl)).toEqual(before)
    const { status } = await callAt(second.baseUrl, "GET", `/v1/customers/${late.body.id}`, {
      key: first.credentials.serverKey
    })
    expect([late.status, status]).toEqual([201, 404])
    expect(await second.stop()).toBe(0)

    await destroy()
    rmSync(join(cwd, "database_password"))
    await runIn(cwd, "postgres.sql", admin)
    await runIn(cwd, "restore PostgreSQL", { ...admin, DATABASE_URL: ownUrl() })
    const third = await spawnServer({ dataDir, env: { ...env, DATABASE_URL: ownUrl() } })
    expect(await readData(third.baseUrl)).toEqual(before)
    // Partitions, triggers and sequences are restored, too.
    const again = await writeData(third.baseUrl, first.credentials)
    expect(again.before).toHaveLength(2)
    expect(await third.stop()).toBe(0)
  })

  test("settings can be read from files, as containers receive secrets", async () => {
    const files = { DATABASE_URL: ownUrl(), EDP_ENCRYPTION_KEY: sharedEncryptionKey }
    for (const [name, value] of Object.entries(files)) writeFileSync(join(cwd, name), `${value}\n`)
    const env = Object.fromEntries(Object.keys(files).map((name) => [`${name}_FILE`, join(cwd, name)]))
    const server = await spawnServer({ env })
    const rows = await query(ownUrl(), "SELECT application_name FROM pg_stat_activity WHERE application_name = 'edp'")
    expect(rows.length).toBeGreaterThan(0)
    expect(existsSync(join(server.dataDir, "pgdata"))).toBe(false)
    await server.stop()
  })
})

describe("the embedded database", () => {
  test("is backed up as a folder while no server runs, and restored with everything in it", async () => {
    const cwd = workFolder("embedded")
    const dataDir = join(cwd, ".edp")
    const first = await spawnServer({ dataDir })
    const { before, readData } = await writeData(first.baseUrl, first.credentials)
    await expect(runIn(cwd, "back up the folder")).rejects.toThrow()
    expect(await first.stop()).toBe(0)
    await runIn(cwd, "back up the folder")
    rmSync(dataDir, { recursive: true })
    await runIn(cwd, "restore the folder")
    const second = await spawnServer({ dataDir })
    expect(await readData(second.baseUrl)).toEqual(before)
    expect(await second.stop()).toBe(0)
  })
})

describe("a checkout with what production needs", () => {
  /** The repository as it is now, committed as two versions. */
  const publish = () => {
    const source = join(folder.path, "published")
    const git = (...args: ReadonlyArray<string>) => {
      const names = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "advice.detachedHead=false"]
      return execFileSync("git", [...names, ...args], {
        cwd: source,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"]
      })
    }
    mkdirSync(source)
    const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for (const path of execFileSync("git", listed, { cwd: root, encoding: "utf8" }).split("\0")) {
      if (path === "" || !existsSync(join(root, path))) continue
      mkdirSync(dirname(join(source, path)), { recursive: true })
      cpSync(join(root, path), join(source, path))
    }
    git("init", "--quiet")
    for (const version of ["v1.0.0", "v1.0.1"]) {
      writeFileSync(join(source, "VERSION"), version)
      git("add", "--all")
      git("commit", "--quiet", "--message", version)
      git("tag", version)
    }
    const checkout = join(folder.path, "checkout")
    execFileSync("git", ["clone", "--quiet", source, checkout])
    execFileSync("git", ["checkout", "--quiet", "v1.0.0"], { cwd: checkout })
    return checkout
  }

  test("starts without development tools, on the Node that it installs, is upgraded, and returns to its version", async () => {
    const cwd = publish()
    // Scripts find the tests' Node on their path; a real machine may have none that runs TypeScript.
    const PATH = surroundings()
      .PATH!.split(":")
      .filter((part) => !part.includes("node_modules"))
      .join(":")
    const env = { ...surroundings(), PATH }
    const pnpm = (...args: ReadonlyArray<string>) => runProgram("npx", ["-y", "pnpm@12", ...args], { cwd, env })
    const installed = await pnpm("install", "--prod", "--frozen-lockfile")
    expect(installed).not.toMatch(/Unsupported engine/)
    expect(existsSync(join(cwd, "node_modules", "vitest"))).toBe(false)

    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const start = async () => {
      const server = await launch("npx", ["-y", "pnpm@12", "start"], { cwd, env: { ...env, PORT: `${port}` } })
      folder.protect(server.pid)
      // No time limit: a new checkout compiles everything, and the machine may be busy.
      await server.printed(/is running at/)
      return async () => {
        server.kill("SIGTERM")
        await server.exited
        await eventually("the folder is let go of", () => (existsSync(join(cwd, ".edp", "lock")) ? undefined : true))
      }
    }
    const stopFirst = await start()
    const credentials = JSON.parse(readFileSync(join(cwd, ".edp", "credentials.json"), "utf8"))
    const { before, readData } = await writeData(baseUrl, credentials)
    await stopFirst()
    const runBlock = (name: string, more: Readonly<Record<string, string>> = {}) =>
      runProgram("bash", ["-euo", "pipefail", "-c", commands(name)], { cwd, env: { ...env, ...more } })
    await runBlock("back up the folder")
    await runBlock("upgrade", { VERSION: "1.0.1" })
    expect(readFileSync(join(cwd, "VERSION"), "utf8")).toBe("v1.0.1")
    const stopSecond = await start()
    expect(await readData(baseUrl)).toEqual(before)
    const later = await callAt(baseUrl, "POST", "/v1/customers", { key: credentials.serverKey, body: {} })
    await stopSecond()

    await runBlock("return", { PREVIOUS: "1.0.0" })
    expect(readFileSync(join(cwd, "VERSION"), "utf8")).toBe("v1.0.0")
    renameSync(join(cwd, ".edp"), join(cwd, "newer"))
    await runBlock("restore the folder")
    const stopThird = await start()
    expect(await readData(baseUrl)).toEqual(before)
    const gone = await callAt(baseUrl, "GET", `/v1/customers/${later.body.id}`, { key: credentials.serverKey })
    expect([later.status, gone.status]).toEqual([201, 404])
    await stopThird()
  })
})

describe("the files for operators", () => {
  const files = ["Dockerfile", "compose.yaml", "deploy/systemd/edp.service"]
  const startScript = (JSON.parse(read("package.json")).scripts.start as string).replace(/^(exec )?node /, "")

  test.each(files)("%s names only existing settings", async (file) => {
    const known = await knownSettings()
    const named = [...read(file).matchAll(/\b((?:EDP_|DATABASE_URL|REDIS_URL|SMTP_|SMS_|OTEL_)\w*)\s*[:=]/g)].map(
      ([, name]) => name!.replace(/_FILE$/, "")
    )
    const others = ["EDP_PROXY_PORT", "EDP_DATABASE_PASSWORD"]
    expect(named.filter((name) => !known.has(name) && !others.includes(name))).toEqual([])
    expect(named.length).toBeGreaterThan(0)
  })

  test("container and unit run the same command as `start`", () => {
    const [, entry = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile"))!
    expect(JSON.parse(entry).slice(1).join(" ")).toBe(startScript)
    const [, unit] = /^ExecStart=\/opt\/edp\/node_modules\/\.bin\/node (.*)$/m.exec(read("deploy/systemd/edp.service"))!
    expect(unit).toBe(startScript)
  })

  test("every file that the image copies exists and is not ignored", () => {
    const sources = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
      list!.split(" ")
    )
    expect(sources.length).toBeGreaterThan(5)
    const admitted = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1))
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true)
      expect(
        admitted.some((path) => source === path || source.startsWith(`${path}/`)),
        source
      ).toBe(true)
    }
  })

  test("the image copies the manifest of every package of this repository that it installs, and of optional adapters", () => {
    const toFolder = (name: string) => `packages/${name.replace("@edp/", "").replace(/^adapter-(?!kit$)/, "adapters/")}`
    const needed = new Set(["@edp/server", "@edp/cli", "@edp/adapter-matter"])
    for (const name of needed) {
      const { dependencies = {}, peerDependencies = {} } = JSON.parse(read(`${toFolder(name)}/package.json`))
      for (const other of Object.keys({ ...dependencies, ...peerDependencies })) {
        if (other.startsWith("@edp/")) needed.add(other)
      }
    }
    const copied = [...read("Dockerfile").matchAll(/^COPY (packages\/\S+)\/package\.json \S+$/gm)].map(
      ([, path]) => path
    )
    expect(copied.toSorted()).toEqual([...needed].map(toFolder).toSorted())
  })

  test("the image's health check distinguishes a ready server from a stopped one", async () => {
    const [, check = "[]"] = /^ {2}CMD (\[.*\])$/m.exec(read("Dockerfile"))!
    const [, ...args] = JSON.parse(check) as ReadonlyArray<string>
    const codeAt = async (port: number) =>
      (await (await launch(process.execPath, args, { env: { PORT: `${port}` } })).exited).code
    const server = await spawnServer()
    expect(await codeAt(server.port)).toBe(0)
    await server.stop()
    expect(await codeAt(server.port)).toBe(1)
  })

  test.skipIf(!existsSync("/usr/bin/systemd-analyze"))("systemd accepts the unit", async () => {
    const path = join(folder.path, "edp.service")
    // It checks that the program exists.
    writeFileSync(path, read("deploy/systemd/edp.service").replaceAll("/opt/edp", root.replace(/\/$/, "")))
    expect(await runProgram("systemd-analyze", ["verify", path])).toBe("")
  })
})
