import type { AuditResourceType } from "@edp/domain/audit/AuditLog"
import { AuditLogsApi } from "@edp/domain/audit/AuditLogsApi"
import { withConventions } from "@edp/domain/auth/middleware"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, instant, keys, listed, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("auditLogs").add(AuditLogsApi))

class AuditLogsClient extends AtomHttpApi.Service<AuditLogsClient>()("AuditLogsClient", { api, ...pageClient }) {}

export interface AuditSearch {
  readonly resource?: AuditResourceType | undefined
  readonly actor?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly cursor?: string | undefined
}

/** A page of the audit log of the organization, newest first. */
export const auditLogsQuery = ({ resource, actor, from, to, cursor }: AuditSearch) =>
  AuditLogsClient.query("auditLogs", "list", {
    query: given({
      perPage: 50,
      resourceType: listed(resource),
      actorId: listed(actor?.trim()),
      from: instant(from),
      to: instant(to),
      cursor: cursor || undefined
    }),
    reactivityKeys: keys("audit-logs")
  })
