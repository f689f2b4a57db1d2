import { AlertConfigurationApi, AlertsApi } from "@edp/domain/alerts/AlertsApi"
import { withConventions } from "@edp/domain/auth/middleware"
import { DevicesApi } from "@edp/domain/devices/DevicesApi"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import type { Alert } from "@edp/domain/alerts/Alert"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("alerts").add(AlertsApi, AlertConfigurationApi))
export class AlertsClient extends AtomHttpApi.Service<AlertsClient>()("AlertsClient", { api, ...pageClient }) {}

const devicesApi = withConventions(HttpApi.make("devices").add(DevicesApi, SitesApi))
class DevicesClient extends AtomHttpApi.Service<DevicesClient>()("AlertDevicesClient", {
  api: devicesApi,
  ...pageClient
}) {}

export const PER_PAGE = 50

/** The filters of the list, as the address has them; absent ones let everything pass. */
export interface AlertSelection {
  readonly statuses: ReadonlyArray<Alert["status"]> | undefined
  readonly severity: Alert["severity"] | undefined
  readonly type: Alert["type"] | undefined
  readonly deviceId: string | undefined
  readonly siteId: string | undefined
  readonly page: number
}

export const alertsQuery = ({ deviceId, page, severity, siteId, statuses, type }: AlertSelection) =>
  AlertsClient.query("alerts", "list", {
    query: {
      page,
      perPage: PER_PAGE,
      ...(statuses && { status: statuses }),
      ...(severity && { severity: [severity] }),
      ...(type && { type: [type] }),
      ...(deviceId && { deviceId: [deviceId] }),
      ...(siteId && { siteId: [siteId] })
    },
    reactivityKeys: keys("alerts")
  })

export const alertQuery = (id: string) =>
  AlertsClient.query("alerts", "get", { params: { id }, reactivityKeys: keys("alerts", `alert:${id}`) })

export const configurationQuery = AlertsClient.query("alertConfiguration", "get", {
  query: {},
  reactivityKeys: keys("alert-configuration")
})

export const groupsQuery = AlertsClient.query("alertConfiguration", "groups", {
  query: {},
  reactivityKeys: keys("alerts")
})

/** The first devices whose names begin with a text. */
export const deviceSearch = (q: string) =>
  DevicesClient.query("devices", "list", { query: { q, perPage: 5 }, reactivityKeys: keys("devices") })

export const deviceQuery = (id: string) =>
  DevicesClient.query("devices", "get", { params: { id }, reactivityKeys: keys(`device:${id}`) })

export const siteQuery = (id: string) =>
  DevicesClient.query("sites", "get", { params: { id }, query: {}, reactivityKeys: keys(`site:${id}`) })
