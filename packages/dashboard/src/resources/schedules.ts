import { withConventions } from "@edp/domain/auth/middleware"
import { FollowedSchedulesApi } from "@edp/domain/schedules/FollowedSchedulesApi"
import type { PreviewSchedule, ScheduledType } from "@edp/domain/schedules/Schedule"
import { SchedulesApi } from "@edp/domain/schedules/SchedulesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("schedules").add(SchedulesApi, FollowedSchedulesApi))

export class SchedulesClient extends AtomHttpApi.Service<SchedulesClient>()("SchedulesClient", {
  api,
  ...pageClient
}) {}

/** The queries that another schedule changes. */
export const schedulesChanged = ["schedules"]

export const deviceSchedulesQuery = (deviceIds: ReadonlyArray<string>) =>
  SchedulesClient.query("schedules", "list", {
    query: { perPage: 50, deviceId: deviceIds },
    reactivityKeys: keys("schedules")
  })

export interface ScheduleSearch {
  readonly type?: ScheduledType | undefined
  readonly enabled?: "true" | "false" | undefined
  readonly page?: number | undefined
}

export const schedulesQuery = ({ type, enabled, page = 1 }: ScheduleSearch) =>
  SchedulesClient.query("schedules", "list", {
    query: given({ page, perPage: 25, deviceType: listed(type), enabled }),
    reactivityKeys: keys("schedules")
  })

export const scheduleQuery = (id: string) =>
  SchedulesClient.query("schedules", "get", { params: { id }, reactivityKeys: keys("schedules") })

/** The next transitions of a schedule. */
export const transitionsQuery = (payload: PreviewSchedule) =>
  SchedulesClient.query("schedules", "preview", { payload, reactivityKeys: keys("schedules") })

/** The enabled schedules that include a device, of which it follows the first. */
export const followedSchedulesQuery = (id: string) =>
  SchedulesClient.query("followedSchedules", "list", {
    params: { id },
    reactivityKeys: keys("schedules", "collections", `device:${id}`)
  })
