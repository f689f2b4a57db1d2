import { withConventions } from "@edp/domain/auth/middleware"
import type { Session } from "@edp/domain/dashboard/Session"
import { SessionsApi, SignInApi } from "@edp/domain/dashboard/SessionsApi"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { readSetting, writeSetting } from "../state/settings.ts"
import { pageClient } from "./makeApi.ts"
import { setPageHeaders } from "./pageHeaders.ts"

const api = withConventions(HttpApi.make("sessions").add(SessionsApi))

/** The client of the sessions' endpoints. */
export class SessionClient extends AtomHttpApi.Service<SessionClient>()("SessionClient", { api, ...pageClient }) {}

/** The session of the page; undefined before the first response and after the sign-out. */
export const sessionAtom = Atom.keepAlive(Atom.make<Session | undefined>(undefined))

/** The chosen workspace. */
export const workspaceAtom = Atom.make((get) => {
  const session = get(sessionAtom)
  const id = get(workspaceIdAtom)
  return session?.workspaces.find((each) => each.id === id)
})

const asked = new URLSearchParams(location.search).get("workspace")

/** The id of the chosen workspace: that of the address, else the one that was chosen last. */
export const workspaceIdAtom = Atom.keepAlive(Atom.make<string | null>(asked ?? readSetting("workspace")))

/** The workspace that a session begins with: the chosen one if it still exists, else that of its key, else the first. */
const firstWorkspace = (session: Session, chosen: string | null) =>
  (
    session.workspaces.find(({ id }) => id === chosen) ??
    session.workspaces.find(({ id }) => id === session.key.workspaceId) ??
    session.workspaces[0]
  )?.id ?? null

/** Whether the chosen workspace was deleted while the page was open. The page stays as it is until another one is chosen. */
export const workspaceGoneAtom = Atom.make((get) => get(sessionAtom) !== undefined && get(workspaceAtom) === undefined)

/** Takes over a session: its proof for writes, and its workspace, which is returned. An open page keeps its workspace. */
export const adoptWorkspace = (session: Session, chosen: string | null, isOpen: boolean): string | null => {
  const workspaceId = isOpen ? chosen : firstWorkspace(session, chosen)
  setPageHeaders({ csrfToken: session.csrfToken, workspaceId })
  return workspaceId
}

/** Opens the page with another workspace, from its start: nothing of the former one remains. */
export const openWorkspace = (id: string) => {
  writeSetting("workspace", id)
  location.assign(`/?workspace=${encodeURIComponent(id)}`)
}

/** The setting that names the session of the browser, whose tabs share it. The session's token is in a cookie that scripts cannot read. */
export const SIGNED_IN = "signed-in"

const signInClient = HttpApiClient.make(HttpApi.make("signIn").add(SignInApi)).pipe(
  Effect.provide(FetchHttpClient.layer)
)

/** Signs in by the token of a link or by a MANAGEMENT key. Rejects with the error of the service. */
export const signIn = (by: { readonly token: string } | { readonly key: string }): Promise<Session> =>
  Effect.runPromise(Effect.flatMap(signInClient, (client) => client.signIn.signIn({ payload: by })))
