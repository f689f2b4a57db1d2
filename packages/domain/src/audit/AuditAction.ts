import { Schema } from "effect"

/**
 * What is recorded. A slice in which MANAGEMENT keys write adds its actions: the resource's kind, a dot, what was done
 * to it.
 */
export const auditActions = [
  "access.refused",
  "alert-configuration.clear",
  "alert-configuration.save",
  "api-key.create",
  "api-key.revoke",
  "api-key.update",
  "collection.add-member",
  "collection.create",
  "collection.delete",
  "collection.refresh",
  "collection.remove-member",
  "collection.update",
  "destination.activate",
  "destination.create",
  "destination.delete",
  "destination.redeliver",
  "destination.replay",
  "destination.rotate-secret",
  "destination.update",
  "device-model.create",
  "device-model.update",
  "manufacturer.create",
  "manufacturer.update",
  "organization.update",
  "workspace.create",
  "workspace.delete",
  "workspace.update"
] as const

export const AuditAction = Schema.Literals(auditActions).annotate({
  identifier: "AuditAction",
  message: `Must be one of ${auditActions.join(", ")}`,
  description:
    "What was done, to what kind of resource. access.refused: a key that the service knows was used where it may not be"
})
export type AuditAction = typeof AuditAction.Type

/** A write of a MANAGEMENT key. */
export type WriteAction = Exclude<AuditAction, "access.refused">

export const auditResourceTypes = [
  "alert-configuration",
  "api-key",
  "collection",
  "destination",
  "device-model",
  "endpoint",
  "manufacturer",
  "organization",
  "workspace"
] as const

export const AuditResourceType = Schema.Literals(auditResourceTypes).annotate({
  identifier: "AuditResourceType",
  message: `Must be one of ${auditResourceTypes.join(", ")}`,
  description: "Kind of the resource; endpoint: of access.refused, what the key was refused at"
})
export type AuditResourceType = typeof AuditResourceType.Type

export const resourceTypeOf = (action: AuditAction): AuditResourceType =>
  action === "access.refused" ? "endpoint" : (action.slice(0, action.indexOf(".")) as AuditResourceType)
