import { randomUUID } from "node:crypto"
import {
  anHourAgo,
  chargerState,
  chargingIntervals,
  laterTime,
  nightRule,
  nobodyResponds,
  startCharging,
  type World
} from "./world.ts"

let count = 0
/** Some slugs are unique among all workspaces, and files of tests share a database. */
const run = randomUUID().slice(0, 8)

/** A body with which every route that takes one would succeed in a world. A route without an entry fails the tests. */
export const requestBodies: Readonly<Record<string, (world: World) => Record<string, any>>> = {
  "PATCH /v1/organizations/:id": () => ({ name: "Renamed" }),
  "POST /v1/workspaces": () => ({ name: `Workspace ${++count}` }),
  "PATCH /v1/workspaces/:id": () => ({ timezone: "America/Los_Angeles" }),
  "POST /v1/api-keys": () => ({ name: "Back end", type: "SERVER" }),
  "PATCH /v1/api-keys/:id": () => ({ name: "Renamed" }),
  "POST /v1/api-keys/:id/rotate": () => ({ previousValidSeconds: 3600 }),
  "POST /v1/api-keys/:id/revoke": () => ({ made: "keep" }),
  "POST /v1/manufacturers": () => ({ slug: `maker-${run}-${++count}`, name: "Maker", deviceTypes: ["battery"] }),
  "PATCH /v1/manufacturers/:slug": () => ({ name: "Renamed" }),
  "POST /v1/device-models": () => ({ manufacturer: "generic", name: `Model ${++count}`, type: "meter" }),
  "PATCH /v1/device-models/:id": () => ({ name: `Model ${++count}` }),
  "POST /v1/customers": ({ siteId }) => ({ referenceId: `customer-${++count}`, siteIds: [siteId] }),
  "PATCH /v1/customers/:id": () => ({ firstName: "Renamed" }),
  "POST /v1/customers/bulk": ({ siteId }) => ({
    customers: [{ referenceId: `customer-${++count}`, siteIds: [siteId] }]
  }),
  "POST /v1/sites": () => ({
    address: { streetOne: `${++count} Elm Street`, city: "Sacramento", state: "CA", postalCode: "95814" }
  }),
  "POST /v1/sites/bulk": () => ({
    sites: [{ address: { streetOne: `${++count} Elm Street`, city: "Sacramento", state: "CA", postalCode: "95814" } }]
  }),
  "PATCH /v1/sites/:id": () => ({ name: "Renamed" }),
  "PATCH /v1/devices/:id": () => ({ name: "Renamed" }),
  "PUT /v1/devices/:id/tags": () => ({ tags: ["renamed"] }),
  "POST /v1/devices/:id/tags": () => ({ tags: ["added"] }),
  "POST /devices": ({ deviceModelId, siteId }) => ({ manufacturerDeviceId: `NEW-${++count}`, deviceModelId, siteId }),
  "POST /devices/telemetry": ({ deviceId }) => ({
    readings: [{ deviceId, timestamp: someTime(), state: chargerState(1) }]
  }),
  "POST /devices/:id/telemetry": () => ({ timestamp: someTime(), state: chargerState(1) }),
  "POST /v1/batch-commands": ({ tag }) => ({ ...startCharging, tag, scheduledFor: laterTime(++count) }),
  "POST /devices/:id/commands/:commandId/result": () => ({ status: "completed" }),
  "POST /v1/alerts": ({ siteId }) => ({ siteId, title: "Dark", sourceSystem: "watch", severity: "INFO" }),
  "PATCH /v1/alerts/:id/acknowledge": () => ({}),
  "PUT /dashboard/api/workspaces/:id/reading-retention": () => ({ retentionDays: 1000 + ++count }),
  "PUT /dashboard/api/alert-configuration": () => ({ minimumSeverity: "WARNING" }),
  "POST /dashboard/api/saved-filters": () => ({ name: `Filter ${++count}`, page: "devices", query: "type=battery" }),
  "PATCH /dashboard/api/saved-filters/:id": () => ({ name: `Renamed ${++count}` }),
  "POST /v1/collections": () => ({ name: `Collection ${++count}`, collectionType: "DEVICE", criteria: {} }),
  "POST /v1/collections/preview": () => ({ collectionType: "DEVICE", criteria: {} }),
  "PATCH /v1/collections/:id": () => ({ description: "Changed" }),
  "POST /v1/home-assistant-publications": () => ({ host: "broker.example.com", username: "edp", password: "4711" }),
  "PATCH /v1/home-assistant-publications/:id": () => ({ host: "other.example.com", password: "0815" }),
  "POST /v1/destinations": () => ({ destinationType: "WEBHOOK", url: nobodyResponds, eventTypes: ["ALERT_CREATED"] }),
  "PATCH /v1/destinations/:id": () => ({ label: "Renamed", headers: { "X-Team": "another" } }),
  "POST /v1/destinations/:id/test": () => ({}),
  "POST /v1/destinations/:id/replay": () => ({ from: anHourAgo() }),
  "POST /v1/devices/:id/commands": () => ({ ...startCharging, scheduledFor: laterTime(++count) }),
  "POST /v1/schedules": ({ tag }) => ({ name: "Nights", target: { tag }, deviceType: "charger", rules: [nightRule] }),
  "PATCH /v1/schedules/:id": () => ({ name: "Renamed" }),
  "POST /v1/devices/:id/commands/preview": () => startCharging,
  "POST /v1/schedules/preview": () => ({ deviceType: "charger", rules: [nightRule] }),
  "POST /v1/devices/:id/schedules": () => ({ name: "Nights", rules: [nightRule] }),
  "POST /v1/programs": () => ({ slug: `program-${run}-${++count}`, name: "Program" }),
  "PATCH /v1/programs/:slug": () => ({ name: "Renamed" }),
  "POST /v1/programInstances": ({ programSlug }) => ({
    slug: `instance-${++count}`,
    programSlug,
    title: "Instance",
    description: "",
    eligibilityCriteria: "",
    programTerms: ""
  }),
  "PATCH /v1/programInstances/:id": () => ({ title: "Renamed" }),
  "PUT /v1/programInstances/:id/openadr-publication": () => ({ signal: { payloadType: "SIMPLE", level: 1 } }),
  "POST /v1/programInstances/:id/dispatches": () => ({ name: "Dispatch", intervals: chargingIntervals(++count) }),
  "POST /v1/programInstances/:id/dispatches/preview": () => ({
    name: "Dispatch",
    intervals: chargingIntervals(++count)
  }),
  "POST /v1/grid-connections": () => ({ name: "VTN", vtnUrl: nobodyResponds, venName: "ven", enabled: false }),
  "PATCH /v1/grid-connections/:id": () => ({ name: "Renamed" }),
  "PATCH /v1/grid-programs/:id": () => ({ rules: [] }),
  "PATCH /v1/dispatches/:id": () => ({ name: "Renamed" }),
  "POST /v1/dispatches/:id/cancel": () => ({ reason: "The grid has recovered" }),
  "POST /v1/dispatches/:id/participants/:siteId/opt-out": () => ({ reason: "Guests" }),
  "POST /v1/programInstances/:id/enrollments": () => newcomer(),
  "POST /v1/programInstances/:id/enrollments/bulk": () => ({ enrollments: [newcomer()] }),
  "POST /v1/programInstances/:id/eligibility": ({ customerId }) => ({ identificationType: "customerId", customerId }),
  "POST /v1/enrollments/:id/submit": () => ({}),
  "POST /v1/enrollments/:id/approve": () => ({ reason: "Welcome" }),
  "POST /v1/enrollments/:id/reject": () => ({}),
  "POST /v1/enrollments/:id/unenroll": () => ({}),
  "POST /v1/connections": () => ({ referenceId: `user-${++count}`, clientName: "Sunny Homes" })
}

/** A person who is not a customer yet. */
const newcomer = () => ({
  identificationType: "customerInfo",
  customerInfo: { firstName: "Ada", lastName: "Okafor", email: `newcomer-${++count}@example.com` }
})

/** A minute of its own, years ago. */
const someTime = () => new Date(Date.UTC(2024, 0, 1) + ++count * 60_000).toISOString()
