import { lookup } from "node:dns/promises"
import { Context, Effect, Layer } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { allowsPrivate } from "../config/requireSettings.ts"
import { isEmailAddress, isHost, isPublicAddress, literalAddress, refusedHost } from "../network/publicAddress.ts"
import { OutboundDial } from "./OutboundDial.ts"
import { OutboundHttp } from "./OutboundHttp.ts"

/** The addresses that a caller names. */
export interface Named {
  readonly url?: string | undefined
  readonly email?: string | undefined
  readonly kafkaConfig?: { readonly brokers: ReadonlyArray<string> } | undefined
}

/** Time limit of the look-up when a name is given. It is resolved again for every connection. */
const PATIENCE = "2 seconds"

const NO_URL = "Must be an http or https address, such as https://example.com/events"
const NO_HOST = "Must have a host that can be one: labels of 1 to 63 letters, digits and inner hyphens"

/** URL parsers drop some of these silently and take others for slashes. */
const UNFIT = /[\p{C}\p{Z}\\]/u

/** The parsed URL, or what is wrong with it. */
const refusedUrl = (text: string): string | URL => {
  if (UNFIT.test(text)) return "Must not contain control characters, spaces or backslashes"
  if (!/^https?:\/\/[^/]/iu.test(text) || !URL.canParse(text)) return NO_URL
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return "Must not contain a user name or password: use a header"
  if (url.port === "0") return "Must have a port from 1 to 65535"
  if (url.hash !== "" || text.includes("#")) return "Must not contain a fragment: it would not be sent"
  return isHost(url.hostname) ? url : NO_HOST
}

const refusedEmail = (text: string | undefined) =>
  text === undefined || isEmailAddress(text)
    ? undefined
    : "Must be an e-mail address that mail can be sent to, such as ada@example.com"

const brokerHost = (broker: string) => broker.slice(0, broker.lastIndexOf(":"))

/** Checks addresses when a caller names them. */
export class OutboundRules extends Context.Service<
  OutboundRules,
  { readonly refused: (named: Named) => Effect.Effect<Record<string, string>> }
>()("@edp/server/platform/outbound/OutboundRules") {
  static readonly layer = (options: { readonly allowPrivate: boolean }) => {
    /** A name that cannot be resolved yet is accepted. */
    const resolved = (host: string) =>
      literalAddress(host) !== undefined
        ? Effect.succeed(undefined)
        : Effect.promise(() => lookup(host, { all: true }).catch(() => [])).pipe(
            Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed([]) }),
            Effect.map((found) =>
              found.every(({ address }) => isPublicAddress(address))
                ? undefined
                : "Must not lead to a private or local address"
            )
          )
    const host = (name: string) => {
      if (!isHost(name)) return Effect.succeed(NO_HOST)
      if (options.allowPrivate) return Effect.succeed(undefined)
      const refused = refusedHost(name)
      return refused === undefined ? resolved(name) : Effect.succeed(refused)
    }

    const url = (text: string | undefined) => {
      if (text === undefined) return Effect.succeed(undefined)
      const parsed = refusedUrl(text)
      return typeof parsed === "string" ? Effect.succeed(parsed) : host(parsed.hostname)
    }

    return Layer.succeed(OutboundRules, {
      refused: Effect.fn("OutboundRules.refused")(function* (named: Named) {
        const brokers = named.kafkaConfig?.brokers ?? []
        const reasons = yield* Effect.all(
          [
            Effect.map(url(named.url), (reason) => ["url", reason] as const),
            Effect.succeed(["email", refusedEmail(named.email)] as const),
            ...brokers.map((broker, at) =>
              Effect.map(host(brokerHost(broker)), (reason) => [`kafkaConfig.brokers.${at}`, reason] as const)
            )
          ],
          { concurrency: 4 }
        )
        return Object.fromEntries(
          reasons.flatMap(([field, reason]) => (reason === undefined ? [] : [[field, reason] as const]))
        )
      })
    })
  }
}

/** Outbound calls by the settings: the embedded database, for evaluation, also allows private addresses. */
export const configuredOutbound = Layer.unwrap(
  Effect.map(ServerConfig, (config) => {
    const allowPrivate = allowsPrivate(config)
    return Layer.mergeAll(
      OutboundHttp.layer({ allowPrivate }),
      OutboundDial.layer({ allowPrivate }),
      OutboundRules.layer({ allowPrivate })
    )
  })
)
