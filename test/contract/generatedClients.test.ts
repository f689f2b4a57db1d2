import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { arrangeDirect } from "../server/readings/ingest/arrangeDirect.ts"
import { seedDevice } from "../support/Seed.ts"
import { useTestApp } from "../support/TestApp.ts"
import { findCode, type compilers, GeneratedProject } from "./generated/GeneratedProject.ts"

const docs = readFileSync(new URL("../../docs/client.md", import.meta.url), "utf8")
const app = useTestApp()
const here = (text: string) => text.replaceAll("http://127.0.0.1:3000", app.url)

const findCommand = (commands: string) => commands.split("\n").find((line) => line.startsWith("npx "))!

describe.each([
  ["openapi-typescript", undefined],
  ["@hey-api/openapi-ts", "openapi-ts.config.mjs"]
])("the client that %s generates from the served document", (generator, configuration) => {
  const code = findCode(docs, generator)
  const project = new GeneratedProject()
  afterAll(() => project.remove())

  beforeAll(async () => {
    if (configuration !== undefined) project.write(configuration, here(code("js")))
    await project.generate(here(findCommand(code("sh"))))
    project.write("main.ts", code("ts"))
  })

  test.each(["TypeScript 5", "TypeScript 7"] satisfies ReadonlyArray<keyof typeof compilers>)(
    "compiles under strict, with the examples of the documentation, by %s",
    async (compiler) => {
      await project.compile(compiler)
    }
  )

  test("lists devices page by page, pushes telemetry, and reports an error by its code", async () => {
    const { device, history, key, keys, workspaceId } = await arrangeDirect(app)
    const expected = []
    for (let made = 0; made < 100; made++) {
      await seedDevice(app, workspaceId, { name: `Inverter ${made}` })
      expected.unshift(`Inverter ${made} not heard of yet`)
    }
    const { id } = await device("inverter", { name: "Newest" })
    const env = { EDP_URL: app.url, EDP_KEY_SERVER: keys.SERVER, EDP_KEY_MANUFACTURER: key, DEVICE_ID: id }
    const lines = async () => (await project.run("main.js", env)).trimEnd().split("\n")
    expect(await lines()).toEqual(["Newest not heard of yet", ...expected, "1 stored", "DEVICE_NOT_FOUND"])
    expect(await history(id)).toMatchObject([{ power: 3200 }])
    expect((await lines())[0]).toBe("Newest 3200 W")
  })
})
