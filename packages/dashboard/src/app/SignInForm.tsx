import type { Session } from "@edp/domain/dashboard/Session"
import { useState } from "react"
import { signIn } from "../api/session.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { Code } from "../kit/Copy.tsx"
import { TextField } from "../kit/Field.tsx"
import { Form } from "../kit/Form.tsx"
import { ProblemNotice } from "../kit/Problem.tsx"
import { problemFrom, type Problem } from "../api/problems.ts"

/** Signs in with a typed key. */
export const SignInForm = ({ onSession }: { readonly onSession: (session: Session) => void }) => {
  const t = useMessages("signIn")
  const [key, setKey] = useState("")
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const submit = async () => {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const session = await signIn({ key: key.trim() })
      setKey("")
      onSession(session)
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  const isWrong = problem?.kind === "signed-out" || (problem?.kind === "refused" && problem.code === "VALIDATION_ERROR")
  return (
    <Form onSubmit={submit}>
      <TextField
        label={t.key}
        hint={t.keyHint}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        onChange={setKey}
        problem={isWrong ? t.wrongKey : undefined}
        required
      />
      {problem && !isWrong && <ProblemNotice problem={problem} />}
      <Button tone="main" type="submit" busy={busy}>
        {t.signIn}
      </Button>
      <div className="stack tight">
        <p className="muted">{t.orLink}</p>
        <Code text="npx -y pnpm@12 edp dashboard open" label={t.command} />
      </div>
    </Form>
  )
}
