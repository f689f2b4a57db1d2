import { Result, Schema } from "effect"
import type { TeslaReason } from "./plans.ts"
import { retryAfter } from "./rateLimits.ts"

/** An HTTP answer of Tesla or of the signing proxy. `status` is null where no answer came. Header names are lower-case. */
export interface HttpAnswer {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; the text if it is not JSON. */
  readonly body: unknown
}

export interface Upstream {
  readonly statusCode: number | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly requestId: string | null
}

/** An obstacle that a person removes. */
export type Obstacle =
  | "key_not_paired"
  | "scope_missing"
  | "terms_not_accepted"
  | "sign_in_again"
  | "local_access_disabled"

export type CommandResult =
  /** Taken by Tesla; the state has yet to confirm it. */
  | { readonly _tag: "Accepted"; readonly upstream: Upstream }
  | { readonly _tag: "AlreadySo"; readonly upstream: Upstream }
  | {
      readonly _tag: "Failed"
      readonly reason: TeslaReason
      /** Whether the same call may succeed later without anybody's doing. */
      readonly transient: boolean
      /** Milliseconds since 1970 before which no call may be made; null if Tesla names none. */
      readonly notBefore: number | null
      readonly obstacle: Obstacle | null
      readonly upstream: Upstream
    }

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Body = Schema.Struct({
  error: maybe(Schema.String),
  error_description: maybe(Schema.String),
  txid: maybe(Schema.String),
  response: maybe(
    Schema.Struct({
      result: maybe(Schema.Boolean),
      reason: maybe(Schema.String),
      code: maybe(Schema.Finite),
      message: maybe(Schema.String)
    })
  )
})
const decodeBody = Schema.decodeUnknownResult(Body)

const readBody = (body: unknown): typeof Body.Type => {
  const decoded = decodeBody(body)
  if (Result.isSuccess(decoded)) return decoded.success
  return typeof body === "string" ? { error: body } : {}
}

const bounded = (text: string | null | undefined, maximum: number) =>
  text === null || text === undefined || text === "" ? null : text.slice(0, maximum)

/** Reasons in the answers of vehicles that refuse a command. */
const vehicleReasons: Readonly<Record<string, TeslaReason>> = {
  is_charging: "already_so",
  already_started: "already_so",
  charging: "already_so",
  not_charging: "already_so",
  already_set: "already_so",
  requested: "already_so",
  complete: "precondition_unmet",
  disconnected: "precondition_not_plugged_in",
  no_power: "precondition_unmet",
  could_not_wake_buses: "asleep"
}

type Failure = Pick<Extract<CommandResult, { readonly _tag: "Failed" }>, "reason" | "transient" | "obstacle">

const failure = (reason: TeslaReason, transient = false, obstacle: Obstacle | null = null): Failure => ({
  reason,
  transient,
  obstacle
})

const unpairedText = /public key has not been paired|vehicle command protocol required|not on whitelist|unknown key/i
const asleepText = /vehicle unavailable|offline or asleep|vehicle is (?:offline|asleep)/i

/**
 * The failure of an answer by its text, then by its status. The signing proxy answers 500 when the vehicle does not know our
 * key; the Fleet API answers 403 when a vehicle wants a signed command and got a plain one.
 */
const failureFromAnswer = (status: number | null, text: string): Failure => {
  if (status === null) return failure("unreachable", true)
  if (unpairedText.test(text)) return failure("pairing_required", false, "key_not_paired")
  if (asleepText.test(text) || status === 408) return failure("asleep", true)
  if (/missing scopes?/i.test(text)) return failure("scope_missing", false, "scope_missing")
  if (status < 500 && /terms (?:of (?:use|service)|and conditions)|must accept/i.test(text))
    return failure("refused", false, "terms_not_accepted")
  if (/mobile_access_disabled/i.test(text)) return failure("refused", false, "local_access_disabled")
  if (/login_required/i.test(text)) return failure("refused", false, "sign_in_again")
  // Any other 401 is an expired access token, which is refreshed and tried again.
  if (status === 401) return failure("refused", true)
  if (status === 402) return failure("quota_exhausted")
  if (status === 429) return failure("quota_exhausted", true)
  if (status === 400 || status === 422) return failure("unsupported_value")
  return status >= 500 ? failure("unreachable", true) : failure("refused")
}

/**
 * The meaning of an answer to a command. 2xx alone is not success: vehicles answer 200 with `result: false`, sites with a
 * `code` of their own.
 *
 * @param now Milliseconds since 1970.
 */
export const commandResult = ({ body, headers, status }: HttpAnswer, now: number): CommandResult => {
  const { error, error_description, response, txid } = readBody(body)
  const refusedByVehicle = response?.result === false ? (response.reason ?? "") : null
  const refusedBySite = typeof response?.code === "number" && response.code >= 400 ? response.code : null
  const message = bounded(refusedByVehicle ?? (refusedBySite === null ? null : response?.message), 10_000)
  const upstream: Upstream = {
    statusCode: status,
    errorCode: bounded(refusedByVehicle ?? (refusedBySite === null ? error : String(refusedBySite)), 255),
    errorMessage: message ?? bounded(error_description, 10_000) ?? bounded(error, 10_000),
    requestId: bounded(txid ?? headers["x-txid"] ?? headers["x-request-id"], 255)
  }
  const failed = (found: Failure): CommandResult => ({
    _tag: "Failed",
    ...found,
    notBefore: found.transient ? retryAfter(headers, body, now) : null,
    upstream
  })
  if (status !== null && status >= 200 && status < 300) {
    if (refusedByVehicle !== null) {
      const reason = vehicleReasons[refusedByVehicle] ?? "refused"
      if (reason === "already_so") return { _tag: "AlreadySo", upstream }
      return failed(
        unpairedText.test(refusedByVehicle)
          ? failureFromAnswer(500, refusedByVehicle)
          : failure(reason, reason === "asleep")
      )
    }
    if (refusedBySite !== null) return failed(failureFromAnswer(refusedBySite, response?.message ?? ""))
    return { _tag: "Accepted", upstream }
  }
  return failed(failureFromAnswer(status, `${error ?? ""} ${error_description ?? ""}`))
}
