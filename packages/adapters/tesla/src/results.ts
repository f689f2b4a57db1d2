import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { Result, Schema } from "effect"
import { AdapterError, type AdapterFailure, type Upstream } from "@edp/adapter-kit/AdapterError"
import { boundedText, type HttpResponse, retryAfterHeader } from "@edp/adapter-kit/http/httpResponse"
import type { CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"

const SECOND = 1000
const LONGEST = 86_400_000

/** Numbers above these are times since 1970 in seconds or milliseconds; smaller ones are seconds from now. */
const EPOCH_SECONDS = 1_000_000_000
const EPOCH_MILLISECONDS = 1_000_000_000_000

const instant = (value: number, now: number): number =>
  value > EPOCH_MILLISECONDS ? value : value > EPOCH_SECONDS ? value * SECOND : now + value * SECOND

const numeric = (text: string | undefined): number | null =>
  text === undefined || !/^\d+(?:\.\d+)?$/.test(text.trim()) ? null : Number(text)

/** The reset of the windows of `RateLimit-<class>-Remaining` that are used up; of all windows if none says so. */
const fromWindows = (headers: Readonly<Record<string, string>>, now: number): number | null => {
  const windows = Object.entries(headers).flatMap(([name, value]) => {
    const prefix = /^(ratelimit(?:-[a-z0-9-]+)?)-reset$/i.exec(name)?.[1]
    const reset = numeric(value)
    if (prefix === undefined || reset === null) return []
    return [{ used: numeric(headers[`${prefix}-remaining`]) === 0, reset: instant(reset, now) }]
  })
  const used = windows.filter((window) => window.used)
  const resets = (used.length > 0 ? used : windows).map(({ reset }) => reset)
  return resets.length === 0 ? null : Math.max(...resets)
}

/** Some responses carry the seconds to wait as `after` in the body. */
const fromBody = (body: unknown, now: number): number | null =>
  typeof body === "object" && body !== null && "after" in body && typeof body.after === "number" && body.after >= 0
    ? now + body.after * SECOND
    : null

/**
 * The time before which no call may be made, milliseconds since 1970: the latest that a response names, at most a day ahead,
 * never in the past. Null if it names none.
 *
 * @param headers With lower-case names.
 */
export const retryAfter = (headers: Readonly<Record<string, string>>, body: unknown, now: number): number | null => {
  const times = [retryAfterHeader(headers["retry-after"], now), fromWindows(headers, now), fromBody(body, now)].filter(
    (time) => time !== null
  )
  return times.length === 0 ? null : Math.min(Math.max(now, ...times), now + LONGEST)
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

/** Reasons in the responses of vehicles that refuse a command. */
const vehicleReasons: Readonly<Record<string, CommandReason>> = {
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

interface Meaning {
  readonly failure: AdapterFailure
  readonly reason: CommandReason
  readonly intervention?: InterventionCode
}

/** Texts that decide whatever the status is, the first that fits. The signing proxy responds with 500 to most of them. */
const texts: ReadonlyArray<readonly [RegExp, Meaning]> = [
  [
    /public key has not been paired|vehicle command protocol required|not on whitelist|unknown key/i,
    { failure: "pairing_required", reason: "pairing_required", intervention: "key_not_paired" }
  ],
  [/vehicle unavailable|offline or asleep|vehicle is (?:offline|asleep)/i, { failure: "asleep", reason: "asleep" }],
  [/missing scopes?/i, { failure: "scope_missing", reason: "scope_missing", intervention: "scope_missing" }],
  [/mobile_access_disabled/i, { failure: "refused", reason: "refused", intervention: "local_access_disabled" }],
  [/login_required/i, { failure: "grant_lost", reason: "refused", intervention: "sign_in_again" }]
]

const terms = /terms (?:of (?:use|service)|and conditions)|must accept/i

/** The published list of response codes (developer.tesla.com, Fleet API, conventions). */
const statuses: Readonly<Record<number, Meaning>> = {
  400: { failure: "refused", reason: "unsupported_value" },
  // An access token that has expired or was revoked. The grant may still stand.
  401: { failure: "token_refused", reason: "refused" },
  // The operator's billing limit is reached, or nothing pays.
  402: { failure: "plan_required", reason: "quota_exhausted", intervention: "plan_required" },
  408: { failure: "asleep", reason: "asleep" },
  // The application is not registered in the region.
  412: { failure: "misconfigured", reason: "precondition_unmet" },
  // The account belongs to another region.
  421: { failure: "misconfigured", reason: "refused" },
  422: { failure: "refused", reason: "unsupported_value" },
  429: { failure: "throttled", reason: "quota_exhausted" },
  499: { failure: "unreachable", reason: "unreachable" }
}

const HOUR = 3_600_000

const findMeaning = (status: number, text: string): Meaning => {
  const byText = texts.find(([pattern]) => pattern.test(text))?.[1]
  if (byText !== undefined) return byText
  if (status < 500 && terms.test(text))
    return { failure: "terms_not_accepted", reason: "refused", intervention: "terms_not_accepted" }
  if (status >= 500) return { failure: "vendor_fault", reason: "unreachable" }
  return statuses[status] ?? { failure: "refused", reason: "refused" }
}

const upstreamFrom = (
  { body, headers, status }: HttpResponse,
  code: string | null | undefined,
  message: string | null | undefined
): Upstream => {
  const { error, error_description, txid } = readBody(body)
  return {
    statusCode: status,
    errorCode: boundedText(code ?? error, 255),
    errorMessage: boundedText(message, 10_000) ?? boundedText(error_description, 10_000) ?? boundedText(error, 10_000),
    requestId: boundedText(txid ?? headers["x-txid"] ?? headers["x-request-id"], 255)
  }
}

const failed = (
  { failure, intervention, reason }: Meaning,
  upstream: Upstream,
  { body, headers }: HttpResponse,
  now: number
): AdapterError => {
  const named = retryAfter(headers, body, now)
  const status = upstream.statusCode === null ? "" : ` with status ${upstream.statusCode}`
  return AdapterError.of(failure, `Tesla answered${status}: ${upstream.errorCode ?? "no reason"}`, {
    upstream,
    // Nothing says when a bill is paid.
    retryAt: failure === "plan_required" ? (named ?? now + HOUR) : named,
    intervention: intervention ?? null,
    commandReason: reason
  })
}

/** The failure of a response that is not 2xx; null for one that is. */
export const failureFromResponse = (reply: HttpResponse, now: number): AdapterError | null => {
  const { body, status } = reply
  if (status >= 200 && status < 300) return null
  const { error, error_description } = readBody(body)
  const meaning = findMeaning(status, `${error ?? ""} ${error_description ?? ""}`)
  return failed(meaning, upstreamFrom(reply, null, null), reply, now)
}

/**
 * The meaning of a response to a command. 2xx alone is not success: vehicles respond with 200 and `result: false`, sites with a
 * `code` of their own. Upstream has Tesla's words.
 *
 * @param now Milliseconds since 1970.
 */
export const commandResult = (reply: HttpResponse, now: number): Result.Result<CommandResult, AdapterError> => {
  const failure = failureFromResponse(reply, now)
  if (failure !== null) return Result.fail(failure)
  const { response } = readBody(reply.body)
  if (response?.result === false) {
    const why = response.reason ?? ""
    const upstream = upstreamFrom(reply, why, why)
    const reason = vehicleReasons[why] ?? "refused"
    if (reason === "already_so") return Result.succeed({ status: "completed", reason, output: null, upstream })
    const byText = texts.find(([pattern]) => pattern.test(why))?.[1]
    return Result.fail(
      failed(byText ?? { failure: reason === "asleep" ? "asleep" : "refused", reason }, upstream, reply, now)
    )
  }
  if (typeof response?.code === "number" && response.code >= 400) {
    const upstream = upstreamFrom(reply, String(response.code), response.message)
    return Result.fail(failed(findMeaning(response.code, response.message ?? ""), upstream, reply, now))
  }
  return Result.succeed({
    status: "accepted",
    reason: null,
    output: null,
    upstream: upstreamFrom(reply, null, null)
  })
}
