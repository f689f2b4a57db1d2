import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import type { ApiClient } from "@edp/domain/Client"
import type { Effect } from "effect"

const one = { query: { perPage: 1 } }

/** A call that changes nothing and that a key of the type may make. */
export const verifyKey = (client: ApiClient, type: ApiKeyType): Effect.Effect<unknown, unknown> => {
  switch (type) {
    case "MANAGEMENT":
      return client.organizations.list(one)
    case "SERVER":
    case "API":
      return client.sites.list(one)
    case "SCOPED":
      return client.devices.list(one)
    case "CONNECT":
    case "MANUFACTURER":
      return client.manufacturers.list(one)
  }
}
