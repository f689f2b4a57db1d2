import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, test } from "vitest"
import { arrangeDirect } from "../../server/readings/ingest/arrangeDirect.ts"
import { seedDevice } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { useConsumer } from "./Consumer.ts"

const src = fileURLToPath(new URL("../../../packages/domain/src", import.meta.url))
const modules = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => path.slice(0, -".ts".length))

const typeRoots = [dirname(dirname(createRequire(import.meta.url).resolve("@types/node/package.json")))]

const useEverything = `
import { type ApiClient, Client, layerHttp, makeClient } from "@edp/domain/Client"
import { retryingNotFound } from "@edp/domain/client/retryingNotFound"
import { streamRecords } from "@edp/domain/client/streamRecords"
import type { Device } from "@edp/domain/devices/Device"
import { DeviceNotFound } from "@edp/domain/errors/ApiErrors"
import document from "@edp/domain/openapi.json" with { type: "json" }
import { Effect, Redacted, Stream } from "effect"

const title: string = document.info.title
const options = { baseUrl: "http://127.0.0.1:1", key: Redacted.make(title) }
const watts = (device: Device) => (device.type === "inverter" ? device.state.power : 0)

const program = (client: ApiClient) =>
  Effect.gen(function* () {
    const devices = streamRecords((position) => client.devices.list({ query: position }), { perPage: 50 })
    const sum: number = yield* Stream.runFold(devices, () => 0, (total, device) => total + watts(device))
    const device = yield* retryingNotFound(client.devices.get({ params: { id: "x" } })).pipe(
      Effect.catchTag("DEVICE_NOT_FOUND", (error: DeviceNotFound) => Effect.succeed(error.code))
    )
    return [sum, device] as const
  })

export const asService = Effect.flatMap(Client, program).pipe(Effect.provide(Client.layer(options)))
export const asValue = Effect.flatMap(makeClient(options), program).pipe(Effect.provide(layerHttp))
// @ts-expect-error a code that the call can't respond
export const wrong = (client: ApiClient) => client.sites.list({ query: {} }).pipe(Effect.catchTag("DEVICE_NOT_FOUND", Effect.fail))
`

const usePromises = `
import { createClient, EdpError, eachRecord, type ListPage, type PromiseClient } from "@edp/domain/PromiseClient"
import type { Device } from "@edp/domain/devices/Device"

const client: PromiseClient = createClient({ baseUrl: process.env["EDP_URL"]!, key: process.env["EDP_KEY_SERVER"]!, retries: 1 })
declare const process: { readonly env: Record<string, string | undefined> }

const page: ListPage<Device> = await client.devices.list({ query: { type: ["inverter"], perPage: 2 } })
const names: Array<string> = []
for await (const device of eachRecord(client.devices.list, { query: { type: ["inverter"] } }, { perPage: 2 })) {
  names.push(device.name)
}
const outcome = await client.devices.get({ params: { id: "nowhere" } }, { signal: AbortSignal.timeout(30_000) }).then(
  ({ name }) => name,
  (error: unknown) => (error instanceof EdpError ? \`\${error.code} \${error.status}\` : "unknown")
)
// @ts-expect-error an id is a string
const wrong = () => client.devices.get({ params: { id: 7 } })
// @ts-expect-error a device has no such field
const absent = () => client.devices.get({ params: { id: "x" } }).then((device) => device.colour)
// @ts-expect-error a position is the walk's, not the caller's
const position = () => eachRecord(client.devices.list, { query: { page: 2 } })
// @ts-expect-error params are required
const nothing = () => client.devices.get()

console.log(JSON.stringify({ names, outcome, total: page.totalItems, unused: [wrong, absent, position, nothing].length }))
declare const console: { readonly log: (text: string) => void }
`

const examplesIn = (markdown: string) => [...markdown.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!)
const names = ["list", "push", "rename"] as const

const consumer = useConsumer()

describe("the packed package", () => {
  test("has exact versions, and no reference that only its repository resolves", () => {
    const manifest = JSON.parse(consumer.read("package.json"))
    expect(JSON.stringify(manifest)).not.toMatch(/catalog:|workspace:|@edp\/source/)
    expect(manifest.peerDependencies).toEqual({ effect: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect([manifest.dependencies, manifest.devDependencies]).toEqual([undefined, undefined])
  })

  test("installs nothing besides itself and effect", () => {
    expect(consumer.installed().sort()).toEqual(["@edp", "effect"])
  })

  test("contains every module built, with its declarations, and no deleted modules", () => {
    const files = consumer.packageFiles()
    const endings = [".d.ts", ".d.ts.map", ".js", ".js.map"]
    expect(files.filter((path) => path.startsWith("dist/")).sort()).toEqual(
      modules.flatMap((module) => endings.map((ending) => `dist/${module}${ending}`)).sort()
    )
    expect(files.filter((path) => !/^(?:dist|src)\//.test(path)).sort()).toEqual([
      "LICENSE",
      "README.md",
      "openapi.json",
      "package.json"
    ])
  })

  test.each([
    ["NodeNext and the browser's types, declarations checked", {}],
    // Effect's own declarations name a type of the browser's, so they can't be checked without those.
    ["NodeNext and Node's types", { lib: ["ES2024"], types: ["node"], typeRoots, skipLibCheck: true }],
    ["a bundler, declarations checked", { module: "ESNext", moduleResolution: "Bundler" }]
  ])("compiles under strict with %s", async (_, options) => {
    consumer.write("everything.ts", useEverything)
    await consumer.compile(["everything.ts"], { resolveJsonModule: true, ...options })
  })

  test("needs no Node.js API", () => {
    const imports = consumer
      .packageFiles()
      .filter((path) => path.endsWith(".js"))
      .flatMap((path) => [...consumer.read(path).matchAll(/\bfrom "([^."][^"]*)"/g)].map(([, name]) => name!))
    expect([...new Set(imports)].filter((name) => !/^effect(?:\/|$)/.test(name))).toEqual([])
  })
})

describe("the promise client of the package", () => {
  const app = useTestApp()

  test("compiles under strict in a plain project, without Effect's types, and runs", async () => {
    const here = await arrangeDirect(app)
    for (let made = 0; made < 5; made++) await seedDevice(app, here.workspaceId, { name: `Inverter ${made}` })
    consumer.write("promises.ts", usePromises)
    await consumer.compile(["promises.ts"])
    const printed = await consumer.run("promises.js", { EDP_URL: app.url, EDP_KEY_SERVER: here.keys.SERVER })
    expect(JSON.parse(printed)).toEqual({
      names: [4, 3, 2, 1, 0].map((made) => `Inverter ${made}`),
      outcome: "DEVICE_NOT_FOUND 404",
      total: 5,
      unused: 4
    })
  })
})

describe("the examples of the package's README", () => {
  const app = useTestApp()
  let here: Awaited<ReturnType<typeof arrangeDirect>>
  const run = (name: (typeof names)[number], env: Readonly<Record<string, string>> = {}) =>
    consumer.run(`${name}.js`, {
      EDP_URL: app.url,
      EDP_KEY_SERVER: here.keys.SERVER,
      EDP_KEY_MANUFACTURER: here.key,
      ...env
    })

  beforeAll(async () => {
    here = await arrangeDirect(app)
    const examples = examplesIn(consumer.read("README.md"))
    expect(examples.length).toBe(names.length)
    examples.forEach((code, at) => consumer.write(`${names[at]}.ts`, code))
    await consumer.compile(names.map((name) => `${name}.ts`))
  })

  test("list every device, page by page", async () => {
    const expected = []
    for (let made = 0; made < 120; made++) {
      const name = `Inverter ${made}`
      expected.unshift(`${await seedDevice(app, here.workspaceId, { name })} ${name} unknown`)
    }
    await here.device("meter")
    expect((await run("list")).trimEnd().split("\n")).toEqual(expected)
  })

  test("store a reading", async () => {
    const { id } = await here.device("inverter")
    expect(await run("push", { DEVICE_ID: id })).toMatch(/^1 stored, now \{.*"power":3200.*\}\n$/)
    expect(await here.history(id)).toMatchObject([{ power: 3200 }])
  })

  test("catch an error by its code", async () => {
    expect(await run("rename")).toBe("skipped: There is no such device\n")
  })

  test("fail with the service's message for other errors", async () => {
    await expect(run("rename", { EDP_KEY_SERVER: here.keys.CONNECT })).rejects.toThrow(/UNAUTHENTICATED/)
  })
})
