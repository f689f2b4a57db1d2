import type { Session } from "@edp/domain/dashboard/Session"
import { RouterProvider } from "@tanstack/react-router"
import { lazy, Suspense, useCallback, useContext, useEffect, useRef, useState } from "react"
import { startLive } from "../api/live.ts"
import { type Problem, problemFrom } from "../api/problems.ts"
import { sessionAtom, SIGNED_IN, workspaceGoneAtom, workspaceIdAtom } from "../api/session.ts"
import { sessionEndedAtom, workspaceDoubtedAtom } from "../api/sessionEnd.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { RegistryContext, useAtomValue } from "../state/atoms.ts"
import { readSetting, writeSetting } from "../state/settings.ts"
import { Loading } from "../kit/Loaded.tsx"
import { ProblemNotice } from "../kit/Problem.tsx"
import { SignInAgainContext } from "../kit/SignInAgain.tsx"
import { Toasts } from "../kit/Toasts.tsx"
import { takeToken } from "./askedPage.ts"
import { adoptSession, presentSession, readSession } from "./presentSession.ts"
import { loadCode, router } from "./router.tsx"
import { useSharedSession } from "./useSharedSession.ts"
import "./App.css"

// Whoever is signed in seldom needs these.
const SignInPage = lazy(() => import("./SignInPage.tsx").then(({ SignInPage }) => ({ default: SignInPage })))
const SignInDialog = lazy(() => import("./SignInDialog.tsx").then(({ SignInDialog }) => ({ default: SignInDialog })))
const WorkspaceGone = lazy(() =>
  import("./WorkspaceGone.tsx").then(({ WorkspaceGone }) => ({ default: WorkspaceGone }))
)

const Page = () => {
  const registry = useContext(RegistryContext)
  const t = useMessages("app")
  const session = useAtomValue(sessionAtom)
  const hasEnded = useAtomValue(sessionEndedAtom)
  const [token] = useState(takeToken)
  const [state, setState] = useState<"reading" | "read" | Problem>("reading")
  const [asking, setAsking] = useState(false)
  const answered = useRef<(signedIn: boolean) => void>(undefined)

  const adopt = useCallback(
    (next: Session) => {
      adoptSession(registry, next)
      setState("read")
    },
    [registry]
  )
  const readPresent = useCallback(async () => {
    // Without a sign-in from this browser there is no session to ask for.
    if (readSetting(SIGNED_IN) === null) return
    loadCode()
    const found = await presentSession(registry)
    if (found !== undefined) return adopt(found)
    writeSetting(SIGNED_IN, null)
    if (registry.get(sessionAtom) === undefined) registry.set(sessionEndedAtom, false)
  }, [registry, adopt])
  const read = useCallback(() => {
    if (token !== undefined) return setState("read")
    setState("reading")
    readPresent().then(
      () => setState("read"),
      (error) => setState(problemFrom(error))
    )
  }, [readPresent, token])
  useEffect(read, [read])
  useSharedSession(readPresent)

  const isDoubted = useAtomValue(workspaceDoubtedAtom)
  useEffect(() => {
    if (!isDoubted) return
    readSession(registry)
      .then((found) => found !== undefined && registry.set(sessionAtom, found))
      // The next response about a missing workspace asks again.
      .catch(() => {})
      .finally(() => registry.set(workspaceDoubtedAtom, false))
  }, [registry, isDoubted])

  const workspaceId = useAtomValue(workspaceIdAtom)
  const isGone = useAtomValue(workspaceGoneAtom)
  const sessionId = session?.id
  useEffect(() => {
    if (sessionId === undefined || workspaceId === null || isGone || hasEnded) return
    return startLive(registry, `${sessionId} ${workspaceId}`)
  }, [registry, sessionId, workspaceId, isGone, hasEnded])

  const signInAgain = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        answered.current = resolve
        setAsking(true)
      }),
    []
  )
  const respond = (signedIn: boolean) => {
    setAsking(false)
    answered.current?.(signedIn)
  }

  // The dialogs stay once they were needed: one that closes gives the focus back.
  const [wasNeeded, setWasNeeded] = useState(false)
  if (!wasNeeded && (hasEnded || asking)) setWasNeeded(true)

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
  if (session === undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <SignInPage token={token} onSession={adopt} onRefused={readPresent} />
      </Suspense>
    )
  }
  return (
    <SignInAgainContext value={signInAgain}>
      <RouterProvider router={router} context={{ registry }} />
      {wasNeeded && (
        <Suspense>
          <SignInDialog open={hasEnded} onSession={adopt} />
        </Suspense>
      )}
      {isGone && (
        <Suspense>
          <WorkspaceGone open={!hasEnded} workspaces={session.workspaces} />
        </Suspense>
      )}
      {wasNeeded && (
        <Suspense>
          <SignInDialog
            open={asking && !hasEnded}
            onClose={() => respond(false)}
            onSession={(next) => {
              adopt(next)
              respond(true)
            }}
          />
        </Suspense>
      )}
    </SignInAgainContext>
  )
}

export const App = () => (
  <Toasts>
    <Page />
  </Toasts>
)
