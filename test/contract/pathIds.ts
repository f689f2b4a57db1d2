import type { World } from "./world.ts"

type Kind = Exclude<keyof World, "keys">

/** The record that each parameter of a path names: the path up to it, and the field of a world with such a record. */
export const pathIds: Readonly<Record<string, Kind>> = {
  "/v1/organizations/:id": "organizationId",
  "/v1/workspaces/:id": "workspaceId",
  "/v1/api-keys/:id": "apiKeyId",
  "/v1/customers/:id": "customerId",
  "/v1/collections/:id": "collectionId",
  "/v1/collections/:id/members/:memberId": "deviceId",
  "/v1/sites/:id": "siteId",
  "/v1/sites/:id/customers/:customerId": "customerId",
  "/v1/sites/:id/devices/:deviceId": "deviceId",
  "/v1/devices/:id": "deviceId",
  "/v1/devices/:id/tags/:tag": "tag",
  "/devices/:id": "deviceId",
  "/devices/:id/commands/:commandId": "deliveredCommandId",
  "/v1/batch-commands/:id": "batchId",
  "/v1/alerts/:id": "alertId",
  "/v1/events/:id": "eventId",
  "/v1/destinations/:id": "destinationId",
  "/v1/destinations/:id/deliveries/:deliveryId": "deliveryId",
  "/v1/home-assistant-publications/:id": "homeAssistantPublicationId",
  "/dashboard/api/destinations/:id": "destinationId",
  "/dashboard/api/devices/:id": "deviceId",
  "/dashboard/api/events/:id": "eventId",
  "/v1/connections/:id": "connectionId",
  "/v1/commands/:id": "commandId",
  "/v1/schedules/:id": "scheduleId",
  "/v1/programs/:slug": "programSlug",
  "/v1/programInstances/:id": "programInstanceId",
  "/v1/grid-connections/:id": "gridConnectionId",
  "/v1/grid-programs/:id": "gridProgramId",
  "/v1/dispatches/:id": "dispatchId",
  "/v1/dispatches/:id/participants/:siteId": "siteId",
  "/v1/enrollments/:id": "enrollmentId",
  "/dashboard/api/saved-filters/:id": "savedFilterId",
  "/dashboard/api/workspaces/:id": "workspaceId"
}

/** Routes that need a record in another state than the others. */
const routeIds: Readonly<Record<string, Kind>> = {
  "/v1/batch-commands/:id/retry-failed": "failedBatchId",
  // An instance with enrollments is not deleted.
  "/v1/programInstances/:id": "emptyProgramInstanceId",
  "/v1/enrollments/:id/approve": "submittedEnrollmentId",
  "/v1/enrollments/:id/reject": "otherSubmittedEnrollmentId",
  "/v1/enrollments/:id/unenroll": "approvedEnrollmentId"
}

/** The field of a world with the record that a parameter of a documented path names; undefined for what all share. */
export const findPathId = (documented: string, param: string): Kind | undefined =>
  routeIds[documented] ?? pathIds[`${documented.slice(0, documented.indexOf(`:${param}`))}:${param}`]

/** Parameters that name what all workspaces share. */
export const sharedParams: ReadonlyArray<string> = ["/v1/manufacturers/:slug", "/v1/device-models/:id"]
