import type { Session } from "@edp/domain/dashboard/Session"
import { useEffect, useState } from "react"
import { type Problem, problemFrom } from "../api/problems.ts"
import { signIn } from "../api/session.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Icon } from "../kit/Icon.tsx"
import { Loading } from "../kit/Loaded.tsx"
import { Notice } from "../kit/components.tsx"
import { ProblemNotice } from "../kit/Problem.tsx"
import { noteAskedPage } from "./askedPage.ts"
import { SignInForm } from "./SignInForm.tsx"

interface SignInPageProps {
  /** The token of a one-time link with which the page was opened. */
  readonly token: string | undefined
  readonly onSession: (session: Session) => void
  /** The link was refused: the browser may have a session that it began before. */
  readonly onRefused: () => Promise<void>
}

/** The whole page for a browser without a session. */
export const SignInPage = ({ token, onSession, onRefused }: SignInPageProps) => {
  const t = useMessages("signIn")
  const { product } = useMessages("app")
  const [problem, setProblem] = useState<Problem>()
  const [pending, setPending] = useState(token !== undefined)
  useEffect(() => {
    if (token === undefined) return noteAskedPage()
    signIn({ token }).then(onSession, async (error) => {
      await onRefused().catch(() => {})
      setProblem(problemFrom(error))
      setPending(false)
    })
  }, [token, onSession, onRefused])
  return (
    <main className="sign-in">
      <title>{`${t.signInTitle} · edp`}</title>
      <div className="card">
        <p className="brand">
          <Icon name="bolt" /> {product}
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
