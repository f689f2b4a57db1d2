import { decodeResponses } from "@edp/adapter-templates/httpExchange"
import { decodeMessages, deviceTopics } from "@edp/adapter-templates/mqttTemplate"
import {
  decodeRegisters,
  decodeSerialNumber,
  serialNumberRead,
  templateReads
} from "@edp/adapter-templates/modbusTemplate"
import { builtInTemplates } from "@edp/adapter-templates/builtInTemplates"
import type { DeviceTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import type { Observation } from "@edp/adapter-kit/decoding/observation"
import { mapDevices } from "@edp/adapter-sunspec/devices"
import { walkDevice } from "@edp/adapter-sunspec/walk"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { deviceAt, runReads } from "../sunspec/sunSpecMap.ts"

const folder = new URL("../../../packages/adapters/templates/src/devices/", import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith(".json"))

type Observed = Readonly<Record<string, Observation>>

/** Registers of a fixture by `unit/table/address`. */
const fixtureRegisters = (registers: Readonly<Record<string, ReadonlyArray<number>>>) => {
  const all = new Map(
    Object.entries(registers).flatMap(([place, words]) => {
      const [unit, table, address] = place.split("/")
      return words.map((word, n): [string, number] => [`${unit}/${table}/${Number(address) + n}`, word])
    })
  )
  return (unitId: number, table: string, address: number) => all.get(`${unitId}/${table}/${address}`)
}

const observeFixture = (template: DeviceTemplate): Observed => {
  const known = (key: string) => template.fixture.known?.[key] ?? {}
  if (template.protocol === "modbus") {
    const read = fixtureRegisters(template.fixture.registers)
    // Only registers that the template asks for are there.
    const asked = new Set(
      templateReads(template).flatMap(({ address, count, table, unitId }) =>
        Array.from({ length: count }, (_, n) => `${unitId}/${table}/${address + n}`)
      )
    )
    return Object.fromEntries(
      template.devices.map((device) => [
        device.key,
        decodeRegisters(
          device,
          (unit, table, address) => (asked.has(`${unit}/${table}/${address}`) ? read(unit, table, address) : undefined),
          known(device.key)
        )
      ])
    )
  }
  if (template.protocol === "mqtt") {
    const { id, messages } = template.fixture
    const topics = new Set(
      template.devices.map((device) => deviceTopics(device, id)).flatMap((own) => [...own.state, ...own.availability])
    )
    return Object.fromEntries(
      template.devices.map((device) => [
        device.key,
        decodeMessages(device, id, (topic) => (topics.has(topic) ? messages[topic] : undefined), known(device.key))
      ])
    )
  }
  if (template.protocol === "http") {
    const { responses } = template.fixture
    return Object.fromEntries(
      template.devices.map((device) => [
        device.key,
        decodeResponses(device, template, (request) => responses[request], known(device.key))
      ])
    )
  }
  return Object.fromEntries(
    template.units.flatMap(({ key, settings, unitId }) => {
      const words = template.fixture.registers[`${unitId}/holding/40000`] ?? []
      const map = runReads(walkDevice(), deviceAt(40_000, words))
      expect(map.problems).toEqual([])
      return mapDevices(map, settings).map((device) => [`${key}/${device.key}`, device.observation] as const)
    })
  )
}

describe("the templates that come with the service", () => {
  it("are the files of their folder", () => {
    expect(Object.keys(builtInTemplates).map((slug) => `${slug}.json`)).toEqual(files.toSorted())
  })

  it.each(files)("%s is valid, and its fixture has exactly the expected reading", (file) => {
    const document: unknown = JSON.parse(readFileSync(new URL(file, folder), "utf8"))
    const result = readTemplate(document)
    if ("problems" in result) throw new Error(JSON.stringify(result.problems, null, 2))
    const { template } = result
    expect(`${template.slug}.json`).toBe(file)
    expect(builtInTemplates[template.slug]).toEqual(document)
    if (template.protocol === "modbus") {
      const place = serialNumberRead(template)
      const read = fixtureRegisters(template.fixture.registers)
      const words = Array.from({ length: place?.count ?? 0 }, (_, n) =>
        read(place!.unitId, place!.table, place!.address + n)
      )
      expect(place && decodeSerialNumber(template, words as Array<number>)).toBe(template.fixture.serialNumber)
    }
    if (template.protocol === "modbus") {
      const commands = template.devices.flatMap((device) =>
        Object.keys(device.commands ?? {}).map((command) => `${device.key} ${command}`)
      )
      const sent = (template.fixture.sends ?? []).map(({ command, device }) => `${device} ${command}`)
      expect(new Set(sent)).toEqual(new Set(commands))
    }
    const observed = observeFixture(template)
    expect(Object.values(observed).flatMap(({ problems }) => problems)).toEqual([])
    const actual = Object.fromEntries(
      Object.entries(observed).map(([key, { missing, state, staticState }]) => [key, { state, staticState, missing }])
    )
    expect(actual).toEqual(
      Object.fromEntries(
        Object.entries(template.fixture.expected).map(([key, { missing = [], state, staticState = {} }]) => [
          key,
          { state, staticState, missing }
        ])
      )
    )
  })
})
