import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { AdapterRoute, CommandRequest, ManufacturerAdapter, Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeCommandLog } from "./CommandLog.ts"
import { makeCommandSite } from "./commandSite.ts"
import { makeCommandVehicle } from "./commandVehicle.ts"
import { confirms } from "./confirms.ts"
import { findSite } from "./devices.ts"
import { makeDiscover } from "./discover.ts"
import { makeFleetApi, type TeslaAccount } from "./FleetApi.ts"
import { makeAccountReader } from "./AccountReader.ts"
import { keyText, TeslaSettings } from "./settings.ts"
import { makeSignIn, TeslaCredentials } from "./signIn.ts"

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

const manifest: Manifest = {
  slug: "tesla",
  name: "Tesla",
  deviceTypes: ["battery", "inverter", "charger", "vehicle"],
  commands: [
    "battery:set-reserve",
    "battery:set-operating-mode",
    "vehicle:set-operating-mode",
    "vehicle:set-charge-limit",
    "vehicle:check-pairing-status"
  ],
  authorization: "oauth2",
  // Accounts with an energy site are read each minute. Vehicles are asked every ten minutes, and never woken by it.
  polling: { busy: MINUTE, normal: MINUTE, idle: 10 * MINUTE, asleep: 10 * MINUTE, discovery: DAY },
  // Tesla limits each device to 60 reads and 30 commands a minute. An account with a site and cars needs ten a minute.
  quotas: [{ scope: "account", calls: 60, window: MINUTE, headroom: 0.5 }],
  confirmWithin: 5 * MINUTE
}

/** The key with which owners pair their vehicles, at the path that Tesla prescribes. */
const keyRoute = (publicKey: string): AdapterRoute => ({
  method: "GET",
  path: "/.well-known/appspecific/com.tesla.3p.public-key.pem",
  handle: Effect.succeed(HttpServerResponse.text(keyText(publicKey), { contentType: "application/x-pem-file" }))
})

/** Tesla's vehicles, Powerwalls, solar systems and wall connectors over the Fleet API. */
export const teslaAdapter: ManufacturerAdapter<TeslaSettings, TeslaCredentials> = {
  manifest,
  settings: TeslaSettings,
  credentials: TeslaCredentials,
  create: (settings: TeslaSettings, host: AdapterHost) =>
    Effect.sync(() => {
      const api = makeFleetApi(settings)
      const log = makeCommandLog(host)
      const signsCommands = settings.commandBaseUrl !== undefined
      const keyDomain = settings.keyDomain ?? new URL(host.publicUrl).hostname
      const site = makeCommandSite(api)
      const vehicle = makeCommandVehicle(api, { signsCommands })
      const { authorization, refresh, revoke } = makeSignIn(settings, host.http)

      const commandSite = (account: TeslaAccount, request: CommandRequest, id: string) =>
        Effect.flatMap(log.isSettling(account.id, id), (isSettling) => site.send(account, request, isSettling))

      const sendCommand = (account: TeslaAccount, request: CommandRequest) => {
        const id = findSite(request.device.manufacturerDeviceId)
        const subject = id ?? request.device.manufacturerDeviceId
        return (id === null ? vehicle.send(account, request) : commandSite(account, request, id)).pipe(
          Effect.tap(() => log.note(account.id, subject, null)),
          Effect.tapError((error) =>
            error.intervention === null || error.intervention === "storm_mode"
              ? Effect.void
              : log.note(account.id, subject, error.intervention)
          )
        )
      }

      return {
        authorization,
        refresh,
        revoke,
        discoverDevices: makeDiscover(api, { keyDomain, signsCommands }),
        readDevices: makeAccountReader(api, log, { keyDomain, signsCommands }),
        sendCommand,
        restore: (account, request) =>
          findSite(request.device.manufacturerDeviceId) === null
            ? vehicle.restore(account, request)
            : site.restore(account, request),
        confirms,
        routes: settings.publicKey === undefined ? [] : [keyRoute(settings.publicKey)]
      }
    })
}
