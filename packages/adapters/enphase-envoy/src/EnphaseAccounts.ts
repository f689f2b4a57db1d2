import { Clock, Effect, Option, RcMap, Redacted, Schema, type Scope, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import type { Account, AdapterAlert } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { type FormValues, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { deviceHttp } from "@edp/adapter-kit/http/securedHttp"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import { endingToken, readClaims } from "./accessToken.ts"
import { type ConnectForm, fields, firstPassword, readForm } from "./connectForm.ts"
import { type CloudAddresses, fetchToken } from "./EnlightenCloud.ts"
import { envoyGateway } from "./EnvoyGateway.ts"
import type { GatewayAccess, GatewayCredentials } from "./GatewayCredentials.ts"
import { type GatewayInfo, TOKEN_GENERATION } from "./gatewayInfo.ts"
import { Installation, readSite } from "./SiteReader.ts"
import { discovered, observations } from "./siteReport.ts"
import { restoreStorage, sendStorageCommand } from "./StorageCommands.ts"

/** Gateways take long to respond, but not longer than this. */
const SECONDS = 45

/** The memory of an account from reading to reading. */
const Memory = Schema.Struct({ installation: Installation, isEndAnnounced: Schema.Boolean })

const readMemory = Schema.decodeUnknownOption(Memory)

const TOKEN_ALERT = "access-token"

const tokenAlert = (title: string, resolved: boolean): AdapterAlert => ({
  manufacturerDeviceId: null,
  externalId: TOKEN_ALERT,
  type: "CONFIGURATION",
  subtype: null,
  severity: "WARNING",
  title,
  description: null,
  providerCode: null,
  resolved
})

/** A refusal of the login, for the person at the form to correct. */
const correctable = (error: AdapterError) =>
  ["grant_lost", "token_refused"].includes(error.failure)
    ? AdapterError.of("misconfigured", error.message, { upstream: error.upstream })
    : error

const hasTokens = ({ generation }: Pick<GatewayInfo, "generation">) => generation >= TOKEN_GENERATION

/** Accounts of Enphase gateways: their form, devices, readings, commands and tokens. */
export const makeAccounts = (
  host: AdapterHost,
  cloud: CloudAddresses
): Effect.Effect<AdapterInstance<GatewayCredentials>, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** A gateway takes one call at a time, of readings and commands alike. */
    const turns = yield* RcMap.make({ lookup: (_address: string) => Semaphore.make(1) })

    const inTurn =
      (address: string) =>
      <A>(call: Effect.Effect<A, AdapterError>) =>
        Effect.scoped(Effect.flatMap(RcMap.get(turns, address), (turn) => turn.withPermit(call)))

    const open = (
      device: Pick<GatewayCredentials, "host" | "port" | "fingerprint">,
      isEncrypted: boolean,
      access: GatewayAccess | null
    ) =>
      envoyGateway(
        deviceHttp(host, { ...device, tls: isEncrypted, seconds: SECONDS }),
        { host: device.host, port: device.port, isEncrypted, access },
        inTurn(`${device.host.toLowerCase()}:${device.port}`)
      )

    const openAccount = ({ credentials }: Account<GatewayCredentials>) =>
      open(credentials, credentials.access.kind === "token", credentials.access)

    const requireAccess = Effect.fnUntraced(function* (
      http: HttpClient.HttpClient,
      { access }: ConnectForm,
      { firmware, serial, ...info }: GatewayInfo
    ) {
      if (access.kind === "digest") {
        if (hasTokens(info)) {
          return yield* wrongValue(`The gateway has firmware ${firmware}: choose firmware 7 and later`)
        }
        const { password, username } = access
        return { access: { kind: access.kind, username, password: password ?? firstPassword(serial) }, expiresAt: null }
      }
      if (!hasTokens(info)) return yield* wrongValue(`The gateway has firmware ${firmware}: choose firmware before 7`)
      const { kind, login, token } = access
      if (token === null) {
        if (login === null) return yield* wrongValue("token is required")
        const fetched = yield* Effect.mapError(fetchToken(http, cloud, login, serial), correctable)
        return { access: { kind, token: fetched.token, login }, expiresAt: fetched.expiresAt }
      }
      const claims = readClaims(Redacted.value(token))
      if (claims !== undefined && claims.serial !== null && claims.serial !== serial) {
        return yield* wrongValue(`The access token is for the gateway ${claims.serial}, and this is ${serial}`)
      }
      // A pasted token can't be renewed: it is used to its end.
      return { access: { kind, token, login }, expiresAt: login === null ? null : (claims?.expiresAt ?? null) }
    })

    const connect = Effect.fn("Enphase.connect")(function* (values: FormValues) {
      const form = yield* readForm(values)
      const isEncrypted = form.access.kind === "token"
      const info = yield* open(form, isEncrypted, null).info
      const { access, expiresAt } = yield* requireAccess(host.http, form, info)
      yield* Effect.mapError(open(form, isEncrypted, access).checkLogin, correctable)
      const { fingerprint, givenName, host: address, port } = form
      const { generation, isMetered, serial } = info
      const credentials: GatewayCredentials = {
        host: address,
        port,
        fingerprint,
        givenName,
        serial,
        generation,
        isMetered,
        access
      }
      return { externalId: serial, name: givenName ?? `Enphase gateway ${serial}`, credentials, expiresAt }
    })

    /** Another gateway at the address, such as after the router gave it away, is not taken for the linked one. */
    const requireSame = Effect.fnUntraced(function* (
      { firmware, serial, ...info }: GatewayInfo,
      { access, serial: own }: GatewayCredentials
    ) {
      if (serial !== own) {
        return yield* AdapterError.of(
          "misconfigured",
          `Another gateway responds at the address: ${serial} in place of ${own}`
        )
      }
      if (hasTokens(info) !== (access.kind === "token")) {
        return yield* AdapterError.of(
          "grant_lost",
          `The gateway has firmware ${firmware} now, which needs another login: connect it again`
        )
      }
    })

    return {
      authorization: { kind: "form", fields, connect },
      refresh: Effect.fn("Enphase.refresh")(function* ({ credentials, http }) {
        const { access, serial } = credentials
        if (access.kind !== "token" || access.login === null) {
          return yield* AdapterError.of("grant_lost", "The access token was pasted and can't be renewed")
        }
        const { expiresAt, token } = yield* fetchToken(http, cloud, access.login, serial)
        return { credentials: { ...credentials, access: { ...access, token } }, expiresAt }
      }),
      discoverDevices: Effect.fn("Enphase.discoverDevices")(function* (account) {
        const { credentials } = account
        const gateway = openAccount(account)
        yield* requireSame(yield* gateway.info, credentials)
        const { site } = yield* readSite(gateway, credentials, undefined, true)
        return discovered(credentials, site)
      }),
      readDevices: Effect.fn("Enphase.readDevices")(function* (account) {
        const { credentials } = account
        const { access } = credentials
        const before = Option.getOrUndefined(readMemory(account.memory))
        const gateway = openAccount(account)
        const { installation, now, site } = yield* readSite(gateway, credentials, before?.installation)
        const ending =
          access.kind === "token" && access.login === null
            ? endingToken(Redacted.value(access.token), yield* Clock.currentTimeMillis)
            : undefined
        const seen = observations(credentials, site, now)
        if (seen.length === 0) {
          // As after an update of the firmware that moved its pages behind a token.
          yield* requireSame(yield* gateway.info, credentials)
          return yield* AdapterError.of("contract", "The gateway responds, and shows none of its devices")
        }
        const isIdle = seen.every(({ state }) => {
          const { chargingState, power } = (state ?? {}) as Readonly<Record<string, unknown>>
          return power === undefined ? chargingState !== "charging" && chargingState !== "discharging" : power === 0
        })
        return {
          observations: seen,
          alerts:
            ending !== undefined
              ? [tokenAlert(ending, false)]
              : before?.isEndAnnounced === true
                ? [tokenAlert("The access token of the Enphase gateway is valid again", true)]
                : [],
          devices: null,
          activity: isIdle ? "idle" : "normal",
          memory: { installation, isEndAnnounced: ending !== undefined } satisfies typeof Memory.Type
        }
      }),
      sendCommand: (account, request) => sendStorageCommand(openAccount(account), request),
      restore: (account, request) => restoreStorage(openAccount(account), request),
      confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before)
    }
  })
