import type { Session } from "@edp/domain/dashboard/Session"
import { useEffect, useState } from "react"
import { type Problem, problemFrom } from "../api/problems.ts"
import { signIn } from "../api/session.ts"
import { useTexts } from "../i18n/useTexts.ts"
import { Icon } from "../kit/Icon.tsx"
import { Loading } from "../kit/Loaded.tsx"
import { Notice } from "../kit/Parts.tsx"
import { ProblemNotice } from "../kit/Problem.tsx"
import { SignInForm } from "./SignInForm.tsx"
import { appTexts } from "./texts.ts"

/** Takes the token of a one-time link out of the address, so that it stays in no history. */
export const takeToken = (): string | undefined => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? undefined
  if (token !== undefined) history.replaceState(null, "", location.pathname + location.search)
  return token
}

interface SignInPageProps {
  /** The token of a one-time link with which the page was opened. */
  readonly token: string | undefined
  readonly onSession: (session: Session) => void
}

/** The whole page for a browser without a session. */
export const SignInPage = ({ token, onSession }: SignInPageProps) => {
  const t = useTexts(appTexts)
  const [problem, setProblem] = useState<Problem>()
  const [pending, setPending] = useState(token !== undefined)
  useEffect(() => {
    if (token === undefined) return
    signIn({ token }).then(onSession, (error) => {
      setProblem(problemFrom(error))
      setPending(false)
    })
  }, [token, onSession])
  return (
    <main className="sign-in">
      <title>{`${t.signInTitle} · edp`}</title>
      <div className="card">
        <p className="brand">
          <Icon name="bolt" /> {t.product}
        </p>
        <h1>{t.signInTitle}</h1>
        {pending ? (
          <Loading />
        ) : (
          <>
            {problem?.kind === "signed-out" ? (
              <Notice state="warn" announced>
                {t.linkUsed}
              </Notice>
            ) : (
              problem && <ProblemNotice problem={problem} />
            )}
            <p className="muted">{t.signInLead}</p>
            <SignInForm onSession={onSession} />
          </>
        )}
      </div>
    </main>
  )
}
