import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import { Effect } from "effect"
import { type ModbusRegisters, pymodbus, startModbusServer } from "../../support/peers/ModbusServer.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { fixtureForm, fixtureRegisters, modbusTemplates } from "./fixtureRegisters.ts"
import { httpContractCases } from "./httpContractCases.ts"
import { mqttContractCases } from "./mqttContractCases.ts"

/** Registers for fixtures of the night, in which an inverter has no reading. */
const daylight: Readonly<Record<string, ModbusRegisters>> = {
  sma: { "3": { input: { "30775": [0, 2500] }, holding: { "30513": [0, 0, 188, 24_910], "30057": [45_846, 8146] } } }
}

/** A case for each manufacturer with templates over Modbus, by its first template. */
const modbusContractCases: ReadonlyArray<BuiltInCase> = Array.from(
  Map.groupBy(modbusTemplates, manufacturerSlug),
  ([slug, [template]]): BuiltInCase => ({
    slug,
    settings: {},
    wrongSettings: {},
    needs: pymodbus,
    start: async () => {
      const server = await startModbusServer({ ...fixtureRegisters(template!), ...daylight[slug] })
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect({ host: "127.0.0.1", port: String(server.port), ...fixtureForm(template!) })
            : Effect.die("The adapter has no form"),
        secrets: () => [],
        close: server.stop
      }
    }
  })
)

export const contractCases: ReadonlyArray<BuiltInCase> = [
  ...modbusContractCases,
  ...mqttContractCases,
  ...httpContractCases
]
