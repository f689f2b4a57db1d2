import type { Coordinates } from "@edp/domain/shared/Address"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import type { SiteChange } from "../sites/siteRow.ts"
import { type DeviceChange, DeviceEvents } from "./DeviceEvents.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { DevicesRepository, SITE_CHANGES, SiteChangesRepository } from "./DevicesRepository.ts"
import { type DeviceRow, isHome, toDevice } from "./deviceRow.ts"

/** Devices that one step removes from a site or publishes a change for. */
export const BATCH = 500

const toCoordinates = ({ latitude, longitude }: DeviceRow): Coordinates | null =>
  latitude === null || longitude === null ? null : { latitude, longitude }

/** The changes of devices that follow from a change of their site. Whether a vehicle is at home depends on the site's location. */
export const movedDevices = (
  rows: ReadonlyArray<DeviceRow>,
  { changed, location }: SiteChange
): ReadonlyArray<DeviceChange> =>
  rows.flatMap((row) => {
    const device = toDevice(row)
    const isSameHome = device.type !== "vehicle" || isHome(toCoordinates(row), location) === device.isHome
    const names = isSameHome ? changed : [...changed, "isHome"]
    return names.length === 0 ? [] : [{ type: "DEVICE_UPDATED", device, changed: names }]
  })

/** Changes of large sites that are still to be published for some of their devices. */
export class SiteChanges extends Context.Service<
  SiteChanges,
  {
    /**
     * Publishes the oldest change for its next devices; false if there is none, or if it could not be published. The events and the position are committed
     * together, so a crash neither skips a device nor publishes it twice. Not for use in a transaction.
     */
    readonly publishSome: Effect.Effect<boolean, DatabaseUnavailable>
    /** 0 while there are changes to publish, else Infinity. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/SiteChanges") {
  static readonly layer = Layer.effect(
    SiteChanges,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const changes = yield* SiteChangesRepository
      const events = yield* DeviceEvents
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(SITE_CHANGES)

      const publish = Effect.fnUntraced(function* (atSite: string) {
        const open = yield* changes.take(atSite)
        if (open === undefined) return 0
        const { change, id, siteId, publishedFrom, workspaceId } = open
        const now = new Date(yield* Clock.currentTimeMillis)
        const found = yield* repository.holdAtSite(siteId, BATCH, publishedFrom)
        yield* events.publish(workspaceId, movedDevices(yield* repository.byIds(found, now), change))
        yield* found.length < BATCH ? changes.remove(id) : changes.moveOn(id, found.at(-1)!)
        return 1
      }, transactionsOn(sql))

      const publishSome = Effect.gen(function* () {
        const siteId = yield* changes.nextSite
        if (siteId === undefined) return false
        return (yield* isolation.runIds([siteId], () => publish(siteId))) > 0
        // Runs all the time and consists of SQL statements only, so it has no span.
      }).pipe(Effect.withTracerEnabled(false))

      return { publishSome, nextDue: changes.whileAny }
    })
  )
}
