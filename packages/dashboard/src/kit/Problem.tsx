import type { Problem } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "./Button.tsx"
import { Notice } from "./components.tsx"
import { useServiceTexts } from "./useServiceTexts.ts"

/** The sentence that explains a problem. */
export const useProblemText = () => {
  const t = useMessages("kit")
  const { refusal } = useServiceTexts()
  return (problem: Problem): string => {
    switch (problem.kind) {
      case "unreachable":
        return t.unreachable
      case "signed-out":
        return t.signedOut
      case "sign-in-again":
        return t.signInAgain
      case "rate-limited":
        return t.rateLimited({ seconds: problem.retryAfterSeconds })
      case "refused": {
        if (problem.code === "DELETION_PROTECTION_ENABLED") return t.protected
        const details = Object.entries(problem.details).map(([field, text]) => `${field}: ${text}`)
        return [refusal(problem.code, problem.message), ...details].join(" · ")
      }
      case "failed": {
        const failed = t.serviceFailed({ status: problem.status })
        return problem.requestId === null ? failed : `${failed} ${t.requestId({ id: problem.requestId })}`
      }
      case "unexpected":
        return problem.requestId === null ? t.unexpected : `${t.unexpected} ${t.requestId({ id: problem.requestId })}`
    }
  }
}

interface ProblemNoticeProps {
  readonly problem: Problem
  readonly retry?: () => void
}

/** Explains why a query or an act failed. */
export const ProblemNotice = ({ problem, retry }: ProblemNoticeProps) => {
  const t = useMessages("kit")
  const explain = useProblemText()
  return (
    <Notice
      state="bad"
      title={t.failed}
      announced
      actions={
        retry && (
          <Button icon="refresh" small onClick={retry}>
            {t.retry}
          </Button>
        )
      }
    >
      {explain(problem)}
    </Notice>
  )
}
