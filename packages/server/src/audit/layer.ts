import { Layer } from "effect"
import { AuditLogs, AuditRetention } from "./AuditLogs.ts"
import { AuditLogsHandlers } from "./AuditLogsHandlers.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { RefusedUses } from "./RefusedUses.ts"

export const layer = Layer.mergeAll(AuditTrail.layer, AuditLogs.layer, RefusedUses.layer, AuditRetention.layer)

export const handlers = AuditLogsHandlers.pipe(Layer.provide(layer))
