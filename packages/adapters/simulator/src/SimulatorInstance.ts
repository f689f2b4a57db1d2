import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import { Clock, Effect, Redacted, Struct } from "effect"
import { HttpClient, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Account, DiscoveredDevice, DeviceObservation } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { AdapterInstance, AdapterRoute, CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeOAuthClient } from "@edp/adapter-kit/oauth/OAuthClient"
import type { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { findAccountFault } from "./cloud/AccountRecord.ts"
import { type Change, HISTORY, type LiveAccount, makeAccounts } from "./cloud/Accounts.ts"
import { type CloudRefusal, toAdapterError } from "./cloud/CloudRefusal.ts"
import { makeDeviceApi } from "./cloud/DeviceApi.ts"
import { makeGrants } from "./cloud/Grants.ts"
import { isSettings, withTaken } from "./cloud/settings.ts"
import { makeSimulation } from "./cloud/Simulation.ts"
import { listInterventions, siteCommands } from "./interventions.ts"
import { manifest } from "./manifest.ts"
import { authorizePath, authorizeRoutes, CLIENT_ID } from "./oauth/AuthorizationEndpoint.ts"
import { revokePath, tokenPath, tokenRoutes } from "./oauth/TokenEndpoint.ts"
import type { DeviceCommand } from "./physics/commands.ts"
import { readDevices } from "./physics/devices.ts"
import { makeReport, type Memory, reportTimes } from "./report.ts"
import { comparePower, type Confirmation } from "@edp/domain/commands/confirmByState"

type Values = Readonly<Record<string, unknown>>

const met = (isMet: boolean, otherwise: "pending" | "contrary" = "contrary"): Confirmation =>
  isMet ? "met" : otherwise

/** Charging stops this close to its limit, in percent. */
const CLOSE = 0.5

const isAtLeast = (state: Values, field: string, limit: unknown) =>
  typeof state[field] === "number" && typeof limit === "number" && state[field] >= limit - CLOSE

/**
 * A forced mode shows in the power. Without the grid a battery only takes what the sun leaves and gives what the home uses,
 * which may be nothing; a full or an empty one does nothing at all.
 */
const confirmsBatteryMode = (input: Values, state: Values): Confirmation => {
  // The physics keeps to a power exactly.
  const power = comparePower(input["targetPowerW"], state["chargeRate"], undefined)
  if (power !== "met") return power
  const withGrid = input["enableGridInteraction"] === true
  const { chargePercentage, chargingState } = state
  switch (input["operatingMode"]) {
    case "idle":
      return met(chargingState === "idle")
    case "charge": {
      const isFull = isAtLeast(state, "chargePercentage", input["maximumBatteryReserve"] ?? 100)
      return withGrid && !isFull && chargingState === "idle" ? "pending" : met(chargingState !== "discharging")
    }
    case "discharge": {
      const reserve = input["minimumBatteryReserve"] ?? state["backupReserve"] ?? 0
      const isEmpty =
        typeof chargePercentage === "number" && typeof reserve === "number" && chargePercentage <= reserve + CLOSE
      return withGrid && !isEmpty && chargingState === "idle" ? "pending" : met(chargingState !== "charging")
    }
    default:
      return "met"
  }
}

const confirmsCharging = (input: Values, state: Values): Confirmation => {
  if (state["isPluggedIn"] === false) return input["operatingMode"] === "stop-charging" ? "met" : "contradicted"
  if (input["operatingMode"] === "stop-charging") return met(state["chargingState"] !== "charging")
  const power = comparePower(input["targetPowerW"], state["chargerWattage"], undefined)
  if (power !== "met") return power
  const isFull = isAtLeast(state, "chargePercentage", state["chargeLimit"])
  return met(state["chargingState"] === "charging" || isFull, "pending")
}

/** A field that the reading lacks tells nothing; one that the command does not set counts as shown. */
const compareField = (asked: unknown, shown: unknown): Confirmation =>
  asked === undefined ? "met" : shown === undefined ? "pending" : met(asked === shown)

/** Compares a command with a device's state. */
const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state: observed }: DeviceObservation
): Confirmation => {
  if (observed === null) return "pending"
  const state = observed as Values
  switch (type) {
    case "battery:set-reserve":
      return compareField(input["chargePercentage"], state["backupReserve"])
    case "battery:set-operating-mode":
      return confirmsBatteryMode(input, state)
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return confirmsCharging(input, state)
    case "vehicle:set-charge-limit":
      return compareField(input["chargeLimit"], state["chargeLimit"])
    case "thermostat:set-operating-mode": {
      const shown = [
        compareField(input["operatingMode"], state["operatingMode"]),
        // Targets that the mode does not use are not reported.
        ...["heatTarget", "coolTarget"].map((field) =>
          state[field] === undefined ? "met" : compareField(input[field], state[field])
        )
      ]
      return shown.includes("contrary") ? "contrary" : shown.includes("pending") ? "pending" : "met"
    }
    case "thermostat:set-fan-mode":
      return compareField(input["fanMode"], state["fanMode"])
    // Nothing in the state shows them; they are completed when they are accepted.
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule":
    case "vehicle:check-pairing-status":
      return "met"
  }
}

/** The endpoints are called in this process, under an address that no network knows. */
const IN_PROCESS = "http://localhost"

/** A client whose requests are answered by the handlers of routes, as a server would. */
const inProcessClient = (routes: ReadonlyArray<AdapterRoute>): HttpClient.HttpClient =>
  HttpClient.make((request, url) => {
    const route = routes.find(({ method, path }) => method === request.method && path === url.pathname)
    const reply = route?.handle ?? Effect.succeed(HttpServerResponse.empty({ status: 404 }))
    return reply.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
  })

const models: Readonly<Record<SimulatedType, string>> = {
  battery: "Simulated battery",
  charger: "Simulated charger",
  inverter: "Simulated inverter",
  meter: "Simulated meter",
  thermostat: "Simulated thermostat",
  vehicle: "Simulated vehicle",
  water_heater: "Simulated water heater"
}

const discovered = (account: LiveAccount): ReadonlyArray<DiscoveredDevice> => {
  const has = (kind: "no_devices" | "incompatible_devices") =>
    findAccountFault(account.record, kind, account.time) !== undefined
  if (has("no_devices")) return []
  const incompatible = has("incompatible_devices") ? "The manufacturer's service has no readings of this device" : null
  return account.record.sites.flatMap(({ profile }, index) =>
    readDevices(profile, account.states[index]!, null).map((device) => ({
      manufacturerDeviceId: device.identity.id,
      type: device.type,
      name: device.identity.name,
      model: models[device.type],
      serialNumber: device.identity.serialNumber,
      rawType: device.type,
      rawModel: models[device.type],
      modelYear: null,
      staticState: device.staticState,
      commands: siteCommands(device.type, profile),
      incompatible,
      interventions: listInterventions(device, account.record, account.time)
    }))
  )
}

/** Modes that end: the settings from before are kept until then. */
const isForced = ({ input, revertAfter, type }: CommandRequest) =>
  revertAfter !== null || (type === "battery:set-operating-mode" && input["operatingMode"] !== "reset")

const forgetPast: Change<void> = ({ record }) => ({ record: Struct.omit(record, ["past"]), result: undefined })

/** Commands whose effect no reading shows. */
const isUnseen = (type: CommandRequest["type"]) => type.endsWith("-schedule") || type === "vehicle:check-pairing-status"

/** The simulated manufacturer at work, with the adapter that reads it. */
export const makeSimulator = (host: AdapterHost): AdapterInstance<OAuthTokens> => {
  const accounts = makeAccounts(host.records)
  const grants = makeGrants(host.records)
  const api = makeDeviceApi(accounts, grants)
  const redirectUri = `${host.publicUrl}/oauth/callback`
  const issuer = `${host.publicUrl}/adapters/simulator`
  const tokenEndpoints = tokenRoutes(accounts, grants)
  const http = inProcessClient(tokenEndpoints)
  const oauth = makeOAuthClient(
    {
      manufacturer: manifest.name,
      issuer,
      namesIssuer: true,
      authorizationEndpoint: `${host.publicUrl}${authorizePath}`,
      tokenEndpoint: `${IN_PROCESS}${tokenPath}`,
      revocationEndpoint: `${IN_PROCESS}${revokePath}`,
      clientId: CLIENT_ID,
      clientSecret: null,
      clientAuthentication: "none",
      requestFormat: "form",
      scopes: ["devices", "commands"],
      authorizationParameters: ({ language }) => ({ ui_locales: language }),
      lostGrants: []
    },
    http
  )

  const calling = <A>(call: Effect.Effect<A, CloudRefusal>): Effect.Effect<A, AdapterError> =>
    Effect.catchTag(call, "CloudRefusal", (refusal) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toAdapterError(refusal, now)))
    )
  const accessToken = ({ credentials }: Account<OAuthTokens>) => Redacted.value(credentials.accessToken)
  const completed = { status: "completed", reason: null, output: null, upstream: null } satisfies CommandResult

  return {
    authorization: {
      kind: "oauth2",
      authorizationUrl: oauth.authorizationUrl,
      exchange: Effect.fn("Simulator.exchange")(function* (callback) {
        const credentials = yield* oauth.exchange(callback)
        const { grant } = yield* calling(grants.authenticate(Redacted.value(credentials.accessToken)))
        const account = yield* accounts.find(grant.accountId)
        return {
          externalId: grant.accountId,
          name: account?.record.name ?? grant.accountId,
          credentials,
          expiresAt: credentials.expiresAt
        }
      })
    },
    // The simulated cloud is in this process: it is called by a client of its own, whatever the account's is.
    refresh: ({ credentials }) =>
      Effect.map(oauth.refresh({ credentials, http }), (renewed) => ({
        credentials: renewed,
        expiresAt: renewed.expiresAt
      })),
    revoke: ({ credentials }) => oauth.revoke({ credentials, http }),
    discoverDevices: Effect.fn("Simulator.discoverDevices")(function* (account) {
      return discovered(yield* calling(api.devices(accessToken(account))))
    }),
    readDevices: Effect.fn("Simulator.readDevices")(function* (account) {
      const live = yield* calling(api.readings(accessToken(account)))
      const memory = account.memory as Memory | null
      const { past } = live.record
      // The platform has stored the report of the past with its memory.
      if (memory !== null && past !== undefined) yield* accounts.change(live.id, forgetPast)
      const times =
        memory === null && past !== undefined
          ? reportTimes(past, live.time, Infinity)
          : reportTimes(memory?.at ?? null, live.time, HISTORY)
      const sites = yield* Effect.forEach(live.record.sites, (site, index) =>
        Effect.map(
          times.length === 1 ? Effect.succeed([]) : accounts.statesAt(site, times.slice(0, -1)),
          (earlier) => ({ profile: site.profile, states: [...earlier, live.states[index]!] })
        )
      )
      return makeReport(live, sites, memory)
    }),
    sendCommand: Effect.fn("Simulator.sendCommand")(function* (account, request) {
      const { device, id, input, revertAfter, saveSnapshot, snapshot, type } = request
      const token = accessToken(account)
      const deviceId = device.manufacturerDeviceId
      // The platform has checked the input against the type.
      const command = { type, input, ...(revertAfter !== null && { revertAfter }) } as unknown as DeviceCommand
      if (snapshot === null && isForced(request)) {
        const before = yield* calling(api.settings(token, deviceId, command))
        if (before !== null) yield* saveSnapshot(before)
      }
      const { output, reason } = yield* calling(api.command(token, id, deviceId, command))
      const isDone = reason === "already_so" || isUnseen(type)
      return { status: isDone ? "completed" : "accepted", reason, output, upstream: null } satisfies CommandResult
    }),
    restore: Effect.fn("Simulator.restore")(function* (account, { device, snapshot, takenSince }) {
      if (!isSettings(snapshot))
        return yield* AdapterError.of("contract", "The saved settings are not those of the simulator", {
          commandReason: "refused"
        })
      const settings = withTaken(snapshot, takenSince)
      yield* calling(api.restore(accessToken(account), device.manufacturerDeviceId, settings))
      return completed
    }),
    confirms,
    routes: [...authorizeRoutes({ accounts, grants, issuer, redirectUri }), ...tokenEndpoints],
    simulation: makeSimulation(accounts, grants)
  }
}
