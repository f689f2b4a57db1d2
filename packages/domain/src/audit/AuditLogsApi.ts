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
        "Lists the writes of MANAGEMENT keys in the whole organization and the refused uses of keys, newest first. A successful write is recorded before it is answered; a refused use appears within seconds. A request that changes nothing is not recorded. Use `cursor` to page far back: its cost does not grow with depth."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit log",
      description:
        "Every write by a MANAGEMENT key, recorded in the transaction of the write with the changed fields before and after, and every refused use of a known key: revoked, expired, of a type that may not call the endpoint, or without permission (403). Refused uses of one key at one endpoint, for one reason and from one address, make one record per minute with a count. No record contains a key or another secret."
    })
  ) {}
