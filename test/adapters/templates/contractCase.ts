import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import { Effect } from "effect"
import {
  type ModbusRegisters,
  type ModbusServer,
  pymodbus,
  startModbusServers
} from "../../support/peers/ModbusServer.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { fixtureForm, fixtureRegisters, type LocalTemplate, modbusTemplates } from "./fixtureRegisters.ts"
import { httpContractCases } from "./httpContractCases.ts"
import { mqttContractCases } from "./mqttContractCases.ts"

/** Registers for fixtures of the night, in which an inverter has no reading. */
const daylight: Readonly<Record<string, ModbusRegisters>> = {
  sma: { "3": { input: { "30775": [0, 2500] }, holding: { "30513": [0, 0, 188, 24_910], "30057": [45_846, 8146] } } }
}

const hasCommands = (template: LocalTemplate) =>
  template.protocol === "modbus" && template.devices.some(({ commands }) => commands !== undefined)

/** The manufacturers, each with one of its templates: one with commands if there is one. */
const manufacturers = Array.from(
  Map.groupBy(modbusTemplates, manufacturerSlug),
  ([slug, own]) => [slug, own.find(hasCommands) ?? own[0]!] as const
)

/** The servers of all manufacturers, in one process that ends with this one. */
let servers: Promise<ReadonlyArray<ModbusServer>> | undefined
const startServers = () =>
  (servers ??= startModbusServers(
    manufacturers.map(([slug, template]) => ({ registers: { ...fixtureRegisters(template), ...daylight[slug] } }))
  ))

/** A case for each manufacturer with templates over Modbus, by that template. */
const modbusContractCases: ReadonlyArray<BuiltInCase> = manufacturers.map(([slug, template], n): BuiltInCase => ({
  slug,
  settings: {},
  wrongSettings: {},
  needs: pymodbus,
  start: async () => {
    const server = (await startServers())[n]!
    return {
      link: ({ authorization }) =>
        authorization.kind === "form"
          ? authorization.connect({
              model: template.slug,
              host: "127.0.0.1",
              port: String(server.port),
              ...fixtureForm(template)
            })
          : Effect.die("The adapter has no form"),
      secrets: () => [],
      close: async () => undefined
    }
  }
}))

export const contractCases: ReadonlyArray<BuiltInCase> = [
  ...modbusContractCases,
  ...mqttContractCases,
  ...httpContractCases
]
