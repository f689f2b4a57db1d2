import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { errorText, refusal, run } from "../fakeService.ts"
import { withFiles } from "../withFiles.ts"

const folder = new URL("../../../packages/adapters/templates/src/devices/", import.meta.url)
const shipped = readdirSync(folder).map(
  (name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Record<string, any>] as const
)
const goE = shipped.find(([name]) => name === "go-e-charger.json")![1]

describe("edp templates", () => {
  it.effect("checks files, and names each wrong field and what it takes", () =>
    withFiles(
      {
        "good.json": JSON.stringify(goE),
        "wrong.json": JSON.stringify({ ...goE, slug: "Go E", authentication: { kind: "magic" } }),
        "other.json": JSON.stringify({
          ...goE,
          fixture: { ...goE["fixture"], responses: { status: { car: 1, sse: "1" } } }
        }),
        "none.json": "{"
      },
      ([good, wrong, other, none]) =>
        Effect.gen(function* () {
          const checked = yield* run(["templates", "check", good!, "--json"])
          expect(JSON.parse(checked.stdout)).toEqual([{ file: good, slug: "go-e-charger", protocol: "http" }])
          const { stderr } = yield* run(["templates", "check", good!, wrong!, none!, "--json"])
          const text = errorText(stderr)
          expect(text).toContain("slug: Must consist of lower-case letters, digits and hyphens")
          expect(text).toContain("authentication.kind: Must be one of none, basic, digest, bearer, header, login")
          expect(text).toMatch(/none\.json is no valid template:\n.*JSON/u)
          const differs = errorText((yield* run(["templates", "check", other!, "--json"])).stderr)
          expect(differs).toContain(
            'fixture.expected.charger.state: Must be {"chargingState":"idle","isPluggedIn":false}'
          )
        })
    )
  )

  it.effect("reads a device once, and shows each field with its raw value", () =>
    withFiles({ "go-e.json": JSON.stringify(goE) }, ([file]) =>
      Effect.gen(function* () {
        const status = { ...goE["fixture"].responses.status, nrg: null }
        const routes = { "GET /api/status": () => status }
        const tried = yield* run(["templates", "try", file!, "--host", "192.0.2.20", "--json"], { routes })
        expect(tried.requests).toHaveLength(1)
        expect(tried.requests[0]!.query).toEqual({ filter: "car,frc,nrg,eto,sse" })
        const { fields } = JSON.parse(tried.stdout)
        expect(fields).toContainEqual({ device: "charger", field: "chargingState", raw: 2, value: "charging" })
        expect(fields).toContainEqual({
          device: "charger",
          field: "lifetimeEnergyCharged",
          raw: 4218530,
          value: 4218530
        })
        expect(fields).toContainEqual({ device: "charger", field: "chargerWattage" })
        const refused = yield* run(["templates", "try", file!, "--host", "192.0.2.20", "--json"], {
          routes: { "GET /api/status": () => refusal(401, "NO") }
        })
        expect(errorText(refused.stderr)).toContain("DEVICE_FAILED: The device refuses the login")
        const wrong = yield* run(["templates", "try", file!, "--host", "http://device", "--json"])
        expect(errorText(wrong.stderr)).toContain("host must be a name or an IP address")
      })
    )
  )

  it.effect("begins templates that are valid, with fixtures that give their readings", () =>
    Effect.gen(function* () {
      for (const protocol of ["http", "modbus", "mqtt"]) {
        const made = yield* run([
          "templates",
          "new",
          "--protocol",
          protocol,
          "--manufacturer",
          "Acme",
          "--model",
          "Nine"
        ])
        yield* withFiles({ "acme-nine.json": made.stdout }, ([file]) =>
          Effect.gen(function* () {
            const checked = yield* run(["templates", "check", file!, "--json"])
            expect(JSON.parse(checked.stdout)).toEqual([{ file, slug: "acme-nine", protocol }])
          })
        )
      }
    })
  )

  it.effect("prints a JSON Schema that all templates of the service meet, and wrong ones do not", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["templates", "schema"])
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout))
      for (const [name, document] of shipped) {
        expect([name, validate(document), validate.errors]).toEqual([name, true, null])
      }
      const wrong = [{ protocol: "zwave" }, { ...goE, vendor: 1 }, { ...goE, port: "80" }, { ...goE, devices: [] }]
      expect(wrong.map((document) => validate(document))).toEqual(wrong.map(() => false))
    })
  )
})
