import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { anySunSpecDevice } from "@edp/adapter-sunspec/sunSpecAdapter"
import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import { modbusTimes } from "@edp/adapter-kit/modbus/ModbusClient"
import type { ModbusDriver } from "@edp/adapter-kit/modbus/ModbusDriver"
import type { ModbusTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { registerDriver } from "@edp/adapter-templates/registerDriver"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { launch } from "../../support/launch.ts"
import { describeModbus, type ModbusRegisters, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { type CuttableDevice, dieAtEachWrite, type ForcedStep } from "@edp/adapter-kit/testing/cutWrites"
import { mapRegisters, model } from "../../adapters/sunspec/sunSpecMap.ts"
import { startCuttableLine } from "../../support/peers/cuttableModbusLine.ts"

const times = { ...modbusTimes, request: "2 seconds", busyPause: "1 millis", idle: 0 } as const

/** A battery of a driver behind a line that can be cut, with the registers that another client reads. */
const withBattery = async (
  driver: ModbusDriver,
  registers: ModbusRegisters,
  range: { readonly address: number; readonly count: number },
  use: (device: CuttableDevice, port: number) => Promise<void>
) => {
  const server = await startModbusServer(registers)
  const line = await startCuttableLine(server.port)
  const adapter = modbusAdapter({ slug: "test", name: "Test", drivers: [driver] }, times)
  const form = { host: "127.0.0.1", port: String(line.port), unitId: "1", batteryCapacity: "10000" }
  const create = adapter.create({}, testHost().host)
  try {
    const { credentials, externalId } = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(create, ({ authorization }) =>
          authorization.kind === "form" ? authorization.connect(form) : Effect.die("The adapter has no form")
        )
      )
    )
    const device = { id: "device-1", manufacturerDeviceId: `${externalId}/battery`, type: "battery" } as const
    const battery: CuttableDevice = {
      start: Effect.map(create, (instance) => ({ instance, account: testAccount(externalId, credentials), device })),
      cutAt: line.cutAt,
      settings: async () => {
        const all: Array<number> = []
        for (let at = range.address; at < range.address + range.count; at += 100) {
          all.push(...(await server.read(1, at, Math.min(100, range.address + range.count - at))))
        }
        return all
      }
    }
    await use(battery, line.port)
  } finally {
    await line.stop()
    await server.stop()
  }
}

const mode = (operatingMode: string, more: object = {}, revertAfter?: number): ForcedStep => ({
  type: "battery:set-operating-mode",
  input: { operatingMode, enableGridInteraction: true, ...more },
  ...(revertAfter === undefined ? {} : { revertAfter })
})
const steps = [
  mode("charge", { minimumBatteryReserve: 10 }, 900),
  mode("idle"),
  mode("discharge", { minimumBatteryReserve: 20, maximumBatteryReserve: 90 }, 600)
]

const common = model(1, { Mn: "Acme", Md: "Hybrid 6", SN: "SN-1001" })
const battery = model(802, { WHRtg: 10_000, WHRtg_SF: 0, SoC: 63, SocRsvMax: 100, SoCRsvMin: 10, SoC_SF: 0, ChaSt: 4 })
const storage = model(124, {
  WChaMax: 5000,
  WChaMax_SF: 0,
  // The owner has limited charging.
  StorCtl_Mod: 1,
  MinRsvPct: 500,
  MinRsvPct_SF: -2,
  OutWRte: 10_000,
  InWRte: 4200,
  InOutWRte_SF: -2,
  InOutWRte_RvrtTms: 0,
  ChaGriSet: 0
})
const controls = model(704, { WSetEna: 0, WSetMod: 0, WSet: 17, WSet_SF: 0, WSetEnaRvrt: 1, WSetRvrtTms: 0 })
const ratings = model(702, { WChaRteMax: 33, WDisChaRteMax: 50, W_SF: 2 })

const at = (map: ReadonlyArray<number>) => ({
  registers: { "1": { holding: { "40000": map } } },
  range: { address: 40_000, count: map.length }
})

const template = (() => {
  const set = (operatingMode: string, value: number) => [operatingMode, value] as const
  const result = readTemplate({
    slug: "acme-box",
    name: "Acme box",
    manufacturer: "Acme",
    protocol: "modbus",
    source: "made up",
    serialNumber: { unitId: 1, address: 90, type: "uint16" },
    devices: [
      {
        key: "battery",
        type: "battery",
        model: "Box",
        unitId: 1,
        fields: { chargePercentage: { address: 10, type: "uint16", unit: "%" } },
        commands: {
          "battery:set-operating-mode": [
            { address: 20, type: "uint16", value: 0 },
            { address: 21, type: "uint16", input: "minimumBatteryReserve", unit: "%", optional: true },
            { address: 22, type: "int32", input: "maximumBatteryReserve", unit: "%", optional: true },
            {
              address: 24,
              type: "int16",
              input: "operatingMode",
              values: Object.fromEntries([set("charge", -5000), set("discharge", 5000), set("idle", 0)])
            },
            { address: 20, type: "uint16", value: 1 }
          ]
        }
      }
    ],
    fixture: { shape: "none", registers: {}, expected: { battery: { state: {} } } }
  })
  if ("problems" in result) throw new Error(JSON.stringify(result.problems))
  return result.template as ModbusTemplate
})()

describeModbus("a battery whose process dies between two writes", () => {
  it.each([
    ["model 124", [common, storage, battery]],
    ["model 704", [common, ratings, controls, battery]]
  ])(
    "is left as it was by forced modes over SunSpec %s, whichever write is cut",
    { timeout: 300_000 },
    async (_, models) => {
      const { range, registers } = at([...mapRegisters(models)])
      await withBattery(anySunSpecDevice, registers, range, async (device) => {
        expect(await dieAtEachWrite(device, steps)).toBeGreaterThan(20)
      })
    }
  )

  it("is left as it was by forced modes over the registers of a template", { timeout: 300_000 }, async () => {
    const registers = { "1": { holding: { "10": [55], "20": [0, 15, 0, 95, 7], "90": [4711] } } }
    await withBattery(registerDriver(template), registers, { address: 20, count: 5 }, async (device) => {
      expect(await dieAtEachWrite(device, steps)).toBeGreaterThan(15)
    })
  })

  it.each([3, 8, 14])(
    "is left as it was when its process is killed at write %i",
    { timeout: 60_000 },
    async (write) => {
      const { range, registers } = at([...mapRegisters([common, storage, battery])])
      const folder = mkdtempSync(join(tmpdir(), "edp-forced-"))
      try {
        await withBattery(anySunSpecDevice, registers, range, async (device, port) => {
          const before = await device.settings()
          const run = (...modes: ReadonlyArray<string>) =>
            launch(process.execPath, [
              "--conditions=@edp/source",
              fileURLToPath(new URL("children/forceModes.ts", import.meta.url)),
              String(port),
              join(folder, "snapshot.json"),
              ...modes
            ])
          const cut = device.cutAt(write, true)
          const first = await run("charge", "idle", "discharge")
          await cut
          first.kill("SIGKILL")
          expect((await first.exited).signal).toBe("SIGKILL")
          expect(await device.settings()).not.toEqual(before)
          const second = await run("reset")
          expect(await second.exited, second.stderr()).toMatchObject({ code: 0 })
          expect(await device.settings()).toEqual(before)
        })
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
  )
})
