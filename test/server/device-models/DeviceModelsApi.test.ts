import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()
const readers = ["SERVER", "API", "CONNECT", "MANUFACTURER", "MANAGEMENT"] as const
const nobody = `c${"0".repeat(24)}`

describeKeyChecks(app, [
  { method: "GET", path: "/v1/device-models", allowed: readers },
  { method: "GET", path: `/v1/device-models/${nobody}`, allowed: readers },
  { method: "POST", path: "/v1/device-models", allowed: ["MANAGEMENT"] },
  { method: "PATCH", path: `/v1/device-models/${nobody}`, allowed: ["MANAGEMENT"] }
])

let serial = 0

const made = ["battery", "charger", "inverter", "meter", "thermostat", "vehicle", "water_heater", "other"]

const arrange = async () => {
  const { keys } = await app.workspace()
  const manufacturer = `maker-${++serial}`
  const at = (path: string) => (method: string, rest: string, body?: unknown) =>
    app.call(method, `/v1/${path}${rest}`, { key: keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  await at("manufacturers")("POST", "", { slug: manufacturer, name: "Maker", deviceTypes: made })
  const call = at("device-models")
  const wall = { manufacturer, name: "Wall 10", type: "battery" }
  return {
    call,
    change: (deviceTypes: ReadonlyArray<string>) => at("manufacturers")("PATCH", `/${manufacturer}`, { deviceTypes }),
    manufacturer,
    wall,
    create: async (fields: object = {}): Promise<any> => (await call("POST", "", { ...wall, ...fields })).body,
    names: async (query: string) =>
      (await call("GET", `?perPage=100&${query}`)).body.data.map((model: any) => model.name)
  }
}

describe("GET /v1/device-models", () => {
  test("200 lists the newest first", async () => {
    const { create, names, manufacturer } = await arrange()
    for (const name of ["first", "second", "third"]) await create({ name })
    expect(await names(`manufacturer=${manufacturer}`)).toEqual(["third", "second", "first"])
  })

  test("200 filters by manufacturer and type, by any of several values", async () => {
    const { create, names, manufacturer } = await arrange()
    await create({ name: "store" })
    await create({ name: "count", type: "meter" })
    await create({ name: "drive", type: "vehicle" })
    const own = `manufacturer=${manufacturer}`
    expect(await names(`${own}&type=meter`)).toEqual(["count"])
    expect(await names(`${own}&type=meter,vehicle`)).toEqual(["drive", "count"])
    expect(await names(`${own}&type=battery&type=vehicle`)).toEqual(["drive", "store"])
    expect(await names(`${own},simulator&type=meter`)).toEqual(["count", "Simulated meter"])
    expect(await names("manufacturer=nobody")).toEqual([])
  })

  test("200 has pages, with totals of the filtered list", async () => {
    const { call } = await arrange()
    const { body } = await call("GET", "?manufacturer=simulator&page=2&perPage=4")
    expect(body).toMatchObject({ page: 2, perPage: 4, totalItems: 9, totalPages: 3 })
    expect(body.data).toHaveLength(4)
  })

  test("400 VALIDATION_ERROR lists every invalid parameter", async () => {
    const { call } = await arrange()
    const response = await call("GET", "?type=toaster&perPage=0&colour=red")
    const details = Object.keys(response.body.details).map((field) => field.split(".")[0])
    expect({ status: response.status, code: response.body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" })
    expect(new Set(details)).toEqual(new Set(["type", "perPage", "colour"]))
  })
})

describe("GET /v1/device-models/:id", () => {
  test("200 returns the model", async () => {
    const { call, create } = await arrange()
    const model = await create()
    expect(await call("GET", `/${model.id}`)).toMatchObject({ status: 200, body: model })
  })

  test.each([nobody, "short", "%00"])("404 NOT_FOUND %s", async (id) => {
    const { call } = await arrange()
    expectError(await call("GET", `/${id}`), 404, "NOT_FOUND")
  })
})

describe("POST /v1/device-models", () => {
  test("201 with required fields only has no static state and no commands", async () => {
    const { call, wall } = await arrange()
    const { status, body } = await call("POST", "", wall)
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[0-9a-z]{24}$/),
        ...wall,
        staticState: null,
        commands: [],
        createdAt: expect.stringMatching(/Z$/)
      }
    })
    expect((await call("GET", `/${body.id}`)).body).toEqual(body)
  })

  test("201 stores the known fields of the type's static state, and each command once", async () => {
    const { create } = await arrange()
    const commands = ["battery:set-reserve", "battery:set-operating-mode", "battery:set-reserve"]
    const model = await create({ staticState: { capacity: 10_000, colour: "white" }, commands })
    expect(model).toMatchObject({ staticState: { capacity: 10_000 }, commands: commands.slice(0, 2) })
    expect(model.staticState).not.toHaveProperty("colour")
  })

  test("201 stores any static state of a type without a schema", async () => {
    const { create } = await arrange()
    const staticState = { phases: 3, ports: [{ plug: "CCS" }] }
    expect((await create({ type: "charger", staticState })).staticState).toEqual(staticState)
  })

  test("400 VALIDATION_ERROR an unknown manufacturer", async () => {
    const { call, wall } = await arrange()
    const response = await call("POST", "", { ...wall, manufacturer: "nobody" })
    expectError(response, 400, "VALIDATION_ERROR", { manufacturer: "Is no manufacturer that the service knows" })
  })

  test("400 VALIDATION_ERROR lists invalid fields of the static state", async () => {
    const { call, wall } = await arrange()
    const battery = { capacity: 0, numberOfBatteries: 1.5 }
    expectError(await call("POST", "", { ...wall, staticState: battery }), 400, "VALIDATION_ERROR", {
      "staticState.capacity": "Must be a number above 0",
      "staticState.numberOfBatteries": "Must be an integer above 0"
    })
    const thermostat = { ...wall, type: "thermostat", staticState: { allowedModes: ["heat", "tropical"] } }
    expectError(await call("POST", "", thermostat), 400, "VALIDATION_ERROR", {
      "staticState.allowedModes.1": "Must be one of heat, cool, auto, eco, off, unknown",
      "staticState.allowedFanModes": "Is required"
    })
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call } = await arrange()
    const response = await call("POST", "", { manufacturer: "Not A Slug", type: "toaster", commands: ["explode"] })
    expect(response.body.code).toBe("VALIDATION_ERROR")
    expect(new Set(Object.keys(response.body.details))).toEqual(new Set(["manufacturer", "name", "type", "commands.0"]))
  })

  test("400 DUPLICATE_NAME within the manufacturer, and not in another one", async () => {
    const { call, wall, create } = await arrange()
    await create()
    expectError(await call("POST", "", wall), 400, "DUPLICATE_NAME")
    const other = await arrange()
    expect((await other.call("POST", "", { ...wall, manufacturer: other.manufacturer })).status).toBe(201)
  })
})

describe("PATCH /v1/device-models/:id", () => {
  test("200 changes only the given fields", async () => {
    const { call, create } = await arrange()
    const model = await create({ staticState: { capacity: 10_000 }, commands: ["battery:set-reserve"] })
    const named = await call("PATCH", `/${model.id}`, { name: "Wall 12", type: "meter", manufacturer: "generic" })
    expect(named).toMatchObject({ status: 200, body: { ...model, name: "Wall 12" } })
    const rated = await call("PATCH", `/${model.id}`, {
      staticState: { capacity: 12_000, colour: "red" },
      commands: []
    })
    expect(rated.body).toEqual({ ...model, name: "Wall 12", staticState: { capacity: 12_000 }, commands: [] })
    expect((await call("PATCH", `/${model.id}`, { staticState: null })).body.staticState).toBeNull()
  })

  test("400 VALIDATION_ERROR an invalid static state for the type", async () => {
    const { call, create } = await arrange()
    const { id } = await create()
    const details = { "staticState.capacity": "Is required" }
    expectError(await call("PATCH", `/${id}`, { staticState: {} }), 400, "VALIDATION_ERROR", details)
  })

  test("400 DUPLICATE_NAME", async () => {
    const { call, create } = await arrange()
    await create()
    const { id } = await create({ name: "Wall 12" })
    expectError(await call("PATCH", `/${id}`, { name: "Wall 10" }), 400, "DUPLICATE_NAME")
    expect((await call("PATCH", `/${id}`, { name: "Wall 12" })).status).toBe(200)
  })

  test("404 NOT_FOUND", async () => {
    const { call } = await arrange()
    expectError(await call("PATCH", `/${nobody}`, { name: "x" }), 404, "NOT_FOUND")
  })
})

describe("the device types of a manufacturer", () => {
  test("limit the types of its models, and a type limits the commands", async () => {
    const { call, create, manufacturer } = await arrange()
    const foreign = await call("POST", "", {
      manufacturer,
      name: "Odd",
      type: "unknown",
      commands: ["battery:set-reserve"]
    })
    expectError(foreign, 400, "VALIDATION_ERROR", {
      type: expect.stringContaining("battery, charger"),
      "commands.0": "Must be a command of the type unknown"
    })
    const { id } = await create({ commands: ["battery:set-reserve"] })
    expectError(await call("PATCH", `/${id}`, { commands: ["charger:set-operating-mode"] }), 400, "VALIDATION_ERROR", {
      "commands.0": "Must be a command of the type battery"
    })
  })

  test("can't be removed while models have them", async () => {
    const { create, change } = await arrange()
    await create()
    expectError(await change(["meter"]), 400, "VALIDATION_ERROR", {
      deviceTypes: "Must include battery: device models of this type exist"
    })
    expect((await change(["meter", "battery"])).status).toBe(200)
  })
})
