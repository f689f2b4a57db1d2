import { Effect } from "effect"
import { testAccount } from "@edp/adapter-kit/testing/TestHost"
import { inboundServer } from "../../support/inboundServer.ts"
import { dialShelly, plus1pm, type ShellyPeer } from "../../support/peers/ShellyDevice.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "shelly-websocket",
    settings: { maxConnections: "100" },
    wrongSettings: { maxConnections: "0" },
    start: async () => {
      let server: Awaited<ReturnType<typeof inboundServer>> | undefined
      const paths = new Map<string, string>()
      const devices = new Map<string, ShellyPeer>()
      let newest: ShellyPeer | undefined
      let isCharging = false
      return {
        link: Effect.fnUntraced(function* ({ authorization, inbound }, platform) {
          if (authorization.kind !== "inbound") return yield* Effect.die("Devices open the connection")
          server ??= yield* Effect.promise(() => inboundServer([inbound!]))
          const { account, instructions } = yield* authorization.invite({ chargers: "0" })
          const address = instructions.find(({ value }) => value?.startsWith("ws:") === true)!.value!
          paths.set(account.externalId, new URL(address).pathname)
          platform.accounts.set(account.externalId, {
            ...testAccount(account.externalId, account.credentials),
            pending: false
          })
          return account
        }),
        secrets: () => [...paths.values()].map((path) => path.slice(-32)),
        report: async (_, { externalId }) => {
          let device = devices.get(externalId)
          if (device === undefined) {
            const mac = `08F9E0${String(devices.size).padStart(6, "0")}`
            device = await dialShelly(`ws://127.0.0.1:${server!.port}${paths.get(externalId)!}`, plus1pm(mac))
            devices.set(externalId, device)
          }
          newest = device
          // A charger that starts or stops is reported before its next pause ends.
          isCharging = !isCharging
          device.change("switch:0", { output: isCharging, apower: isCharging ? 2204.6 : 0 })
        },
        sendUnknownValues: async () => {
          newest!.change("switch:0", { source: "telepathy", mood: "blue", aenergy: "lots", voltage: "high" })
          newest!.notify("NotifyDream", { of: ["sheep"] })
          newest!.notify("NotifyEvent", { events: [{ component: "sys", event: "frobnicated" }] })
        },
        close: async () => {
          for (const { socket } of devices.values()) socket.terminate()
          await server?.close()
        }
      }
    }
  }
]
