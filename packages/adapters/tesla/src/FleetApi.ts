import { Clock, Effect, Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { type HttpResponse, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import type { CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import type { PlannedCall } from "./plans.ts"
import { commandResult, failureFromResponse } from "./results.ts"
import { baseAddress, commandAddress, type TeslaSettings } from "./settings.ts"
import type { TeslaCredentials } from "./signIn.ts"

export type TeslaAccount = Account<TeslaCredentials>

/** Characters of a decoding error that are kept. */
const REASON_LIMIT = 500

/** Calls of the Fleet API in the name of an account. */
export interface FleetApi {
  /** Reads an endpoint. A response that is not understood fails with `contract`. */
  readonly read: <A>(
    account: TeslaAccount,
    path: string,
    decode: (body: unknown) => Result.Result<A, string>,
    parameters?: Readonly<Record<string, string>>
  ) => Effect.Effect<A, AdapterError>
  /** Reads by POST. */
  readonly ask: <A>(
    account: TeslaAccount,
    call: PlannedCall,
    decode: (body: unknown) => Result.Result<A, string>
  ) => Effect.Effect<A, AdapterError>
  /** Makes a call of a command's plan. */
  readonly command: (account: TeslaAccount, call: PlannedCall) => Effect.Effect<CommandResult, AdapterError>
}

export const makeFleetApi = (settings: TeslaSettings): FleetApi => {
  const send = (account: TeslaAccount, request: HttpClientRequest.HttpClientRequest) =>
    sendRequest(
      account.http,
      request.pipe(HttpClientRequest.bearerToken(account.credentials.accessToken), HttpClientRequest.acceptJson)
    )

  const post = (account: TeslaAccount, { base, body, path }: PlannedCall) => {
    const address = base === "command" ? commandAddress : baseAddress
    return send(
      account,
      HttpClientRequest.bodyJsonUnsafe(
        HttpClientRequest.post(`${address(settings, account.credentials.region)}${path}`),
        body
      )
    )
  }

  const understood = <A>(response: HttpResponse, path: string, decode: (body: unknown) => Result.Result<A, string>) =>
    Effect.gen(function* () {
      const failure = failureFromResponse(response, yield* Clock.currentTimeMillis)
      if (failure !== null) return yield* failure
      const decoded = decode(response.body)
      if (Result.isSuccess(decoded)) return decoded.success
      const endpoint = path.split("/").at(-1)
      return yield* AdapterError.of("contract", `${endpoint}: ${decoded.failure.slice(0, REASON_LIMIT)}`)
    })

  return {
    read: Effect.fn("Tesla.read")(function* (account, path, decode, parameters = {}) {
      const address = `${baseAddress(settings, account.credentials.region)}${path}`
      const response = yield* send(account, HttpClientRequest.get(address, { urlParams: parameters }))
      return yield* understood(response, path, decode)
    }),
    ask: Effect.fn("Tesla.ask")(function* (account, call, decode) {
      return yield* understood(yield* post(account, call), call.path, decode)
    }),
    command: Effect.fn("Tesla.command")(function* (account, call) {
      const response = yield* post(account, call)
      return yield* Effect.fromResult(commandResult(response, yield* Clock.currentTimeMillis))
    })
  }
}

export const sitePath = (energySiteId: string) => `/api/1/energy_sites/${encodeURIComponent(energySiteId)}`
export const vehiclePath = (vin: string) => `/api/1/vehicles/${encodeURIComponent(vin)}`

/** The access token, to read its claims. */
export const accessToken = ({ credentials }: TeslaAccount) => Redacted.value(credentials.accessToken)
