import { Layer } from "effect"
import { AuditLogsHandlers } from "./AuditLogsHandlers.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { RefusedUses } from "./RefusedUses.ts"

export const layer = Layer.merge(AuditTrail.layer, RefusedUses.layer)

export const handlers = AuditLogsHandlers
