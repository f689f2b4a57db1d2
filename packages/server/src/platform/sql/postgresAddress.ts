import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { StartError } from "../StartError.ts"

/** What of a DATABASE_URL may be shown. */
export interface PostgresAddress {
  /** Host and port, or the folder of the Unix socket. */
  readonly place: string
  readonly database: string
  readonly user: string
}

export const postgresAddress = (url: Redacted.Redacted): Effect.Effect<PostgresAddress, StartError> =>
  Effect.try({
    try: () => parse(new URL(Redacted.value(url))),
    catch: () => new StartError({ message: "DATABASE_URL must look like postgres://user:password@host:5432/database" })
  })

/** As libpq reads an address: parameters of the query go before what the address itself says. */
const parse = (url: URL): PostgresAddress => {
  if (!/^postgres(ql)?:$/.test(url.protocol)) throw new TypeError("another protocol")
  const parameter = (name: string) => url.searchParams.get(name) || undefined
  const host = parameter("host") ?? (decodeURIComponent(url.hostname) || "localhost")
  const port = parameter("port") ?? (url.port || "5432")
  const user = parameter("user") ?? (decodeURIComponent(url.username) || process.env.USER || "")
  const database = parameter("dbname") ?? (decodeURIComponent(url.pathname.slice(1)) || user)
  return { place: host.startsWith("/") ? host : `${host}:${port}`, database, user }
}

const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was broken off",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  ENOENT: "there is no such socket",
  ETIMEDOUT: "no answer"
}

const driverReasons: Readonly<Record<string, string>> = {
  "Connection timed out": "no answer within 5 seconds",
  "Connection closed unexpectedly": "the connection was broken off",
  "The server requested password authentication": "it wants a password, and DATABASE_URL has none"
}

/** One line for a person out of a connection that did not come about. It repeats nothing of the password. */
export const explainRefusal =
  ({ place, database, user }: PostgresAddress) =>
  ({ reason }: SqlError.SqlError): StartError => {
    const { code = "", message = "" } = (reason.cause ?? {}) as { readonly code?: string; readonly message?: string }
    if (code === "3D000") return new StartError({ message: `PostgreSQL at ${place} has no database "${database}"` })
    const why = networkReasons[code] ?? driverReasons[message] ?? message
    if (reason._tag === "AuthenticationError") {
      return new StartError({
        message: `PostgreSQL at ${place} refused user "${user}" for database "${database}": ${why}`
      })
    }
    const what = reason.message?.includes("Failed to parse") ? "what answers is not PostgreSQL" : why
    return new StartError({ message: `cannot reach PostgreSQL at ${place} for database "${database}": ${what}` })
  }
