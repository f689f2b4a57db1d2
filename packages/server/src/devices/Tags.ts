import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceNotFound, type Forbidden, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { TagFilters } from "@edp/domain/tags/Tag"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { readable } from "./Devices.ts"
import { DevicesRepository, TagsRepository } from "./DevicesRepository.ts"
import { toDevice } from "./deviceRow.ts"

/** The labels of a workspace's devices and sites. */
export const Tags = Effect.gen(function* () {
  const repository = yield* TagsRepository
  return {
    list: Effect.fn("Tags.list")(
      ({ workspaceId }: CurrentKey["Service"], { q, ...paging }: Schema.Struct.Type<typeof TagFilters>) =>
        paginate(
          paging,
          10,
          (limit, offset) => repository.list(workspaceId, q, limit, offset),
          repository.count(workspaceId, q)
        )
    )
  }
})

type Caller = CurrentKey["Service"]
type TagSet = ReadonlyArray<string>

const MAX_TAGS = 100

const distinct = (tags: TagSet) => [...new Set(tags)]

/** The labels of a device, in the order they were set. */
export class DeviceTags extends Context.Service<
  DeviceTags,
  {
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<TagSet, DeviceNotFound | Forbidden | DatabaseUnavailable>
    readonly set: (
      caller: Caller,
      id: string,
      tags: TagSet
    ) => Effect.Effect<TagSet, DeviceNotFound | DatabaseUnavailable>
    readonly add: (
      caller: Caller,
      id: string,
      tags: TagSet
    ) => Effect.Effect<TagSet, DeviceNotFound | ValidationError | DatabaseUnavailable>
    readonly remove: (
      caller: Caller,
      id: string,
      tag: string
    ) => Effect.Effect<void, DeviceNotFound | NotFound | DatabaseUnavailable>
  }
>()("@edp/server/DeviceTags") {
  static readonly layer = Layer.effect(
    DeviceTags,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const events = yield* DeviceEvents
      const sql = yield* SqlClient.SqlClient

      /** Locks the device while its tags are changed, so that no concurrent addition is lost. */
      const change = <E>({ workspaceId }: Caller, id: string, decide: (tags: TagSet) => Effect.Effect<TagSet, E>) =>
        Effect.gen(function* () {
          const [device] = yield* repository.lock(workspaceId, id)
          if (device === undefined) return yield* new DeviceNotFound({})
          const tags = yield* decide(device.tags)
          if (tags.join() === device.tags.join()) return device.tags
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* repository.setTags(id, tags, now)
          const after = yield* repository.byId(id, now)
          yield* events.publish(workspaceId, [{ type: "DEVICE_UPDATED", device: toDevice(after!), changed: ["tags"] }])
          return tags
        }).pipe(transactionsOn(sql))

      return {
        get: Effect.fn("DeviceTags.get")(function* (caller, id) {
          const [device] = yield* repository.tags(id)
          return (yield* readable(caller, id, device)).tags
        }),
        set: Effect.fn("DeviceTags.set")((caller, id, tags) =>
          change(caller, id, () => Effect.succeed(distinct(tags)))
        ),
        add: Effect.fn("DeviceTags.add")((caller, id, more) =>
          change(caller, id, (tags) => {
            const all = distinct([...tags, ...more])
            return all.length > MAX_TAGS
              ? Effect.fail(invalid({ tags: `Must be at most ${MAX_TAGS} including those of the device` }))
              : Effect.succeed(all)
          })
        ),
        remove: Effect.fn("DeviceTags.remove")((caller, id, tag) =>
          change(caller, id, (tags) =>
            tags.includes(tag) ? Effect.succeed(tags.filter((one) => one !== tag)) : Effect.fail(new NotFound({}))
          ).pipe(Effect.asVoid)
        )
      }
    })
  )
}
