import type { Session } from "@edp/domain/dashboard/Session"
import { Effect } from "effect"
import { AtomRegistry } from "effect/reactivity"
import { adoptWorkspace, SessionClient, sessionAtom, SIGNED_IN, workspaceIdAtom } from "../api/session.ts"
import { sessionEndedAtom } from "../api/sessionEnd.ts"
import { readSetting, writeSetting } from "../state/settings.ts"
import { forgetAskedPage, hasToken } from "./askedPage.ts"
import { loadCode, router } from "./router.tsx"

type Registry = AtomRegistry.AtomRegistry

/** Reads the session of the browser; undefined if it has none. Rejects if the service does not respond. */
export const readSession = (registry: Registry): Promise<Session | undefined> =>
  AtomRegistry.getResult(registry, SessionClient.runtime).pipe(
    Effect.flatMap((services) =>
      Effect.flatMap(SessionClient, (client) => client.sessions.current()).pipe(Effect.provide(services))
    ),
    Effect.catchTag("UNAUTHENTICATED", () => Effect.undefined),
    Effect.catchTag("NOT_FOUND", () => Effect.undefined),
    Effect.runPromise
  )

/** Makes a session that of the page. */
export const adoptSession = (registry: Registry, next: Session) => {
  const isOpen = registry.get(sessionAtom) !== undefined
  registry.set(workspaceIdAtom, adoptWorkspace(next, registry.get(workspaceIdAtom), isOpen))
  registry.set(sessionEndedAtom, false)
  registry.set(sessionAtom, next)
  writeSetting(SIGNED_IN, next.id)
  forgetAskedPage()
}

let begun: Promise<Session | undefined> | undefined

/**
 * Asks for the session of the browser before anything is shown, and for the data of the page as soon as the session is known: both
 * come while the frame is still computed.
 */
export const beginSession = (registry: Registry) => {
  if (hasToken() || readSetting(SIGNED_IN) === null) return
  loadCode()
  begun = readSession(registry).then((found) => {
    if (found !== undefined) {
      adoptSession(registry, found)
      router.update({ ...router.options, context: { registry } })
      router.load().catch(() => {})
    }
    return found
  })
  // The caller of `presentSession` gets the failure.
  begun.catch(() => {})
}

/** The session that was asked for at the start, once; the present one afterwards. */
export const presentSession = (registry: Registry): Promise<Session | undefined> => {
  const first = begun
  begun = undefined
  return first ?? readSession(registry)
}
