import type { Session } from "@edp/domain/dashboard/Session"
import { RouterProvider } from "@tanstack/react-router"
import { Effect } from "effect"
import { AtomRegistry } from "effect/reactivity"
import { useCallback, useContext, useEffect, useRef, useState } from "react"
import { startLive } from "../api/live.ts"
import { type Problem, problemFrom } from "../api/problems.ts"
import { adoptSession, SessionClient, sessionAtom, workspaceGoneAtom, workspaceIdAtom } from "../api/session.ts"
import { sessionEndedAtom, workspaceDoubtedAtom } from "../api/sessionEnd.ts"
import { useTexts } from "../i18n/useTexts.ts"
import { RegistryContext, useAtomValue } from "../state/atoms.ts"
import { readSetting, writeSetting } from "../state/settings.ts"
import { Button } from "../kit/Button.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loading } from "../kit/Loaded.tsx"
import { ProblemNotice } from "../kit/Problem.tsx"
import { SignInAgainContext } from "../kit/SignInAgain.tsx"
import { Toasts } from "../kit/Toasts.tsx"
import { router } from "./router.tsx"
import { SignInForm } from "./SignInForm.tsx"
import { SignInPage, takeToken } from "./SignInPage.tsx"
import { appTexts } from "./texts.ts"
import { WorkspaceGone } from "./WorkspaceGone.tsx"

/** Reads the session of the browser; undefined if it has none. Rejects if the service does not answer. */
const readSession = (registry: AtomRegistry.AtomRegistry): Promise<Session | undefined> =>
  AtomRegistry.getResult(registry, SessionClient.runtime).pipe(
    Effect.flatMap((services) =>
      Effect.flatMap(SessionClient, (client) => client.sessions.current()).pipe(Effect.provide(services))
    ),
    Effect.catchTag("UNAUTHENTICATED", () => Effect.undefined),
    Effect.catchTag("NOT_FOUND", () => Effect.undefined),
    Effect.runPromise
  )

/** The setting that notes a sign-in from this browser. The session itself is in a cookie that scripts cannot read. */
const SIGNED_IN = "signed-in"

const Page = () => {
  const registry = useContext(RegistryContext)
  const t = useTexts(appTexts)
  const session = useAtomValue(sessionAtom)
  const hasEnded = useAtomValue(sessionEndedAtom)
  const [token] = useState(takeToken)
  const [state, setState] = useState<"reading" | "read" | Problem>("reading")
  const [asking, setAsking] = useState(false)
  const answered = useRef<(signedIn: boolean) => void>(undefined)

  const adopt = useCallback(
    (next: Session) => {
      const isOpen = registry.get(sessionAtom) !== undefined
      registry.set(workspaceIdAtom, adoptSession(next, registry.get(workspaceIdAtom), isOpen))
      registry.set(sessionEndedAtom, false)
      registry.set(sessionAtom, next)
      writeSetting(SIGNED_IN, "yes")
      setState("read")
    },
    [registry]
  )
  const read = useCallback(() => {
    // Without a sign-in from this browser there is no session to ask for.
    if (token !== undefined || readSetting(SIGNED_IN) === null) return setState("read")
    setState("reading")
    readSession(registry).then(
      (found) => {
        if (found !== undefined) return adopt(found)
        writeSetting(SIGNED_IN, null)
        registry.set(sessionEndedAtom, false)
        setState("read")
      },
      (error) => setState(problemFrom(error))
    )
  }, [registry, adopt, token])
  useEffect(read, [read])

  const isDoubted = useAtomValue(workspaceDoubtedAtom)
  useEffect(() => {
    if (!isDoubted) return
    readSession(registry)
      .then((found) => found !== undefined && registry.set(sessionAtom, found))
      // The next answer about a missing workspace asks again.
      .catch(() => {})
      .finally(() => registry.set(workspaceDoubtedAtom, false))
  }, [registry, isDoubted])

  const workspaceId = useAtomValue(workspaceIdAtom)
  const isGone = useAtomValue(workspaceGoneAtom)
  const sessionId = session?.id
  useEffect(() => {
    if (sessionId === undefined || workspaceId === null || isGone || hasEnded) return
    return startLive(registry)
  }, [registry, sessionId, workspaceId, isGone, hasEnded])

  const signInAgain = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        answered.current = resolve
        setAsking(true)
      }),
    []
  )
  const answer = (signedIn: boolean) => {
    setAsking(false)
    answered.current?.(signedIn)
  }

  if (typeof state === "object") {
    return (
      <main className="sign-in">
        <div className="card">
          <h1>{t.product}</h1>
          <ProblemNotice problem={state} retry={read} />
        </div>
      </main>
    )
  }
  if (state === "reading") return <Loading />
  if (session === undefined) return <SignInPage token={token} onSession={adopt} />
  return (
    <SignInAgainContext value={signInAgain}>
      <RouterProvider router={router} />
      <Dialog
        open={hasEnded}
        onClose={() => {}}
        required
        title={t.endedTitle}
        description={t.endedLead}
        actions={<Button onClick={() => location.assign("/")}>{t.leave}</Button>}
      >
        <SignInForm onSession={adopt} />
      </Dialog>
      <WorkspaceGone open={isGone && !hasEnded} workspaces={session.workspaces} />
      <Dialog open={asking && !hasEnded} onClose={() => answer(false)} title={t.againTitle} description={t.againLead}>
        <SignInForm
          onSession={(next) => {
            adopt(next)
            answer(true)
          }}
        />
      </Dialog>
    </SignInAgainContext>
  )
}

export const App = () => (
  <Toasts>
    <Page />
  </Toasts>
)
