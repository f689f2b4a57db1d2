import { common, laterTime, readingTimes, type World } from "./world.ts"

type Kind = Exclude<keyof World, "keys">

/** The tables below are searched for a filter of a route first, and then for the filter of any route. */
export const lookUp = <A>(table: Readonly<Record<string, A>>, route: string, filter: string): A | undefined =>
  table[`${route} ${filter}`] ?? table[filter]

/**
 * Filters whose value may name a thing of another workspace, by the field of a world that holds one. Every list is asked
 * for every filter that it takes; one that is in neither of these tables fails the test.
 */
export const namingFilters: Readonly<Record<string, Kind>> = {
  "GET /v1/customers referenceId": "customerReferenceId",
  "GET /v1/customers q": "customerReferenceId",
  email: "customerEmail",
  customerId: "customerId",
  "GET /v1/devices referenceId": "deviceReferenceId",
  "GET /v1/sites referenceId": "siteReferenceId",
  "GET /v1/connections referenceId": "deviceReferenceId",
  "GET /dashboard/api/fleet/devices.csv id": "deviceId",
  id: "alertId",
  resourceId: "apiKeyId",
  actorId: "managementKeyId",
  siteId: "siteId",
  collectionId: "collectionId",
  deviceId: "deviceId",
  batchId: "batchId",
  sourceId: "scheduleId",
  programSlug: "programSlug",
  "GET /v1/programInstances slug": "programInstanceSlug",
  "GET /v1/programInstances/:id/enrollments referenceId": "enrollmentReferenceId",
  workspaceId: "workspaceId",
  manufacturerDeviceId: "manufacturerDeviceId",
  serialNumber: "serialNumber",
  sourceSystem: "sourceSystem",
  tag: "tag",
  "GET /v1/tags q": "tag",
  "GET /v1/search query": "serialNumber",
  q: "q"
}

/** The equal values of all worlds, by filter: a list without isolation would count the others' too. */
export const commonFilters: Readonly<Record<string, string>> = {
  "GET /v1/customers referenceId": common.customerReferenceId,
  "GET /v1/customers/:id include": "devices",
  "GET /v1/sites/:id include": "weather",
  "GET /v1/devices include": "commandDetails",
  "GET /v1/sites/:id/devices include": "commandDetails",
  "GET /v1/collections/:id/members include": "commandDetails",
  email: common.customerEmail,
  "GET /v1/devices referenceId": common.referenceId,
  "GET /v1/sites referenceId": common.siteReferenceId,
  "GET /v1/api-keys type": "CONNECT",
  "GET /v1/api-keys status": "ACTIVE",
  "GET /v1/alerts type": "SENSOR",
  "GET /v1/devices/:id/alerts type": "SENSOR",
  "GET /dashboard/api/alerts type": "SENSOR",
  "GET /dashboard/api/alerts sort": "newest",
  "GET /v1/events type": "SITE_CREATED",
  "GET /v1/destinations/:id/deliveries status": "pending",
  "GET /v1/connections status": "PENDING",
  "GET /v1/commands status": "scheduled",
  "GET /v1/devices/:id/commands status": "scheduled",
  "GET /devices/:id/commands status": "pending",
  "GET /v1/commands type": "charger:set-operating-mode",
  "GET /v1/devices/:id/commands type": "charger:set-operating-mode",
  "GET /v1/connections referenceId": common.referenceId,
  "GET /v1/programs visibility": "PRIVATE",
  "GET /dashboard/api/connected-accounts status": "connected",
  "GET /v1/programInstances slug": common.programInstanceSlug,
  "GET /v1/programInstances status": "ACTIVE",
  "GET /v1/programInstances/:id/dispatches status": "scheduled",
  "GET /v1/openadr/subscriptions status": "HEALTHY",
  "GET /v1/grid-connections status": "paused",
  "GET /v1/grid-connections/:id/events status": "active",
  "GET /v1/grid-connections/:id/reports status": "sent",
  "GET /v1/grid-connections/:id/timeline to": laterTime(60),
  "GET /v1/programInstances/:id/dispatches to": laterTime(1000),
  "GET /v1/dispatches/:id/participants state": "notified",
  test: "false",
  "GET /v1/programInstances/:id/enrollments status": "submitted",
  "GET /v1/programInstances/:id/enrollments referenceId": common.enrollmentReferenceId,
  active: "true",
  destinationType: "WEBHOOK",
  after: "0",
  type: "charger",
  manufacturerDeviceId: common.manufacturerDeviceId,
  serialNumber: common.serialNumber,
  sourceSystem: common.sourceSystem,
  tag: common.tag,
  q: "common",
  page: "1",
  perPage: "100",
  order: "asc",
  "GET /v1/commands to": laterTime(0),
  "GET /v1/devices/:id/commands to": laterTime(0),
  from: readingTimes[0],
  to: "2025-06-02T00:00:00Z",
  severity: "WARNING",
  collectionType: "DEVICE",
  visibilityLevel: "INTERNAL",
  dynamic: "true",
  isActive: "true",
  status: "OPEN",
  "GET /dashboard/api/fleet status": "connected",
  "GET /dashboard/api/fleet/devices status": "connected",
  "GET /dashboard/api/fleet/devices.csv status": "connected",
  "GET /dashboard/api/fleet/map status": "connected",
  offset: "0",
  "GET /v1/search query": "common",
  "GET /v1/search types": "device",
  "GET /v1/search limit": "50",
  limit: "200",
  sort: "name",
  bbox: "-180,-90,180,90",
  zoom: "3",
  manufacturer: common.manufacturer,
  model: "Generic charger",
  onlineStatus: "offline",
  connected: "true",
  state: common.state,
  postalCode: common.postalCode,
  action: "api-key.create",
  resourceType: "api-key",
  deviceType: "charger",
  period: "hour",
  timeframe: "1d",
  enabled: "true",
  groupBy: "device",
  timezone: "America/Los_Angeles",
  // No record has one of these.
  externalId: "external"
}

/** Parameters of every query of some routes: a response that depends on the current time changes each time. */
export const steadyQuery = (route: string): Readonly<Record<string, string>> => {
  if (route === "GET /dashboard/api/connect-funnel") return aroundNow
  if (route === "GET /v1/search") return { query: "common" }
  const isSeries =
    route.startsWith("GET /v1/metrics/") ||
    ["GET /v1/programInstances/:id/report", "GET /dashboard/api/annotations"].includes(route)
  return isSeries ? { from: "2025-06-01T00:00:00Z", to: "2025-06-02T00:00:00Z" } : {}
}

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const aroundNow = { from: dayFromNow(-1), to: dayFromNow(1) }

/** The response to a filter by an unknown id. */
export const nothingFound = (route: string, filter: string): object => {
  // An unknown workspace is reported like one in a path.
  if (
    filter === "workspaceId" &&
    /^GET \/(v1\/collections|v1\/destinations|v1\/home-assistant-publications|dashboard\/api)/.test(route)
  ) {
    return { code: "WORKSPACE_NOT_FOUND" }
  }
  if (route === "GET /dashboard/api/fleet") return { devices: 0 }
  if (route === "GET /dashboard/api/names") return { customers: [], devices: [], sites: [] }
  if (route === "GET /v1/search") return { data: [], similar: false }
  if (route === "GET /dashboard/api/fleet/map") return { cells: [] }
  if (!/^GET \/(v1\/metrics|dashboard\/api\/annotations)/.test(route)) return { data: [], totalItems: 0 }
  // A sum over nothing would look like one over what was meant, so there ids must exist. Charts are of one device or site.
  const noun = /^(\w+)Id$/.exec(filter)?.[1]
  return noun === undefined ? { meta: { unit: "Wh" } } : { code: `${noun.toUpperCase()}_NOT_FOUND` }
}

/** A position in a walk; it has a test of its own. */
export const positionFilter = "cursor"
