import type { ApiKeyScope } from "@edp/domain/api-keys/ApiKey"
import { Context, type Effect } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"

/** The scopes of OPENADR_VEN keys, which are over records of later slices. */
export class VenScopes extends Context.Service<
  VenScopes,
  {
    /** A sentence for each field of a scope that names nothing of the workspace. */
    readonly check: (
      workspaceId: string,
      scope: ApiKeyScope
    ) => Effect.Effect<Readonly<Record<string, string>>, DatabaseUnavailable>
    /** Prepares the client of a new key with a scope. Joins the caller's transaction. */
    readonly begin: (key: {
      readonly id: string
      readonly workspaceId: string
      readonly name: string
    }) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/api-keys/VenScopes") {}
