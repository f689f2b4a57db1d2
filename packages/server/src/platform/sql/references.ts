import {
  CustomerNotFound,
  DeviceNotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  WorkspaceNotFound
} from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { query } from "./transaction.ts"

/** Checks that referenced records exist in the caller's workspace. A malformed id exists nowhere. */
export const references = (sql: SqlClient.SqlClient) => {
  const siteWorkspace = (id: string) =>
    isCuid(id)
      ? Effect.map(
          query(sql<{ readonly workspaceId: string }>`
            SELECT workspace_id AS "workspaceId" FROM sites WHERE id = ${id}`),
          ([row]) => row?.workspaceId
        )
      : Effect.succeed(undefined)

  return {
    /** Locks the row until the transaction ends: it cannot be deleted, and concurrent callers wait. */
    requireWorkspace: (organizationId: string, id: string) =>
      Effect.flatMap(
        query(sql`SELECT FROM workspaces WHERE id = ${id} AND organization_id = ${organizationId} FOR NO KEY UPDATE`),
        ([row]) => (row === undefined ? Effect.fail(new WorkspaceNotFound({})) : Effect.void)
      ),
    /** A site in a path: one of another workspace is reported as not found. */
    requireSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner) =>
        owner === workspaceId ? Effect.void : Effect.fail(new SiteNotFound({}))
      ),
    /** A site in a body: one of another workspace is reported as such. */
    requireGivenSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner): Effect.Effect<void, SiteNotFound | SiteNotInWorkspace> => {
        if (owner === undefined) return Effect.fail(new SiteNotFound({}))
        return owner === workspaceId ? Effect.void : Effect.fail(new SiteNotInWorkspace({}))
      }),
    /** Locks the row until the transaction ends, so that it is not deleted before something refers to it. */
    requireCustomer: (workspaceId: string, id: string) =>
      Effect.flatMap(
        query(sql`SELECT FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`),
        ([row]) => (row === undefined ? Effect.fail(new CustomerNotFound({})) : Effect.void)
      ),
    requireDevice: (workspaceId: string, id: string) =>
      Effect.flatMap(query(sql`SELECT 1 FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId}`), ([row]) =>
        row === undefined ? Effect.fail(new DeviceNotFound({})) : Effect.void
      )
  }
}

export interface CustomerSite {
  readonly customerId: string
  readonly siteId: string
}

/** Associates customers with sites of the workspace. Existing associations are kept. */
export const linkCustomerSites =
  (sql: SqlClient.SqlClient) =>
  (workspaceId: string, links: ReadonlyArray<CustomerSite>): Effect.Effect<void> =>
    links.length === 0
      ? Effect.void
      : Effect.asVoid(
          query(sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id)
            SELECT ${workspaceId}, customer, site FROM unnest(${links.map((one) => one.customerId)}::text[],
              ${links.map((one) => one.siteId)}::text[]) AS given (customer, site)
            ON CONFLICT DO NOTHING`)
        )

/**
 * Ids of a customer's devices: those at the customer's sites and those that the customer connected, each once. Both parts use an
 * index on the customer, not on the whole workspace.
 */
export const customerDeviceIds = (
  sql: SqlClient.SqlClient,
  workspaceId: Statement.Fragment,
  customerId: Statement.Fragment
) =>
  sql`SELECT devices.id FROM customer_sites JOIN devices USING (site_id)
      WHERE customer_sites.customer_id = ${customerId} AND devices.workspace_id = ${workspaceId}
    UNION SELECT id FROM devices WHERE customer_id = ${customerId} AND workspace_id = ${workspaceId}`
