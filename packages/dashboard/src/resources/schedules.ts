import { withConventions } from "@edp/domain/auth/middleware"
import { SchedulesApi } from "@edp/domain/schedules/SchedulesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("schedules").add(SchedulesApi))

class SchedulesClient extends AtomHttpApi.Service<SchedulesClient>()("SchedulesClient", { api, ...pageClient }) {}

export const deviceSchedulesQuery = (deviceIds: ReadonlyArray<string>) =>
  SchedulesClient.query("schedules", "list", {
    query: { perPage: 50, deviceId: deviceIds },
    reactivityKeys: keys("schedules")
  })
