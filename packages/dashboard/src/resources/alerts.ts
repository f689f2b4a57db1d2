import type { Alert } from "@edp/domain/alerts/Alert"
import { AlertStatus } from "@edp/domain/alerts/AlertStatus"
import { AlertConfigurationApi, AlertsApi } from "@edp/domain/alerts/AlertsApi"
import { withConventions } from "@edp/domain/auth/middleware"
import { ListedAlertsApi, type alertSorts } from "@edp/domain/dashboard/ListedAlertsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("alerts").add(AlertsApi, AlertConfigurationApi, ListedAlertsApi))

export class AlertsClient extends AtomHttpApi.Service<AlertsClient>()("AlertsClient", { api, ...pageClient }) {}

/** The queries that another status of alerts changes. */
export const alertsChanged = ["alerts"]

/** The queries that other rules of which alerts are shown change. */
export const alertConfigurationChanged = ["alerts", "alert-configuration"]

/** Alerts that are not over, which the fleet and the sites count. */
export const UNRESOLVED = "OPEN,ACKNOWLEDGED"

/** The choices of the filter by status, as the address has them. */
export const alertStatusChoices = ["all", UNRESOLVED, ...AlertStatus.literals] as const
export type AlertStatusChoice = (typeof alertStatusChoices)[number]

/** The statuses of a choice; undefined lists every status. */
export const statusesFor = (choice: AlertStatusChoice): ReadonlyArray<AlertStatus> | undefined => {
  if (choice === "all") return undefined
  return choice === UNRESOLVED ? ["OPEN", "ACKNOWLEDGED"] : [choice]
}

export interface AlertSearch {
  readonly status?: AlertStatusChoice | undefined
  readonly severity?: Alert["severity"] | undefined
  readonly type?: Alert["type"] | undefined
  readonly device?: string | undefined
  readonly site?: string | undefined
  readonly sort?: (typeof alertSorts)[number] | undefined
  readonly page?: number | undefined
}

/** Without a status, open alerts are listed: they wait for somebody. Without an order, the critical ones come first. */
export const alertsQuery = ({ device, page = 1, severity, site, sort, status = "OPEN", type }: AlertSearch) =>
  AlertsClient.query("listedAlerts", "list", {
    query: given({
      page,
      perPage: 50,
      sort,
      status: statusesFor(status),
      severity: listed(severity),
      type: listed(type),
      deviceId: listed(device),
      siteId: listed(site)
    }),
    reactivityKeys: keys("alerts", "sites", "customers")
  })

export const alertQuery = (id: string) =>
  AlertsClient.query("alerts", "get", { params: { id }, reactivityKeys: keys("alerts", `alert:${id}`) })

export const deviceAlertsQuery = (deviceId: string, page = 1) =>
  AlertsClient.query("alerts", "ofDevice", {
    params: { id: deviceId },
    query: { page, perPage: 20 },
    reactivityKeys: keys("alerts")
  })

/** The first alerts of a device that are not over. */
export const openDeviceAlertsQuery = (deviceId: string) =>
  AlertsClient.query("alerts", "ofDevice", {
    params: { id: deviceId },
    query: { perPage: 20, status: ["OPEN", "ACKNOWLEDGED"] },
    reactivityKeys: keys("alerts")
  })

/** The first alerts of a site that are not over. */
export const siteAlertsQuery = (siteId: string) =>
  AlertsClient.query("alerts", "list", {
    query: { perPage: 20, siteId: [siteId], status: ["OPEN", "ACKNOWLEDGED"] },
    reactivityKeys: keys("alerts")
  })

export const alertConfigurationQuery = AlertsClient.query("alertConfiguration", "get", {
  query: {},
  reactivityKeys: keys("alert-configuration")
})

export const alertGroupsQuery = AlertsClient.query("alertConfiguration", "groups", {
  query: {},
  reactivityKeys: keys("alerts")
})
