import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { Effect, Result } from "effect"
import { Connection } from "../../Connection.ts"
import { describeFailure } from "../../describeFailure.ts"
import type { Profile, StoredKey } from "../../Profile.ts"
import { verifyKey } from "../keys/verify.ts"
import { type Check, failed, ok } from "./Check.ts"

const checkKey = Effect.fnUntraced(function* (type: ApiKeyType, { key, source }: StoredKey) {
  const client = yield* (yield* Connection).clientWith(key, { retries: 0 })
  const outcome = yield* Effect.result(verifyKey(client, type))
  const name = `${type} key`
  if (Result.isSuccess(outcome)) return ok(name, `works (${source})`)
  const { code, message } = describeFailure(outcome.failure)
  const advice =
    code === "UNAUTHENTICATED"
      ? `It is revoked, expired or of another service. Make a new one (edp keys create) and put it into ${source}.`
      : "Try again when the service answers."
  return failed(name, `${code}: ${message} (${source})`, advice)
})

/** A call with each key: it works, and it is of the type it stands for. */
export const checkKeys = Effect.fn("doctor.keys")(function* ({ keys, store }: Profile) {
  if (keys.size === 0) {
    const advice = `Set EDP_KEY_MANAGEMENT, or put credentials into ${store}; --provision makes the other keys from it.`
    return [failed("keys", "There are none", advice)] satisfies ReadonlyArray<Check>
  }
  return yield* Effect.forEach(keys, ([type, stored]) => checkKey(type, stored))
})
