import { withConventions } from "@edp/domain/auth/middleware"
import { AnnotationsApi } from "@edp/domain/dashboard/AnnotationsApi"
import { FleetApi } from "@edp/domain/dashboard/FleetApi"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import type { EnergyQuestion } from "../../api/energyQueries.ts"
import { keys, pageClient } from "../../api/makeApi.ts"
import type { Period } from "../../kit/period.ts"

const api = withConventions(HttpApi.make("energy").add(SitesApi, AnnotationsApi, FleetApi))

class EnergyClient extends AtomHttpApi.Service<EnergyClient>()("EnergyClient", { api, ...pageClient }) {}

export const siteQuery = (id: string) =>
  EnergyClient.query("sites", "get", { params: { id }, query: {}, reactivityKeys: keys("sites", `site:${id}`) })

export const sitesQuery = (text: string) =>
  EnergyClient.query("sites", "list", {
    query: { perPage: 20, ...(text !== "" && { q: text }) },
    reactivityKeys: keys("sites")
  })

/** Explanations of the charts of a site: outages, alerts, dispatches and changes of the clock. */
export const annotationsQuery = (siteId: string, { from, to }: Period) =>
  EnergyClient.query("annotations", "list", {
    query: { siteId, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    reactivityKeys: keys("alerts", "dispatches")
  })

/** Days by the quarter of an hour; months and years by day, which even the largest workspaces get. */
export const periodQuestion = (siteId: string | undefined, period: Period, timeZone: string): EnergyQuestion => ({
  siteId,
  from: period.from,
  to: period.to,
  period: period.unit === "day" ? "15m" : "day",
  timeZone
})

/** The device of the site, or of the workspace, that reported last. */
export const lastReportQuery = (siteId: string | undefined) =>
  EnergyClient.query("fleet", "devices", {
    query: { offset: 0, limit: 1, sort: "last-reported", ...(siteId !== undefined && { siteId: [siteId] }) },
    reactivityKeys: keys("devices")
  })
