import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { hiddenFields, offered, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { runProgram } from "../support/launch.ts"
import { packOnce } from "../support/packOnce.ts"
import { runServer, spawnServer } from "../support/spawnServer.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))
const document = readFileSync(join(top, "docs/tutorials/first-adapter.md"), "utf8")
const KEY = "volta-key-4711"

/** The files of the document, by path. */
const documented = new Map(
  [...document.matchAll(/^<!-- file: (\S+) -->\n```\w+\n([^]*?)^```$/gm)].map(([, path, text]) => [path!, text!])
)

let outside: GuardedFolder
let folder: string

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(outside.path, path)), { recursive: true })
  writeFileSync(join(outside.path, path), text)
}

/** A package of the workspace as it is installed: what it depends on is found from its real folder. */
const installed = (name: string, from: string) => realpathSync(join(top, from, "node_modules", name))

beforeAll(async () => {
  outside = await guardedFolder("edp-outside")
  folder = join(outside.path, "volta")
  for (const [path, text] of documented) write(`volta/${path}`, text)
  const packages = join(folder, "node_modules")
  for (const [name, tarball] of Object.entries(await packOnce())) {
    const target = join(packages, "@edp", name === "domain" ? name : "adapter-kit")
    mkdirSync(target, { recursive: true })
    await runProgram("tar", ["-xzf", tarball, "--strip-components=1", "-C", target])
  }
  // A copy of its own, as npm installs one. The other packages of the kit are linked, so that the test needs no registry.
  cpSync(installed("effect", "packages/domain"), join(packages, "effect"), { recursive: true })
  mkdirSync(join(packages, "@types"))
  for (const name of ["mqtt", "oauth4webapi"])
    symlinkSync(installed(name, "packages/adapter-kit"), join(packages, name))
  symlinkSync(installed("@types/node", "."), join(packages, "@types/node"))
}, 400_000)
afterAll(() => outside?.remove())

describe("the adapter of the document, in a folder of its own with the packed kit", () => {
  test("is written for the packages that are packed", () => {
    const { peerDependencies } = JSON.parse(documented.get("package.json")!)
    const kit = JSON.parse(readFileSync(join(folder, "node_modules/@edp/adapter-kit/package.json"), "utf8"))
    expect(JSON.stringify(kit)).not.toMatch(/catalog:|workspace:|@edp\/source|@edp\/server/)
    expect(peerDependencies).toEqual({ "@edp/adapter-kit": kit.version, ...kit.peerDependencies })
  })

  test("compiles under strict", async () => {
    await runProgram(join(top, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder })
  })

  test("passes its tests, the contract test among them", async () => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: outside.path }
    const printed = await runProgram(process.execPath, ["--test", "--test-reporter=tap"], { cwd: folder, env })
    expect(printed).toContain("# fail 0")
    expect(printed).toContain("keeps secrets out of everything that it logs, reports and fails with")
    expect(Number(/^# pass (\d+)$/m.exec(printed)![1])).toBeGreaterThan(15)
  })

  test("links an account and reads its device in a service that loads it by EDP_ADAPTERS", async () => {
    const cloud = createServer((request, response) => {
      const isKnown = request.headers.authorization === `Bearer ${KEY}`
      const measuredAt = new Date().toISOString()
      const inverter = { serial: "V-7", model: "Volta 9", measuredAt, kilowatts: 2.5, lifetimeKwh: 10 }
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(isKnown ? inverter : {}))
    })
    await new Promise<void>((resolve) => cloud.listen(0, "127.0.0.1", resolve))
    const { port } = cloud.address() as AddressInfo
    const env = { EDP_ADAPTERS: folder, EDP_VOLTA_API_URL: `http://127.0.0.1:${port}` }
    const server = await spawnServer({ fromSources: true, env })
    const key = server.credentials.serverKey
    const call = (method: string, path: string, body?: object) =>
      callAt(server.baseUrl, method, path, { key, ...(body !== undefined && { body }) })

    expect((await call("GET", "/v1/manufacturers/volta")).body).toMatchObject({ name: "Volta", connectable: true })
    const location = {
      streetOne: "1 Capitol Mall",
      city: "Sacramento",
      state: "CA",
      postalCode: "95814",
      country: "USA"
    }
    const { body } = await call("POST", "/v1/connections", {
      manufacturerFilters: { manufacturers: ["volta"] },
      customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", location }
    })
    const visit = startVisit(server.baseUrl)
    await visit.open(body.url)
    await visit.post(`${body.url}/consent`, [["granted", "yes"]])
    const refused = await visit.post(`${body.url}/form`, [["key", "another key"]])
    expect(refused.text).toContain("API key")
    await visit.post(`${body.url}/form`, [["key", KEY]])
    const page = await visit.open(body.url)
    expect(offered(page.text, "device"), page.text).toEqual(["V-7"])
    const chosen = [...hiddenFields(page.text), ["device", "V-7"] as const, ...Object.entries(location)]
    expect((await visit.post(`${body.url}/devices`, chosen)).status).toBe(303)

    const device = await eventually("the reading", async () => {
      const { body: list, text } = await call("GET", "/v1/devices?manufacturer=volta")
      expect(list.data, text).toBeDefined()
      return list.data[0]?.state?.power === undefined ? undefined : list.data[0]
    })
    expect(device).toMatchObject({
      type: "inverter",
      manufacturerDeviceId: "V-7",
      model: "Volta 9",
      state: { power: 2500 }
    })
    expect(await server.stop()).toBe(0)
    cloud.close()
  })
})

describe("an entry of EDP_ADAPTERS that can't be used ends the start with its reason", () => {
  const manifest = JSON.stringify({ type: "module", name: "wrong", exports: { import: "./adapter.js" } })
  const adapter = (change: string, port = 1) => `
    import { voltaAdapter } from "../volta/src/adapter.ts"
    const { manifest } = voltaAdapter
    export default { port: ${port}, adapter: { ...voltaAdapter, ${change} } }
  `

  const wrong: ReadonlyArray<readonly [name: string, module: string | undefined, reason: string]> = [
    ["nowhere", undefined, "there is no folder <path>"],
    ["throwing", "throw new Error('No licence')", "can't be loaded: No licence"],
    ["incomplete", "import './absent.js'", "can't be loaded: Cannot find module '<path>/absent.js'"],
    ["waiting", "await new Promise(() => {})", "can't be loaded: not finished after 10 seconds"],
    ["empty", "export const adapter = 1", "exports no adapter: its default export must be { port, adapter }"],
    ["older", adapter("", 0), "is written for version 0 of the port, and this service has version 1"],
    [
      "misdescribed",
      adapter('manifest: { ...manifest, polling: { busy: "often" } }'),
      "manifest.polling.busy: Must be a number"
    ],
    ["unsettled", adapter("settings: {}"), "settings: Must be a schema"],
    ["same-slug", adapter('manifest: { ...manifest, slug: "tesla" }'), "another adapter has the slug tesla"]
  ]

  const refusal = async (entries: string) => {
    // With this folder present, the server does not prepare a database in advance, which would cost time here.
    const dataDir = join(outside.path, "data")
    mkdirSync(join(dataDir, "pgdata"), { recursive: true })
    const run = await runServer({ fromSources: true, dataDir, env: { EDP_ADAPTERS: entries } })
    expect(run).toMatchObject({ code: 1, stdout: "" })
    expect(readdirSync(dataDir, { recursive: true })).toEqual(["pgdata"])
    return run.stderr
  }

  test.each(wrong)("%s", async (name, module, reason) => {
    if (module !== undefined) {
      write(`${name}/package.json`, manifest)
      write(`${name}/adapter.js`, module)
    }
    const path = join(outside.path, name)
    expect(await refusal(path)).toBe(`edp: EDP_ADAPTERS: ${path}: ${reason.replace("<path>", path)}\n`)
  })

  test("a package that is not installed", async () => {
    expect(await refusal("@acme/absent")).toMatch(
      /^edp: EDP_ADAPTERS: @acme\/absent: there is no package of this name in [^\n]+; a folder begins with \/ or \.\/\n$/
    )
  })

  test("the same adapter twice", async () => {
    expect(await refusal(`${folder},${folder}`)).toBe(
      `edp: EDP_ADAPTERS: ${folder}: another adapter has the slug volta\n`
    )
  })
})

test("a package is found where the service is started, by the conditions of an import", async () => {
  const installedAs = "site/node_modules/@acme/edp-adapter"
  write(`${installedAs}/package.json`, JSON.stringify({ name: "@acme/edp-adapter", exports: { import: "./main.mjs" } }))
  write(
    `${installedAs}/main.mjs`,
    `import { voltaAdapter } from "../../../../volta/src/adapter.ts"
     export default { port: 1, adapter: voltaAdapter }`
  )
  const env = { EDP_ADAPTERS: "@acme/edp-adapter", EDP_VOLTA_API_URL: "https://api.volta.example" }
  const server = await spawnServer({ fromSources: true, cwd: join(outside.path, "site"), env })
  const key = server.credentials.serverKey
  const { body } = await callAt(server.baseUrl, "GET", "/v1/manufacturers/volta", { key })
  expect(body).toMatchObject({ name: "Volta", connectable: true })
  expect(await server.stop()).toBe(0)
})

test("an adapter gets the service's copy of Effect, whatever is installed beside it", async () => {
  write("sharing/package.json", JSON.stringify({ type: "module", main: "adapter.js" }))
  write("sharing/node_modules/effect/package.json", JSON.stringify({ type: "module", exports: "./effect.js" }))
  write("sharing/node_modules/effect/effect.js", "throw new Error('This copy must not be loaded')")
  write(
    "sharing/adapter.js",
    `import { Schema } from "effect"
     import { voltaAdapter } from "../volta/src/adapter.ts"
     const manifest = { ...voltaAdapter.manifest, slug: "sharing", name: "Sharing" }
     export default { port: 1, adapter: { ...voltaAdapter, manifest, settings: Schema.Struct({}) } }`
  )
  const env = { EDP_ADAPTERS: `${folder},${join(outside.path, "sharing")}` }
  const server = await spawnServer({ fromSources: true, env })
  const read = (slug: string) =>
    callAt(server.baseUrl, "GET", `/v1/manufacturers/${slug}`, { key: server.credentials.serverKey })
  expect((await read("sharing")).body).toMatchObject({ name: "Sharing", connectable: true })
  // Its required setting is missing.
  expect((await read("volta")).status).toBe(404)
  await server.stop()
})

test("an exception in a callback of an adapter's library fails the call that contains it, and not the service", async () => {
  write("careless/package.json", JSON.stringify({ type: "module", main: "adapter.js" }))
  write(
    "careless/adapter.js",
    `import { Effect, Schema } from "effect"
     import { voltaAdapter } from "../volta/src/adapter.ts"
     const settings = Schema.Struct({})
     const create = (_, host) =>
       host.contained(
         {},
         () => void setTimeout(() => { throw new Error("The library failed") }, 50),
         () => voltaAdapter.create({ apiUrl: "https://api.volta.example" }, host)
       )
     export default { port: 1, adapter: { ...voltaAdapter, settings, create } }`
  )
  const server = await spawnServer({ fromSources: true, env: { EDP_ADAPTERS: join(outside.path, "careless") } })
  const key = server.credentials.serverKey
  const { body } = await callAt(server.baseUrl, "GET", "/v1/manufacturers/volta", { key })
  expect(body).toMatchObject({ name: "Volta", connectable: true })
  expect(await server.stop()).toBe(0)
})
