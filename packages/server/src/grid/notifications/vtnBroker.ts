import type { Notifiers } from "@edp/domain/openadr/OpenAdrObjects"

/** A broker at which a VTN notifies. */
export interface VtnBroker {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Null: the broker takes clients without a login. Else the password is a token of the VTN. */
  readonly username: string | null
}

const readUri = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "mqtt:" && url.protocol !== "mqtts:") || url.hostname === "")
    return undefined
  const tls = url.protocol === "mqtts:"
  const port = url.port === "" ? (tls ? 8883 : 1883) : Number(url.port)
  return { host: url.hostname.replace(/^\[(.*)\]$/u, "$1"), port, tls }
}

/**
 * The broker that a VTN names, or why it can't be used. One with TLS goes first; one without is used where private addresses may be
 * called.
 */
export const usableBroker = (
  { MQTT }: Notifiers,
  clientId: string | null,
  isPrivateAllowed: boolean
): VtnBroker | string => {
  if (MQTT === undefined || MQTT === null) return "The VTN has no MQTT broker"
  const { URIS, authentication, serialization } = MQTT
  if (serialization !== "JSON") return `The VTN's MQTT messages are ${serialization}, and not JSON`
  const named = URIS.flatMap((text) => readUri(text) ?? [])
  const address = named.find(({ tls }) => tls) ?? named.find(() => isPrivateAllowed)
  if (address === undefined) return "The VTN names no mqtts address of its MQTT broker"
  switch (authentication.method) {
    case "ANONYMOUS":
      return { ...address, username: null }
    case "OAUTH2_BEARER_TOKEN": {
      if (clientId === null) return "The VTN's MQTT broker needs a token, and the connection has no client ID"
      const username = authentication.username ?? "{clientID}"
      return { ...address, username: username === "{clientID}" ? clientId : username }
    }
    default:
      return `The VTN's MQTT broker needs the authentication ${authentication.method}, which is not supported`
  }
}
