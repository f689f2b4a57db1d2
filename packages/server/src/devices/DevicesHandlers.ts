import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Device } from "@edp/domain/devices/Device"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { DeviceHistory, Devices, type HistoryResponse } from "./Devices.ts"
import { DeviceLists, type ListResponse } from "./DeviceLists.ts"
import { DeviceTags, Tags } from "./Tags.ts"

const cursorHeader = (next: string | undefined) => (next === undefined ? {} : { "x-next-cursor": next })

/**
 * Devices are not encoded by their schema: checking fifty devices against a union of nine variants costs a fifth of
 * the whole request, and `toDevice` makes each of them from data that was checked when it arrived.
 */
const uncheckedDevice = (device: Device) => HttpServerResponse.jsonUnsafe(device)

const unchecked = ({ body, next }: ListResponse<Device>) =>
  HttpServerResponse.jsonUnsafe(body, { headers: cursorHeader(next) })

const ready = ({ body, next }: HistoryResponse) =>
  HttpServerResponse.uint8Array(body, { contentType: "application/json", headers: cursorHeader(next) })

export const DevicesHandlers = groupHandlers(
  Api,
  "devices",
  Effect.fn(function* (handlers) {
    const devices = yield* Devices
    const lists = yield* DeviceLists
    const history = yield* DeviceHistory
    const tags = yield* DeviceTags
    const answered = Effect.map((tags: ReadonlyArray<string>) => ({ tags }))
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.flatMap(CurrentKey, (caller) => lists.list(caller, query)).pipe(Effect.map(unchecked)),
      get: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => devices.get(caller, params.id)).pipe(Effect.map(uncheckedDevice)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => devices.update(caller, params.id, payload)),
      remove: ({ params }) => Effect.flatMap(CurrentKey, (caller) => devices.remove(caller, params.id)),
      history: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => history.read(caller, params.id, query)).pipe(Effect.map(ready)),
      tags: ({ params }) => Effect.flatMap(CurrentKey, (caller) => tags.get(caller, params.id)).pipe(answered),
      setTags: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => tags.set(caller, params.id, payload.tags)).pipe(answered),
      addTags: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => tags.add(caller, params.id, payload.tags)).pipe(answered),
      removeTag: ({ params }) => Effect.flatMap(CurrentKey, (caller) => tags.remove(caller, params.id, params.tag)),
      ofSite: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => lists.ofSite(caller, params.id, query)),
      linkSite: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => devices.linkSite(caller, params.id, params.deviceId)),
      unlinkSite: ({ params }) =>
        Effect.flatMap(CurrentKey, (caller) => devices.unlinkSite(caller, params.id, params.deviceId))
    })
  })
)

export const TagsHandlers = groupHandlers(
  Api,
  "tags",
  Effect.fn(function* (handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentKey, (caller) => tags.list(caller, query))
    })
  })
)
