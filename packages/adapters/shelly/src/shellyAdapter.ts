import { Effect, Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { chargerCommands } from "./components.ts"
import { ShellyCredentials } from "./deviceAddress.ts"
import { makeDeviceServer } from "./DeviceServer.ts"
import { type DeviceTimes, deviceTimes } from "./deviceTimes.ts"
import { invitationFields, invite } from "./invitation.ts"
import { confirms, restore, sendCommand } from "./switchCommands.ts"

export const ShellySettings = Schema.Struct({
  maxConnections: Schema.NumberFromString.check(
    Schema.isInt(),
    Schema.isBetween({ minimum: 1, maximum: 100_000 })
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed("10000")))
})
export type ShellySettings = typeof ShellySettings.Type

const meters = [
  "Shelly 3EM-63 Gen3 (WebSocket)",
  "Shelly EM Gen3 or Gen4 (WebSocket)",
  "Shelly PM Mini (WebSocket)",
  "Shelly Pro 3EM (WebSocket)",
  "Shelly Pro EM (WebSocket)"
]
const switches = ["Shelly 1PM, 2PM or Pro 4PM (WebSocket)", "Shelly plug (WebSocket)"]

/** Shelly devices of the second generation and later, by the WebSocket that they open. */
export const makeShellyAdapter = (times: DeviceTimes): ManufacturerAdapter<ShellySettings, ShellyCredentials> => ({
  manifest: {
    slug: "shelly-websocket",
    name: "Shelly WebSocket",
    deviceTypes: ["meter", "charger"],
    commands: chargerCommands,
    authorization: "inbound",
    polling: null,
    quotas: [],
    confirmWithin: 60,
    products: [
      ...meters.map((name) => ({ name, deviceTypes: ["meter" as const], commands: [] })),
      ...switches.map((name) => ({
        name,
        deviceTypes: ["meter" as const, "charger" as const],
        commands: chargerCommands
      }))
    ],
    provenAgainst:
      "A WebSocket client of the tests with messages in the documented shape, not the product; aioshelly 11.2.0 reads its status alike"
  },
  settings: ShellySettings,
  credentials: ShellyCredentials,
  create: Effect.fnUntraced(function* (settings, host) {
    const server = yield* makeDeviceServer(host, settings, times)
    return {
      authorization: { kind: "inbound", fields: invitationFields, invite: (values) => invite(host, values) },
      revoke: ({ externalId }) => server.disconnect(externalId),
      sendCommand: (account, request) => sendCommand(server, account, request),
      restore: (account, request) => restore(server, account, request),
      confirms,
      inbound: server.inbound
    }
  })
})

export const shellyAdapter = makeShellyAdapter(deviceTimes)
