import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { PAGED_READINGS, type ReadingPage, type StoredReading } from "@edp/domain/telemetry/ReadingPagesApi"
import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { HistoryRepository } from "./HistoryRepository.ts"

/** Readings of many devices in large pages, as they are stored. */
export class ReadingPages extends Context.Service<
  ReadingPages,
  {
    readonly read: (
      caller: CurrentKey["Service"],
      page: ReadingPage
    ) => Effect.Effect<{ readonly readings: ReadonlyArray<StoredReading>; readonly more: boolean }, DatabaseUnavailable>
  }
>()("@edp/server/ReadingPages") {
  static readonly layer = Layer.effect(
    ReadingPages,
    Effect.gen(function* () {
      const history = yield* HistoryRepository
      return {
        read: Effect.fn("ReadingPages.read")(function* ({ workspaceId }, { after, deviceIds, from, to }) {
          const begin = after?.deviceId ?? ""
          const wanted = deviceIds.filter((id) => id >= begin).toSorted()
          const readings: Array<StoredReading> = []
          for (const deviceId of yield* history.devicesIn(workspaceId, wanted)) {
            const span = { from: new Date(from), to: new Date(to) }
            const past = deviceId === begin && after !== undefined ? new Date(after.timestamp) : undefined
            const rows = yield* history.readingsAfter(deviceId, span, past, PAGED_READINGS - readings.length)
            for (const { at, id, state } of rows) {
              readings.push({ deviceId, id, timestamp: at.toISOString(), state })
            }
            if (readings.length === PAGED_READINGS) return { readings, more: true }
          }
          return { readings, more: false }
        })
      }
    })
  )
}
