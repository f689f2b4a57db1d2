import { Schema } from "effect"

export const apiKeyTypes = ["API", "CONNECT", "MANAGEMENT", "MANUFACTURER", "SCOPED", "SERVER"] as const

/** What a key is for; see the specification's section on authentication. */
export const ApiKeyType = Schema.Literals(apiKeyTypes)
export type ApiKeyType = typeof ApiKeyType.Type
