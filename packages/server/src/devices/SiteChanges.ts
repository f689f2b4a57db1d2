import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { movedDevices } from "./movedDevices.ts"
import { SiteChangesRepository } from "./SiteChangesRepository.ts"
import { BATCH } from "./SiteDevices.ts"

/** Changes of large sites that not all devices have been told yet. */
export class SiteChanges extends Context.Service<
  SiteChanges,
  {
    /**
     * Tells the next devices, and answers whether there were any. What was told and what is left are committed together, so a
     * crash neither leaves a device out nor tells it twice. Not for use in a transaction.
     */
    readonly tellSome: Effect.Effect<boolean>
  }
>()("@edp/server/SiteChanges") {
  static readonly layer = Layer.effect(
    SiteChanges,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const changes = yield* SiteChangesRepository
      const events = yield* DeviceEvents
      const sql = yield* SqlClient.SqlClient

      const tellSome = Effect.gen(function* () {
        const open = yield* changes.take
        if (open === undefined) return false
        const { change, id, siteId, toldFrom, workspaceId } = open
        const now = new Date(yield* Clock.currentTimeMillis)
        const found = yield* repository.holdAtSite(siteId, BATCH, toldFrom)
        yield* events.publish(workspaceId, movedDevices(yield* repository.byIds(found, now), change))
        yield* found.length < BATCH ? changes.remove(id) : changes.moveOn(id, found.at(-1)!)
        return true
        // Asked for all the time, and nothing but statements.
      }).pipe(transactionsOn(sql), Effect.withTracerEnabled(false))

      return { tellSome }
    })
  )
}
