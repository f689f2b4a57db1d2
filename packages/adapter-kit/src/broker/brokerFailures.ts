import { AdapterError } from "../AdapterError.ts"

/** An error of the client library. Its code is a reason code of MQTT, or the name of an error of the socket. */
interface ClientError extends Error {
  readonly code?: number | string
}

/** The broker's own response, as it is stored with commands and accounts. */
const upstream = ({ code, message }: ClientError) => ({
  statusCode: null,
  errorCode: typeof code === "number" ? String(code) : (code ?? null),
  errorMessage: message,
  requestId: null
})

/** Refusals of the protocol's version: 1 of MQTT 3.1.1, 132 of MQTT 5. */
const wrongVersion = new Set<unknown>([1, 132])
/** Bad login, not authorized, banned, bad method of authentication; the first two of MQTT 3.1.1. */
const refusedLogin = new Set<unknown>([4, 5, 134, 135, 138, 140])

export const isWrongVersion = (error: Error): boolean => wrongVersion.has((error as ClientError).code)

/** A broker that did not let the client in, or ended the connection. */
export const connectionFailure = (error: ClientError): AdapterError =>
  refusedLogin.has(error.code)
    ? AdapterError.of("grant_lost", "The broker refuses the user name or password", {
        upstream: upstream(error),
        intervention: "local_access_disabled"
      })
    : AdapterError.of("unreachable", `The broker does not respond as it should: ${error.message}`, {
        upstream: upstream(error)
      })

/** A broker that takes no messages of this user, or none for this topic. */
export const publishFailure = (error: ClientError): AdapterError =>
  typeof error.code === "number"
    ? AdapterError.of("refused", `The broker refuses the message: ${error.message}`, {
        upstream: upstream(error),
        intervention: refusedLogin.has(error.code) ? "local_access_disabled" : null,
        commandReason: "refused"
      })
    : connectionFailure(error)

/** A broker that does not let this user read. The library gives its response without a code of its own. */
export const subscribeFailure = (error: ClientError): AdapterError =>
  "packet" in error
    ? AdapterError.of("refused", `The broker refuses to deliver messages: ${error.message}`, {
        upstream: upstream(error),
        intervention: "local_access_disabled"
      })
    : connectionFailure(error)
