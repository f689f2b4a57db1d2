import { isDeepStrictEqual } from "node:util"
import type { Observation } from "@edp/adapter-kit/decoding/observation"
import type { TemplateProblems } from "./checkParts.ts"
import type { DeviceTemplate } from "./DeviceTemplate.ts"
import { decodeResponses } from "./httpExchange.ts"
import { decodeRegisters } from "./modbusTemplate.ts"
import { decodeMessages } from "./mqttTemplate.ts"

/** The registers of a fixture by their places. */
const fixtureRegisters = (registers: Readonly<Record<string, ReadonlyArray<number>>>) =>
  new Map(
    Object.entries(registers).flatMap(([place, words]) => {
      const [unit, table, address] = place.split("/")
      return words.map((word, n) => [`${unit}/${table}/${Number(address) + n}`, word] as const)
    })
  )

/** The reading of each device of a fixture. A device of SunSpec describes itself: a template has no fields for it. */
const observeFixture = (template: DeviceTemplate): ReadonlyArray<readonly [key: string, observed: Observation]> => {
  const known = (key: string) => template.fixture.known?.[key] ?? {}
  switch (template.protocol) {
    case "sunspec":
      return []
    case "modbus": {
      const words = fixtureRegisters(template.fixture.registers)
      return template.devices.map((device) => [
        device.key,
        decodeRegisters(device, (unit, table, address) => words.get(`${unit}/${table}/${address}`), known(device.key))
      ])
    }
    case "mqtt": {
      const { id, messages } = template.fixture
      return template.devices.map((device) => [
        device.key,
        decodeMessages(device, id, (topic) => messages[topic], known(device.key))
      ])
    }
    case "http": {
      const { responses } = template.fixture
      return template.devices.map((device) => [
        device.key,
        decodeResponses(device, template, (name) => responses[name], known(device.key))
      ])
    }
  }
}

/** Differences between the readings that a fixture promises and those that follow from it, by the dotted path of the field. */
export const checkFixture = (template: DeviceTemplate): TemplateProblems =>
  Object.fromEntries(
    observeFixture(template).flatMap(([key, { missing, problems, state, staticState }]) => {
      const expected = template.fixture.expected[key]
      const at = `fixture.expected.${key}`
      const found: Array<[string, string]> = problems.map((problem, n) => [`${at}.problem ${n + 1}`, problem])
      const compare = (field: string, shown: unknown, promised: unknown) => {
        if (!isDeepStrictEqual(shown, promised)) found.push([`${at}.${field}`, `Must be ${JSON.stringify(shown)}`])
      }
      compare("state", state, expected?.state)
      compare("staticState", staticState, expected?.staticState ?? {})
      compare("missing", missing, expected?.missing ?? [])
      return found
    })
  )
