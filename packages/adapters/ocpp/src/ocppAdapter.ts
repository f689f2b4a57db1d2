import { Effect, Schema } from "effect"
import type { ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeCentralSystem } from "./CentralSystem.ts"
import { confirms, restore, sendCommand } from "./chargerCommands.ts"
import { invitationFields, invite, StationCredentials } from "./invitation.ts"
import { chargerCommands } from "./stationReports.ts"
import { stationProducts } from "./stationSetups.ts"
import { type StationTimes, stationTimes } from "./stationTimes.ts"

const integer = (minimum: number, maximum: number, otherwise: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(String(otherwise)))
  )

export const OcppSettings = Schema.Struct({
  maxConnections: integer(1, 100_000, 10_000),
  heartbeatInterval: integer(10, 3600, 300),
  meterInterval: integer(5, 3600, 60)
})
export type OcppSettings = typeof OcppSettings.Type

/** Charging stations by OCPP 1.6J and 2.0.1, which dial the platform. */
export const makeOcppAdapter = (times: StationTimes): ManufacturerAdapter<OcppSettings, StationCredentials> => ({
  manifest: {
    slug: "ocpp",
    name: "OCPP charging station",
    deviceTypes: ["charger"],
    commands: chargerCommands,
    authorization: "inbound",
    polling: null,
    quotas: [],
    confirmWithin: 60,
    products: ["Other OCPP charging station", ...stationProducts].map((name) => ({
      name,
      deviceTypes: ["charger"],
      commands: chargerCommands
    })),
    provenAgainst: "Simulated stations of other authors, not the product"
  },
  settings: OcppSettings,
  credentials: StationCredentials,
  create: Effect.fnUntraced(function* (settings, host) {
    const system = yield* makeCentralSystem(host, settings, times)
    return {
      authorization: {
        kind: "inbound",
        fields: invitationFields,
        invite: (values) => invite(host, values)
      },
      revoke: ({ externalId }) => system.disconnect(externalId),
      sendCommand: (account, request) => sendCommand(system, account, request),
      restore: (account, request) => restore(system, account, request),
      confirms,
      inbound: system.inbound
    }
  })
})

export const ocppAdapter = makeOcppAdapter(stationTimes)
