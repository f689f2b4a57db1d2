import { AlertsApi } from "@edp/domain/alerts/AlertsApi"
import { withConventions } from "@edp/domain/auth/middleware"
import { DevicesApi } from "@edp/domain/devices/DevicesApi"
import { SchedulesApi } from "@edp/domain/schedules/SchedulesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../../api/makeApi.ts"

const api = withConventions(HttpApi.make("site").add(DevicesApi, AlertsApi, SchedulesApi))

export class SiteClient extends AtomHttpApi.Service<SiteClient>()("SiteClient", { api, ...pageClient }) {}

export const devicesAtSiteQuery = (siteId: string, page: number, perPage = 25) =>
  SiteClient.query("devices", "ofSite", {
    params: { id: siteId },
    query: { page, perPage },
    reactivityKeys: keys("devices", `site:${siteId}`)
  })

export const devicesQuery = (text: string) =>
  SiteClient.query("devices", "list", {
    query: { perPage: 20, ...(text !== "" && { q: text }) },
    reactivityKeys: keys("devices")
  })

export const openAlertsQuery = (siteId: string) =>
  SiteClient.query("alerts", "list", {
    query: { perPage: 20, siteId: [siteId], status: ["OPEN", "ACKNOWLEDGED"] },
    reactivityKeys: keys("alerts")
  })

export const schedulesQuery = (deviceIds: ReadonlyArray<string>) =>
  SiteClient.query("schedules", "list", {
    query: { perPage: 50, deviceId: deviceIds },
    reactivityKeys: keys("schedules")
  })
