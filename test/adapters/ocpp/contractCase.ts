import { Effect } from "effect"
import { testAccount } from "@edp/adapter-kit/testing/TestHost"
import { inboundServer } from "../../support/inboundServer.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { boot16, closeAll, type Line, openLine } from "./platform.ts"

const status = (status: string, errorCode = "NoError") => ({
  connectorId: 1,
  status,
  errorCode,
  timestamp: new Date().toISOString()
})

const meter = (...sampledValue: ReadonlyArray<object>) => ({
  connectorId: 1,
  meterValue: [{ timestamp: new Date().toISOString(), sampledValue }]
})

/** A station of version 1.6 that takes every request, and charges as it is told to. */
const talkingStation = (line: Line) => {
  let calls = 0
  const waiting = new Map<string, (payload: any) => void>()
  const call = (action: string, payload: object) =>
    new Promise<any>((resolve) => {
      const id = `s-${++calls}`
      waiting.set(id, resolve)
      line.say([2, id, action, payload])
    })
  const obey = async (action: string, payload: any) => {
    const timestamp = new Date().toISOString()
    if (action === "RemoteStartTransaction") {
      await call("StartTransaction", { connectorId: 1, idTag: payload.idTag, meterStart: 0, timestamp })
      await call("StatusNotification", status("Charging"))
    } else if (action === "RemoteStopTransaction") {
      await call("StopTransaction", { transactionId: payload.transactionId, meterStop: 1, timestamp })
      await call("StatusNotification", status("Preparing"))
    } else if (action === "SetChargingProfile") await call("StatusNotification", status("SuspendedEVSE"))
    else if (action === "ClearChargingProfile") await call("StatusNotification", status("Charging"))
  }
  line.socket.on("message", (data) => {
    const [type, id, content, payload] = JSON.parse(String(data))
    if (type !== 2) return waiting.get(id)?.(content)
    line.say([3, id, { status: "Accepted" }])
    void obey(content, payload)
  })
  return call
}

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "ocpp",
    settings: { maxConnections: "100", heartbeatInterval: "60", meterInterval: "15" },
    wrongSettings: { maxConnections: "0", heartbeatInterval: "soon", meterInterval: "1.5" },
    start: async () => {
      let server: Awaited<ReturnType<typeof inboundServer>> | undefined
      const passwords = new Map<string, string>()
      const stations = new Map<string, ReturnType<typeof talkingStation>>()
      let newest = ""
      return {
        link: Effect.fnUntraced(function* ({ authorization, inbound }, platform) {
          if (authorization.kind !== "inbound") return yield* Effect.die("Stations open the connection")
          server ??= yield* Effect.promise(() => inboundServer([inbound!]))
          const { account, instructions } = yield* authorization.invite({ stationId: `CP-${passwords.size + 1}` })
          passwords.set(account.externalId, instructions.find(({ secret }) => secret)!.value!)
          platform.accounts.set(account.externalId, {
            ...testAccount(account.externalId, account.credentials),
            pending: false
          })
          return account
        }),
        secrets: () => [...passwords.values()],
        report: async (_, { externalId }) => {
          newest = externalId
          let station = stations.get(externalId)
          if (station === undefined) {
            const url = `ws://127.0.0.1:${server!.port}`
            station = talkingStation(
              await openLine({ url }, { stationId: externalId, password: passwords.get(externalId)! })
            )
            stations.set(externalId, station)
            await station("BootNotification", boot16)
          }
          await station("StatusNotification", status("Preparing"))
          await station("MeterValues", meter({ value: "7.2", measurand: "Power.Active.Import", unit: "kW" }))
        },
        sendUnknownValues: async () => {
          const station = stations.get(newest)!
          await station("StatusNotification", status("Melting", "AlienInvasion"))
          await station("MeterValues", meter({ value: "1", measurand: "Flux", unit: "parsec" }, { value: "lots" }))
          await station("Teleport", { to: "Mars" })
        },
        close: async () => {
          await closeAll()
          await server?.close()
        }
      }
    }
  }
]
