import { models } from "@edp/adapter-sunspec/models"
import { pointLength } from "@edp/adapter-sunspec/points"
import { readModels, type ReadRequest, walkDevice } from "@edp/adapter-sunspec/walk"
import { describe, expect, it } from "vitest"
import { deviceAt, lengths, mapRegisters, model, modelRegisters, runReads } from "./sunSpecMap.ts"

const inverter = model(103, { W: 1500, W_SF: 0 })
const walk = (base: number, registers: ReadonlyArray<number>) => runReads(walkDevice(), deviceAt(base, registers))

describe("the walk over a device's models", () => {
  it.each([40_000, 50_000, 0])("finds a map at %i", (base) => {
    const map = walk(base, mapRegisters([model(1, { Mn: "Acme" }), inverter]))
    expect(map).toMatchObject({ base, problems: [], unknownModels: [] })
    expect(map.models.map(({ address, id }) => [id, address - base])).toEqual([
      [1, 2],
      [103, 70]
    ])
  })

  it("says so where there is no map", () => {
    expect(walk(40_000, [1, 2, 3, 4])).toEqual({
      base: undefined,
      models: [],
      unknownModels: [],
      problems: ["No SunSpec map at 40000, 50000, 0"]
    })
  })

  it("lists unknown models without reading them, and goes on behind them", () => {
    const unknown = { id: 64_110, length: 40, points: {} }
    const registers = mapRegisters([unknown, inverter])
    const requests: Array<ReadRequest> = []
    const map = runReads(walkDevice(), (request) => {
      requests.push(request)
      return deviceAt(40_000, registers)(request)
    })
    expect(map.unknownModels).toEqual([{ id: 64_110, address: 40_002, length: 40 }])
    expect(map.models.map(({ id }) => id)).toEqual([103])
    expect(requests).not.toContainEqual({ address: 40_002, count: 42 })
  })

  it("reads long models in several requests of at most 125 registers", () => {
    const der = model(701, { W: 1, W_SF: 0 })
    const map = runReads(walkDevice(), (request) => {
      expect(request.count).toBeLessThanOrEqual(125)
      return deviceAt(40_000, mapRegisters([der]))(request)
    })
    expect(map.models[0]?.registers).toEqual(modelRegisters(der))
  })

  it.each([
    ["no length", [103, 0]],
    ["a length beyond any model", [103, 9000]],
    ["zeros", [0, 0]]
  ])("keeps what was before a model with %s", (_, header) => {
    const map = walk(40_000, [
      ...mapRegisters([inverter]).slice(0, -2),
      ...header,
      ...Array.from({ length: 50 }, () => 0)
    ])
    expect(map.models.map(({ id }) => id)).toEqual([103])
    expect(map.problems).toEqual([`Model ${header[0]} at 40054 has the impossible length ${header[1]}`])
  })

  it("keeps what was read of a map without an end marker, and takes an end marker without length", () => {
    const whole = mapRegisters([inverter])
    expect(walk(40_000, whole.slice(0, -2))).toMatchObject({
      models: [{ id: 103 }],
      problems: ["The map ends at 40054 without its end marker"]
    })
    expect(walk(40_000, whole.slice(0, -1))).toMatchObject({ models: [{ id: 103 }], problems: [] })
  })

  it("ends on a map that never ends", () => {
    const map = runReads(walkDevice([0]), ({ address, count }) => ({
      registers: address === 0 ? [0x5375, 0x6e53] : [64_000, 1].slice(0, count)
    }))
    expect(map.problems).toEqual(["The map has more than 200 models"])
  })

  it("reads known models again, and notices that a map has moved", () => {
    const { models: known } = walk(40_000, mapRegisters([inverter]))
    const later = mapRegisters([model(103, { W: 1700, W_SF: 0 })])
    const again = runReads(readModels(known), deviceAt(40_000, later))
    expect(again === "moved" ? again : again[0]?.registers).toEqual(modelRegisters(model(103, { W: 1700, W_SF: 0 })))
    const moved = mapRegisters([model(1, {}), inverter])
    expect(runReads(readModels(known), deviceAt(40_000, moved))).toBe("moved")
  })
})

describe("the table of models", () => {
  it.each(Array.from(models))(
    "has points of model %i inside the model, each scale factor a point of its own",
    (id, definition) => {
      const end = (lengths[id] ?? 1000) + 2
      for (const { length = 0, offset, scale, type } of Object.values(definition.points)) {
        expect(offset + (type === "string" ? length : pointLength(type))).toBeLessThanOrEqual(end)
        if (scale !== undefined) expect(definition.points[scale]?.type).toBe("sunssf")
      }
    }
  )
})
