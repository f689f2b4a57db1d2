import type { Enrollment, EnrollmentStatus } from "@edp/domain/enrollments/Enrollment"
import { Effect } from "effect"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { type Problem, problemFrom } from "../../api/problems.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { enrollmentsChanged, EnrollmentsClient } from "../../resources/enrollments.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextAreaField } from "../../kit/Field.tsx"
import { Notice } from "../../kit/components.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"

export interface Decision {
  readonly kind: "approve" | "reject" | "unenroll"
  readonly enrollments: ReadonlyArray<Enrollment>
}

/** The status that each decision needs. */
const needed: Readonly<Record<Decision["kind"], EnrollmentStatus>> = {
  approve: "submitted",
  reject: "submitted",
  unenroll: "approved"
}

interface Outcome {
  readonly done: number
  readonly problems: ReadonlyArray<Problem>
}

interface DecisionProps<Chosen> {
  readonly decision: Chosen
  readonly onClose: () => void
  /** The service has taken the decision about these enrollments. */
  readonly onDecided: (ids: ReadonlyArray<string>) => void
}

const Form = ({ decision, onClose, onDecided }: DecisionProps<Decision>) => {
  const t = useMessages("program")
  const kit = useMessages("kit")
  const explain = useProblemText()
  const call = useApi(EnrollmentsClient)
  const [reason, setReason] = useState("")
  const [outcome, setOutcome] = useState<Outcome>()
  const { kind } = decision
  const possible = decision.enrollments.filter(({ status }) => status === needed[kind])
  // One after the other: the response to each says whether it was possible.
  const { run, busy, problem } = useAction(async () => {
    const problems: Array<Problem> = []
    const done: Array<string> = []
    for (const { id } of possible) {
      const payload = reason.trim() === "" ? {} : { reason: reason.trim() }
      await call((client) => client.enrollments[kind]({ params: { id }, payload })).then(
        () => done.push(id),
        (error) => problems.push(problemFrom(error))
      )
    }
    setOutcome({ done: done.length, problems })
    onDecided(done)
    await call(() => Effect.void, enrollmentsChanged)
  })
  if (possible.length === 0) return <Notice state="warn">{t.notThisStatus}</Notice>
  if (outcome !== undefined) {
    return (
      <>
        <Notice
          state={outcome.problems.length === 0 ? "good" : "warn"}
          title={t.decided({ done: outcome.done, failed: outcome.problems.length })}
          announced
        >
          {outcome.problems.length > 0 && (
            <ul>
              {[...new Set(outcome.problems.map(explain))].map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </Notice>
        <div className="dialog-actions">
          <Button tone="main" onClick={onClose}>
            {kit.close}
          </Button>
        </div>
      </>
    )
  }
  return (
    <DialogForm
      act={{ busy, problem }}
      action={t.decide[kind]({ count: possible.length })}
      tone={kind === "approve" ? "main" : "danger"}
      onSubmit={run}
      onCancel={onClose}
    >
      <p>{t.consequences[kind]}</p>
      <TextAreaField
        label={t.reason}
        hint={t.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={1000}
        rows={2}
      />
    </DialogForm>
  )
}

/** Decides about the selected enrollments whose status allows it, and reports which the service refused. */
export const DecisionDialog = ({ decision, ...rest }: DecisionProps<Decision | undefined>) => {
  const t = useMessages("program")
  const title = decision === undefined ? "" : t[decision.kind]
  return (
    <Dialog open={decision !== undefined} onClose={rest.onClose} title={title}>
      {decision && <Form decision={decision} {...rest} />}
    </Dialog>
  )
}
