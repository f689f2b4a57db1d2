import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceNotFound } from "@edp/domain/errors/ApiErrors"
import { COMPARED_SCHEDULES } from "@edp/domain/schedules/FollowedSchedulesApi"
import { Clock, Effect } from "effect"
import { FollowedSchedulesRepository } from "./FollowedSchedulesRepository.ts"
import { toSchedule } from "./scheduleRow.ts"

/** The schedules that include a device, in the order by which the runner chooses. */
export const FollowedSchedules = Effect.gen(function* () {
  const repository = yield* FollowedSchedulesRepository
  return {
    list: Effect.fn("FollowedSchedules.list")(function* ({ workspaceId }: CurrentKey["Service"], id: string) {
      const [device] = yield* repository.device(id)
      if (device?.workspaceId !== workspaceId) return yield* new DeviceNotFound({})
      const { own, shared, tagged } = yield* repository.candidates(workspaceId, device.type, id, COMPARED_SCHEDULES)
      const collectionIds = shared.map(({ collectionId }) => collectionId!)
      const containing = yield* repository.containing(
        workspaceId,
        collectionIds,
        id,
        new Date(yield* Clock.currentTimeMillis)
      )
      const ofCollections = shared.filter(({ collectionId }) => containing.has(collectionId!))
      return { data: [...own, ...ofCollections, ...tagged].map(toSchedule) }
    })
  }
})
