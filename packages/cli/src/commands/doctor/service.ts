import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { Clock, DateTime, Effect, Result, Schema } from "effect"
import { Headers, HttpClient, HttpClientResponse } from "effect/http"
import { describeFailure } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"
import type { Profile, StoredKey } from "../../kernel/Profile.ts"
import { verifyKey } from "../keys/rotate.ts"
import { type Check, failed, ok, warning } from "./machine.ts"

const PATIENCE = "5 seconds"
const MINUTE = 60_000
/** The service refuses readings further ahead. */
const WORST_SKEW = 5 * MINUTE
const NOTABLE_SKEW = MINUTE / 2

const Readiness = Schema.Struct({ checks: Schema.Record(Schema.String, Schema.String) })
const Document = Schema.Struct({ info: Schema.Struct({ version: Schema.String }) })

const get = (url: string) =>
  Effect.flatMap(HttpClient.HttpClient, (http) => http.get(url)).pipe(Effect.timeout(PATIENCE))

const checkReadiness = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.result(HttpClientResponse.schemaBodyJson(Readiness)(response))
  if (Result.isFailure(body)) {
    return failed("readiness", `status ${response.status}`, "Check the address: is it an Energy Device Platform?")
  }
  const troubles = Object.entries(body.success.checks).filter(([, state]) => state !== "ok")
  const message = troubles.map(([part, state]) => `${part} ${state}`).join(", ")
  if (response.status !== 200) return failed("readiness", message, "See the service's log; it recovers automatically.")
  return troubles.length === 0
    ? ok("readiness", "ready")
    : warning("readiness", message, "It works with limitations: see the service's log.")
})

const checkClock = Effect.fnUntraced(function* (date: string | undefined) {
  const theirs = Headers.parseHttpDate(date ?? "")
  if (Result.isFailure(theirs)) return []
  const skew = (yield* Clock.currentTimeMillis) - DateTime.toEpochMillis(theirs.success)
  const message = `${Math.abs(Math.round(skew / 1000))} s ${skew < 0 ? "behind" : "ahead of"} the service`
  const advice = "Synchronise both clocks by NTP."
  if (Math.abs(skew) > WORST_SKEW) {
    return [failed("clock", message, `${advice} Readings more than 5 minutes ahead are refused.`)]
  }
  return [Math.abs(skew) > NOTABLE_SKEW ? warning("clock", message, advice) : ok("clock", "agrees with the service")]
})

const checkVersion = Effect.fnUntraced(function* (baseUrl: string, own: string) {
  const document = yield* get(`${baseUrl}/v1/docs/swagger.json`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Document)),
    Effect.result
  )
  if (Result.isFailure(document)) {
    return warning("version", "The service has no OpenAPI document", "Is it of another version than this tool?")
  }
  const { version } = document.success.info
  return version.split(".")[0] === own.split(".")[0]
    ? ok("version", version)
    : failed("version", `The service is ${version}, this tool ${own}`, "Use the tool of the service's version.")
})

/** Checks that the service responds and is ready, its version and its clock. */
export const checkService = Effect.fn("doctor.service")(function* (baseUrl: string, own: string) {
  const reply = yield* Effect.result(get(`${baseUrl}/health/ready`))
  if (Result.isFailure(reply)) {
    const advice = "Start it (npx -y pnpm@12 start), or name its address with --url or EDP_URL."
    return [failed("service", `${baseUrl} does not respond`, advice)] satisfies ReadonlyArray<Check>
  }
  return [
    ok("service", `${baseUrl} responds`),
    yield* checkReadiness(reply.success),
    yield* checkVersion(baseUrl, own),
    ...(yield* checkClock(reply.success.headers["date"]))
  ] satisfies ReadonlyArray<Check>
})

const checkKey = Effect.fnUntraced(function* (type: ApiKeyType, { key, source }: StoredKey) {
  const client = yield* (yield* Connection).clientWith(key, { retries: 0 })
  const outcome = yield* Effect.result(verifyKey(client, type))
  const name = `${type} key`
  if (Result.isSuccess(outcome)) return ok(name, `works (${source})`)
  const { code, message } = describeFailure(outcome.failure)
  const advice =
    code === "UNAUTHENTICATED"
      ? `It is revoked, expired, or belongs to another service. Make a new one (edp keys create) and put it into ${source}.`
      : "Try again when the service responds."
  return failed(name, `${code}: ${message} (${source})`, advice)
})

/** Calls the service with each key. */
export const checkKeys = Effect.fn("doctor.keys")(function* ({ keys, store }: Profile) {
  if (keys.size === 0) {
    const advice = `Set EDP_KEY_MANAGEMENT, or put credentials into ${store}; --provision makes the other keys from it.`
    return [failed("keys", "No keys", advice)] satisfies ReadonlyArray<Check>
  }
  return yield* Effect.forEach(keys, ([type, stored]) => checkKey(type, stored))
})

const NAME = "readings"

/** Reports the retention and the oldest reading, if there is a management key. */
export const checkReadings = Effect.fn("doctor.readings")(function* ({ keys }: Profile) {
  const stored = keys.get("MANAGEMENT")
  if (stored === undefined) return []
  const client = yield* (yield* Connection).clientWith(stored.key, { retries: 0 })
  const reply = yield* Effect.result(client.keptReadings.get())
  if (Result.isFailure(reply)) {
    const { code, message } = describeFailure(reply.failure)
    // Reported by the check of the key.
    if (code === "UNAUTHENTICATED") return []
    return [warning(NAME, `${code}: ${message}`, "Is the service of another version than this tool?")]
  }
  const { droppedBefore, oldestAt, retentionDays } = reply.success
  const kept = retentionDays === null ? "kept indefinitely" : `kept for ${retentionDays} days (EDP_TELEMETRY_RETENTION)`
  const oldest = oldestAt === null ? "there are none" : `the oldest is from ${oldestAt}`
  const dropped = droppedBefore === null ? [] : [`dropped before ${droppedBefore.slice(0, 10)}`]
  return [ok(NAME, [kept, ...dropped, oldest].join(", "))]
})
