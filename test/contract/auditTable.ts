import type { WriteAction } from "@edp/domain/audit/AuditLog"

/** The audit action of each write that MANAGEMENT keys may make. A route without an entry fails the test. */
export const auditTable: Readonly<Record<string, WriteAction | "writes nothing">> = {
  "PATCH /v1/organizations/:id": "organization.update",
  "POST /v1/workspaces": "workspace.create",
  "PATCH /v1/workspaces/:id": "workspace.update",
  "DELETE /v1/workspaces/:id": "workspace.delete",
  "POST /v1/api-keys": "api-key.create",
  "PATCH /v1/api-keys/:id": "api-key.update",
  "POST /v1/api-keys/:id/revoke": "api-key.revoke",
  "POST /v1/manufacturers": "manufacturer.create",
  "PATCH /v1/manufacturers/:slug": "manufacturer.update",
  "POST /v1/device-models": "device-model.create",
  "PATCH /v1/device-models/:id": "device-model.update",
  "PUT /dashboard/api/alert-configuration": "alert-configuration.save",
  "DELETE /dashboard/api/alert-configuration": "alert-configuration.clear",
  "POST /v1/collections": "collection.create",
  "POST /v1/collections/preview": "writes nothing",
  "PATCH /v1/collections/:id": "collection.update",
  "DELETE /v1/collections/:id": "collection.delete",
  "PUT /v1/collections/:id/members/:memberId": "collection.add-member",
  "DELETE /v1/collections/:id/members/:memberId": "collection.remove-member",
  "POST /v1/collections/:id/refresh": "collection.refresh",
  "POST /v1/destinations": "destination.create",
  "PATCH /v1/destinations/:id": "destination.update",
  "DELETE /v1/destinations/:id": "destination.delete",
  "POST /v1/destinations/:id/activate": "destination.activate",
  "POST /v1/destinations/:id/rotate-secret": "destination.rotate-secret",
  "POST /v1/destinations/:id/test": "writes nothing",
  "POST /v1/destinations/:id/deliveries/:deliveryId/redeliver": "destination.redeliver",
  "POST /v1/destinations/:id/replay": "destination.replay"
}
