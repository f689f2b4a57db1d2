import { Schema } from "effect"

export const apiKeyTypes = ["API", "CONNECT", "MANAGEMENT", "MANUFACTURER", "SCOPED", "SERVER"] as const

/** What a key is for; see the specification's section on authentication. */
export const ApiKeyType = Schema.Literals(apiKeyTypes).annotate({
  identifier: "ApiKeyType",
  description:
    "SERVER: full access to its workspace, for back ends. API: as SERVER, deprecated. CONNECT: client-safe, starts connect sessions. MANUFACTURER: direct integration of the manufacturers in its scope. MANAGEMENT: workspaces and keys of the organization. SCOPED: the devices of one connected user"
})
export type ApiKeyType = typeof ApiKeyType.Type
