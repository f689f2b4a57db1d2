import { Effect } from "effect"
import { pymodbus, startModbusServer } from "../../support/peers/ModbusServer.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { mapRegisters, model } from "./sunSpecMap.ts"

const home = [
  model(1, { Mn: "Acme", Md: "Hybrid 6", Vr: "1.2", SN: "SN-1001" }),
  model(103, { W: 300, W_SF: 1, WH: 1_234_567, WH_SF: 0, Evt1: 0 }),
  model(124, {
    WChaMax: 5000,
    WChaMax_SF: 0,
    StorCtl_Mod: 0,
    MinRsvPct: 1000,
    MinRsvPct_SF: -2,
    ChaState: 6350,
    ChaState_SF: -2,
    ChaSt: 6,
    OutWRte: 10_000,
    InWRte: 10_000,
    InOutWRte_SF: -2,
    InOutWRte_RvrtTms: 0,
    ChaGriSet: 0
  }),
  model(802, { WHRtg: 10_000, WHRtg_SF: 0, SoC: 63, SocRsvMax: 100, SoCRsvMin: 10, SoC_SF: 0, ChaSt: 6, Evt1: 0 }),
  model(203, { W: -212, W_SF: 1, TotWhImp: 5000, TotWhExp: 7000, TotWh_SF: 0 })
]

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "sunspec",
    settings: {},
    wrongSettings: {},
    needs: pymodbus,
    start: async () => {
      const server = await startModbusServer({ "1": { holding: { "40000": mapRegisters(home) } } })
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect({ host: "127.0.0.1", port: String(server.port), unitId: "1" })
            : Effect.die("The adapter has no form"),
        secrets: () => [],
        // Models 1, 103, 124 and 802 follow each other from 40002 on: states of charging and events that no table lists.
        sendUnknownValues: async () => {
          await server.write(1, 40_002 + 68 + 40, [0x7fff, 0xffff])
          await server.write(1, 40_002 + 68 + 52 + 11, [99])
          await server.write(1, 40_002 + 68 + 52 + 26 + 16, [99])
          await server.write(1, 40_002 + 68 + 52 + 26 + 11, [9999])
        },
        close: server.stop
      }
    }
  }
]
