import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { PAGED_READINGS, type ReadingPage, type StoredReading } from "@edp/domain/telemetry/ReadingPagesApi"
import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { makeReads } from "../../platform/replicas/readReplica.ts"
import { ArchiveBorder } from "../archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../archive/ArchivedReadings.ts"
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
      const archived = yield* ArchivedReadings
      const border = yield* ArchiveBorder
      const { onReplica } = yield* makeReads
      return {
        read: Effect.fn("ReadingPages.read")(function* ({ workspaceId }, { after, deviceIds, from, to }) {
          const begin = after?.deviceId ?? ""
          const wanted = deviceIds.filter((id) => id >= begin).toSorted()
          const readings: Array<StoredReading> = []
          const ends = Date.parse(to)
          const archivedUntil = yield* border.current
          for (const { id: deviceId, keptFrom } of yield* history.devicesIn(workspaceId, wanted)) {
            const begins = Math.max(Date.parse(from), keptFrom)
            const past = deviceId === begin && after !== undefined ? new Date(after.timestamp) : undefined
            const old = {
              from: Math.max(begins, past === undefined ? begins : past.getTime() + 1),
              to: Math.min(ends, archivedUntil)
            }
            if (old.from < old.to) {
              const found = yield* archived.page(deviceId, old, "asc", PAGED_READINGS - readings.length, 0)
              for (const { at, id, state } of found) {
                readings.push({ deviceId, id, timestamp: new Date(at).toISOString(), state: JSON.parse(state) })
              }
              if (readings.length === PAGED_READINGS) return { readings, more: true }
            }
            const span = { from: new Date(Math.max(begins, archivedUntil)), to: new Date(to) }
            const rows = yield* history.readingsAfter(deviceId, span, past, PAGED_READINGS - readings.length)
            for (const { at, id, state } of rows) {
              readings.push({ deviceId, id, timestamp: at.toISOString(), state })
            }
            if (readings.length === PAGED_READINGS) return { readings, more: true }
          }
          return { readings, more: false }
        }, onReplica)
      }
    })
  )
}
