import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import { makeAccounts } from "@edp/adapter-simulator/cloud/Accounts"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { memoryRecords, testAccount } from "@edp/adapter-kit/testing/TestHost"
import { type CuttableDevice, dieAtEachWrite, type ForcedStep } from "@edp/adapter-kit/testing/cutWrites"
import { decide, exchange, startAnother } from "./simulator.ts"

/** Records of which one write is the last thing that the process does. */
const cuttableRecords = () => {
  const { records } = memoryRecords()
  let cut: { left: number; readonly arrives: boolean; readonly reached: () => void } | undefined
  const put: AdapterRecords["put"] = (key, version, value) =>
    Effect.suspend(() => {
      const isLast = cut !== undefined && (cut.left -= 1) === 0
      if (!isLast) return records.put(key, version, value)
      const { arrives, reached } = cut!
      const dies = Effect.andThen(Effect.sync(reached), Effect.never)
      return arrives ? Effect.andThen(records.put(key, version, value), dies) : dies
    })
  return {
    stored: records,
    records: { ...records, put },
    cutAt: (write: number, arrives: boolean) =>
      new Promise<void>((reached) => {
        cut = { left: write, arrives, reached }
      })
  }
}

it("a process that dies between two writes of the simulated manufacturer leaves a battery as it was", async () => {
  const { cutAt, records, stored } = cuttableRecords()
  const linked = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const simulator = yield* startAnother(stored)
        return yield* exchange(simulator, (yield* decide(simulator, "sunny")).parameters)
      })
    )
  )
  const device: CuttableDevice = {
    start: Effect.map(startAnother(records), (instance) => ({
      instance,
      account: testAccount(linked.externalId, linked.credentials),
      device: { id: "device-1", manufacturerDeviceId: "sim-sunny-battery", type: "battery" } as const
    })),
    cutAt,
    settings: async () => {
      const account = await Effect.runPromise(makeAccounts(stored).find(linked.externalId))
      const { forced, settings } = account!.states[0]!.battery!
      return { forced, settings }
    }
  }
  const mode = (operatingMode: string, more: object = {}): ForcedStep => ({
    type: "battery:set-operating-mode",
    input: { operatingMode, ...more },
    revertAfter: 3600
  })
  const writes = await dieAtEachWrite(device, [
    mode("charge", { minimumBatteryReserve: 40 }),
    mode("idle"),
    mode("discharge", { minimumBatteryReserve: 5 })
  ])
  // A command is one write of the manufacturer, and so is a restore.
  expect(writes).toBeGreaterThanOrEqual(4)
})
