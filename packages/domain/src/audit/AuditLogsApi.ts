import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { ValidationError } from "../errors/ApiErrors.ts"
import { CursorPage, withNextCursor } from "../shared/Page.ts"
import { AuditLog, AuditLogFilters } from "./AuditLog.ts"

export class AuditLogsApi extends HttpApiGroup.make("auditLogs")
  .add(
    HttpApiEndpoint.get("list", "/v1/audit-logs", {
      query: AuditLogFilters,
      success: withNextCursor(CursorPage(AuditLog)),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "List audit logs",
        "What was done with MANAGEMENT keys in the whole organization, and where keys were refused, newest first. A write is there as soon as it is answered, and only when it succeeded; refused uses within seconds. A request that changes nothing is not recorded. Walk far back with `cursor`: its cost does not grow with depth."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit log",
      description:
        "Who did what, when and from where: every write that a MANAGEMENT key made, recorded in the write's own transaction with the changed fields before and after, and every refused use of a key that the service knows: one that was revoked or has expired, of a type that may not call the endpoint, or without permission (403). Refused uses of one key at one endpoint for one reason and from one address are one record a minute, with their number. No record holds a key or another secret."
    })
  ) {}
