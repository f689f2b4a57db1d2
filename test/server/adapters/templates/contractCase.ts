import { manufacturerSlug } from "@edp/server/adapters/templates/DeviceTemplate"
import { Effect } from "effect"
import { pymodbus, startModbusServer } from "../../../support/peers/ModbusServer.ts"
import type { ContractCase } from "../contract/ContractCase.ts"
import { fixtureForm, fixtureRegisters, modbusTemplates } from "./fixtureRegisters.ts"

/** A case for each manufacturer with templates over Modbus, by its first template. */
export const contractCases: ReadonlyArray<ContractCase> = Array.from(
  Map.groupBy(modbusTemplates, manufacturerSlug),
  ([slug, [template]]): ContractCase => ({
    slug,
    settings: {},
    wrongSettings: {},
    needs: pymodbus,
    start: async () => {
      const server = await startModbusServer(fixtureRegisters(template!))
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
