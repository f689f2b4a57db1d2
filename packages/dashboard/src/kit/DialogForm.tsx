import type { ReactNode } from "react"
import type { Problem } from "../api/problems.ts"
import { useMessages } from "../i18n/useMessages.ts"
import { Button, type Tone } from "./Button.tsx"
import { Form } from "./Form.tsx"
import { ProblemNotice } from "./Problem.tsx"

interface DialogFormProps {
  readonly children: ReactNode
  /** The write that the form makes: its state and the reason of a failure. */
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined }
  /** The words of the button that submits: the act itself, such as "Create the key". */
  readonly action: string
  readonly tone?: Tone
  readonly onSubmit: () => unknown
  readonly onCancel: () => void
}

/** The form of a dialog: its fields, the reason of a refusal, and the buttons. */
export const DialogForm = ({ children, act, action, tone = "main", onSubmit, onCancel }: DialogFormProps) => {
  const t = useMessages("kit")
  return (
    <Form onSubmit={onSubmit}>
      {children}
      {act.problem && <ProblemNotice problem={act.problem} />}
      <div className="dialog-actions">
        <Button onClick={onCancel}>{t.cancel}</Button>
        <Button tone={tone} type="submit" busy={act.busy}>
          {action}
        </Button>
      </div>
    </Form>
  )
}
