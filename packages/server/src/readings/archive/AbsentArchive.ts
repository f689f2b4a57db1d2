import { Effect, Layer } from "effect"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { ArchiveBorder } from "./ArchiveBorder.ts"
import { ArchiveUnavailable, RETRY_AFTER } from "./ArchiveUnavailable.ts"
import { ReadingsArchive } from "./ReadingsArchive.ts"

/** No archive is set. If readings were archived earlier, it is one that does not respond. */
export const AbsentArchive = Layer.effect(
  ReadingsArchive,
  Effect.gen(function* () {
    const border = yield* ArchiveBorder
    const unavailable = Effect.gen(function* () {
      const info = yield* CurrentRequest
      info.retryAfter = RETRY_AFTER
      return yield* new ArchiveUnavailable(border.known())
    })
    const fail = () => unavailable
    return {
      isConfigured: false,
      prepare: unavailable,
      page: fail,
      times: fail,
      count: fail,
      countHours: fail,
      find: fail,
      spans: fail,
      nearest: fail,
      firstTimes: fail,
      lastStates: fail,
      store: fail,
      digests: fail,
      remove: fail,
      dropBefore: fail
    }
  })
)
