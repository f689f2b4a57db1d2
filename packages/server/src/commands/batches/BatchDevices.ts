import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { BATCH_DEVICES, type CreateBatchCommand } from "@edp/domain/commands/BatchCommand"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { Collections } from "../../collections/Collections.ts"
import type { DeviceQuery } from "../../devices/deviceSelection.ts"
import { DeviceLists } from "../../devices/DeviceLists.ts"
import { Sites } from "../../sites/Sites.ts"

type Caller = CurrentKey["Service"]

const selectors = ["deviceIds", "tag", "collectionId", "siteId"] as const
export type BatchSelectors = Pick<CreateBatchCommand, (typeof selectors)[number]>

const oneOnly = "Exactly one of deviceIds, tag, collectionId and siteId must be given"

/** Refuses a request unless exactly one field selects the devices. Names the given fields, or all of them. */
export const requireOneSelector = (request: BatchSelectors): Effect.Effect<void, ValidationError> => {
  const given = selectors.filter((field) => request[field] !== undefined)
  if (given.length === 1) return Effect.void
  const named = given.length === 0 ? selectors : given
  return Effect.fail(invalid(Object.fromEntries(named.map((field) => [field, oneOnly]))))
}

/** Selects the devices of batches. */
export const BatchDevices = Effect.gen(function* () {
  const lists = yield* DeviceLists
  const collections = yield* Collections
  const sites = yield* Sites

  const matching = Effect.fnUntraced(function* (caller: Caller, field: string, query: DeviceQuery) {
    const ids = yield* lists.ids(caller, query, BATCH_DEVICES + 1)
    if (ids.length <= BATCH_DEVICES) return ids
    const most = BATCH_DEVICES.toLocaleString("en")
    return yield* invalid({ [field]: `Selects more than ${most} devices: select fewer of them` })
  })

  return {
    /** Ids without repetition; those that the caller names need not exist. */
    select: Effect.fn("BatchDevices.select")(function* (caller: Caller, selected: BatchSelectors) {
      const { collectionId, deviceIds, siteId, tag } = selected
      if (deviceIds !== undefined) return [...new Set(deviceIds)]
      if (tag !== undefined) return yield* matching(caller, "tag", { tag: [tag] })
      if (siteId !== undefined) {
        yield* sites.get(caller, siteId)
        return yield* matching(caller, "siteId", { siteId: [siteId] })
      }
      const { collectionType } = yield* Effect.catchTag(
        collections.get(caller, collectionId!, {}),
        "WORKSPACE_NOT_FOUND",
        Effect.die
      )
      if (collectionType !== "DEVICE") return yield* invalid({ collectionId: "Must be a collection of devices" })
      return yield* matching(caller, "collectionId", { collectionId: [collectionId!] })
    })
  }
})
