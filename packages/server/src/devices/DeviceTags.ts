import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceNotFound, type Forbidden, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { readable } from "./deviceAccess.ts"
import { DeviceEvents } from "./DeviceEvents.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import { toDevice } from "./toDevice.ts"

type Caller = CurrentKey["Service"]
type Tags = ReadonlyArray<string>

const MAX_TAGS = 100

const distinct = (tags: Tags) => [...new Set(tags)]

/** The labels of a device, in the order they were set. */
export class DeviceTags extends Context.Service<
  DeviceTags,
  {
    readonly get: (caller: Caller, id: string) => Effect.Effect<Tags, DeviceNotFound | Forbidden>
    readonly set: (caller: Caller, id: string, tags: Tags) => Effect.Effect<Tags, DeviceNotFound>
    readonly add: (caller: Caller, id: string, tags: Tags) => Effect.Effect<Tags, DeviceNotFound | ValidationError>
    readonly remove: (caller: Caller, id: string, tag: string) => Effect.Effect<void, DeviceNotFound | NotFound>
  }
>()("@edp/server/DeviceTags") {
  static readonly layer = Layer.effect(
    DeviceTags,
    Effect.gen(function* () {
      const repository = yield* DevicesRepository
      const events = yield* DeviceEvents
      const sql = yield* SqlClient.SqlClient

      /** The device is held while its tags are decided, so that two additions at once both stay. */
      const change = <E>({ workspaceId }: Caller, id: string, decide: (tags: Tags) => Effect.Effect<Tags, E>) =>
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
          return (yield* readable(caller, device)).tags
        }),
        set: Effect.fn("DeviceTags.set")((caller, id, tags) =>
          change(caller, id, () => Effect.succeed(distinct(tags)))
        ),
        add: Effect.fn("DeviceTags.add")((caller, id, more) =>
          change(caller, id, (tags) => {
            const all = distinct([...tags, ...more])
            return all.length > MAX_TAGS
              ? Effect.fail(invalid({ tags: `Must be at most ${MAX_TAGS} with those that the device has` }))
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
