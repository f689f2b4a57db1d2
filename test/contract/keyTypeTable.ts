import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"

const workspace: ReadonlyArray<ApiKeyType> = ["SERVER", "API"]
const devices: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "SCOPED"]
const catalogue: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "CONNECT", "MANUFACTURER", "MANAGEMENT"]
const connecting: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "CONNECT"]
const ownWorkspace: ReadonlyArray<ApiKeyType> = ["SERVER", "API", "MANAGEMENT"]
const manufacturer: ReadonlyArray<ApiKeyType> = ["MANUFACTURER"]
const management: ReadonlyArray<ApiKeyType> = ["MANAGEMENT"]

/**
 * The key types of every route, written by hand from the promise made to integrators and not from the code. A route that is not
 * listed here fails the test, and so does a listed one that is gone.
 */
export const keyTypeTable: Readonly<Record<string, ReadonlyArray<ApiKeyType>>> = {
  "GET /v1/organizations": management,
  "GET /v1/organizations/:id": management,
  "PATCH /v1/organizations/:id": management,

  "GET /v1/workspaces": ownWorkspace,
  "POST /v1/workspaces": management,
  "GET /v1/workspaces/:id": ownWorkspace,
  "PATCH /v1/workspaces/:id": management,
  "DELETE /v1/workspaces/:id": management,

  "GET /v1/api-keys": management,
  "POST /v1/api-keys": management,
  "GET /v1/api-keys/:id": management,
  "PATCH /v1/api-keys/:id": management,
  "POST /v1/api-keys/:id/revoke": management,

  "GET /v1/audit-logs": management,

  "GET /v1/manufacturers": catalogue,
  "POST /v1/manufacturers": management,
  "GET /v1/manufacturers/:slug": catalogue,
  "PATCH /v1/manufacturers/:slug": management,

  "GET /v1/device-models": catalogue,
  "POST /v1/device-models": management,
  "GET /v1/device-models/:id": catalogue,
  "PATCH /v1/device-models/:id": management,

  "GET /v1/customers": workspace,
  "POST /v1/customers": workspace,
  "POST /v1/customers/bulk": workspace,
  "GET /v1/customers/:id": workspace,
  "PATCH /v1/customers/:id": workspace,
  "DELETE /v1/customers/:id": workspace,
  "PUT /v1/sites/:id/customers/:customerId": workspace,
  "DELETE /v1/sites/:id/customers/:customerId": workspace,

  "GET /v1/sites": workspace,
  "POST /v1/sites": workspace,
  "POST /v1/sites/bulk": workspace,
  "GET /v1/sites/:id": workspace,
  "PATCH /v1/sites/:id": workspace,
  "DELETE /v1/sites/:id": workspace,
  "GET /v1/sites/:id/devices": workspace,
  "PUT /v1/sites/:id/devices/:deviceId": workspace,
  "DELETE /v1/sites/:id/devices/:deviceId": workspace,

  "GET /v1/devices": devices,
  "GET /v1/devices/:id": devices,
  "PATCH /v1/devices/:id": workspace,
  "DELETE /v1/devices/:id": workspace,
  "GET /v1/devices/:id/history": devices,
  "GET /v1/devices/:id/alerts": devices,
  "GET /v1/devices/:id/tags": devices,
  "PUT /v1/devices/:id/tags": workspace,
  "POST /v1/devices/:id/tags": workspace,
  "DELETE /v1/devices/:id/tags/:tag": workspace,

  "GET /v1/batch-commands": workspace,
  "POST /v1/batch-commands": workspace,
  "GET /v1/batch-commands/:id": workspace,
  "POST /v1/batch-commands/:id/cancel": workspace,
  "POST /v1/batch-commands/:id/retry-failed": workspace,

  "GET /v1/tags": workspace,

  "POST /devices": manufacturer,
  "POST /devices/telemetry": manufacturer,
  "POST /devices/:id/telemetry": manufacturer,
  "GET /devices/:id/commands": manufacturer,
  "POST /devices/:id/commands/:commandId/result": manufacturer,
  "POST /v1/devices/:id/commands/:commandId/result": manufacturer,
  "POST /v1/devices": manufacturer,
  "POST /v1/devices/telemetry": manufacturer,
  "POST /v1/devices/:id/telemetry": manufacturer,

  "GET /v1/alerts": workspace,
  "POST /v1/alerts": workspace,
  "GET /v1/alerts/:id": workspace,
  "PATCH /v1/alerts/:id/acknowledge": workspace,
  "PATCH /v1/alerts/:id/ignore": workspace,
  "PATCH /v1/alerts/:id/resolve": workspace,

  "GET /dashboard/api/alert-configuration": management,
  "PUT /dashboard/api/alert-configuration": management,
  "DELETE /dashboard/api/alert-configuration": management,
  "GET /dashboard/api/kept-readings": management,
  "GET /dashboard/api/connect-funnel": management,

  "GET /v1/events": workspace,
  "GET /v1/events/:id": workspace,

  "GET /v1/metrics": workspace,
  "GET /v1/metrics/consumption": workspace,
  "GET /v1/metrics/production": workspace,
  "GET /v1/metrics/generation": workspace,
  "GET /v1/metrics/storage": workspace,
  "GET /v1/metrics/grid": workspace,
  "GET /v1/metrics/charging": workspace,
  "GET /v1/metrics/load": workspace,

  "GET /v1/collections": ownWorkspace,
  "POST /v1/collections": ownWorkspace,
  "POST /v1/collections/preview": ownWorkspace,
  "GET /v1/collections/:id": ownWorkspace,
  "PATCH /v1/collections/:id": ownWorkspace,
  "DELETE /v1/collections/:id": ownWorkspace,
  "GET /v1/collections/:id/members": ownWorkspace,
  "PUT /v1/collections/:id/members/:memberId": ownWorkspace,
  "DELETE /v1/collections/:id/members/:memberId": ownWorkspace,
  "POST /v1/collections/:id/refresh": ownWorkspace,

  "GET /v1/destinations": ownWorkspace,
  "POST /v1/destinations": ownWorkspace,
  "GET /v1/destinations/:id": ownWorkspace,
  "PATCH /v1/destinations/:id": ownWorkspace,
  "DELETE /v1/destinations/:id": ownWorkspace,
  "POST /v1/destinations/:id/activate": ownWorkspace,
  "POST /v1/destinations/:id/rotate-secret": ownWorkspace,
  "POST /v1/destinations/:id/test": ownWorkspace,
  "GET /v1/destinations/:id/deliveries": ownWorkspace,
  "GET /v1/destinations/:id/deliveries/:deliveryId": ownWorkspace,
  "POST /v1/destinations/:id/deliveries/:deliveryId/redeliver": ownWorkspace,
  "POST /v1/destinations/:id/replay": ownWorkspace,

  "POST /v1/devices/:id/commands": devices,
  "GET /v1/devices/:id/commands": devices,
  "GET /v1/commands": workspace,
  "GET /v1/commands/:id": devices,
  "POST /v1/commands/:id/cancel": workspace,

  "GET /v1/schedules": workspace,
  "POST /v1/schedules": workspace,
  "POST /v1/schedules/preview": workspace,
  "GET /v1/schedules/:id": workspace,
  "PATCH /v1/schedules/:id": workspace,
  "DELETE /v1/schedules/:id": workspace,
  "GET /v1/devices/:id/schedules": devices,
  "POST /v1/devices/:id/schedules": workspace,

  "GET /v1/programs": ownWorkspace,
  "POST /v1/programs": management,
  "GET /v1/programs/:slug": ownWorkspace,
  "PATCH /v1/programs/:slug": management,

  "GET /v1/programInstances": workspace,
  "POST /v1/programInstances": workspace,
  "GET /v1/programInstances/:id": workspace,
  "PATCH /v1/programInstances/:id": workspace,
  "DELETE /v1/programInstances/:id": workspace,
  "GET /v1/programInstances/:id/report": workspace,

  "GET /v1/programInstances/:id/dispatches": workspace,
  "POST /v1/programInstances/:id/dispatches": workspace,
  "GET /v1/dispatches/:id": workspace,
  "PATCH /v1/dispatches/:id": workspace,
  "POST /v1/dispatches/:id/cancel": workspace,
  "GET /v1/dispatches/:id/participants": workspace,
  "GET /v1/dispatches/:id/report": workspace,
  "POST /v1/dispatches/:id/participants/:siteId/opt-out": workspace,

  "GET /v1/programInstances/:id/enrollments": workspace,
  "POST /v1/programInstances/:id/enrollments": workspace,
  "POST /v1/programInstances/:id/enrollments/bulk": workspace,
  "POST /v1/programInstances/:id/eligibility": workspace,
  "GET /v1/enrollments/:id": workspace,
  "DELETE /v1/enrollments/:id": workspace,
  "POST /v1/enrollments/:id/submit": workspace,
  "POST /v1/enrollments/:id/approve": workspace,
  "POST /v1/enrollments/:id/reject": workspace,
  "POST /v1/enrollments/:id/unenroll": workspace,

  "GET /v1/connections": workspace,
  "POST /v1/connections": connecting,
  "GET /v1/connections/:id": connecting,
  "DELETE /v1/connections/:id": workspace
}
