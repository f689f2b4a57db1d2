import type { Session } from "@edp/domain/dashboard/Session"
import { useMessages } from "../i18n/useMessages.ts"
import { Button } from "../kit/Button.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { SignInForm } from "./SignInForm.tsx"

interface SignInDialogProps {
  readonly open: boolean
  readonly onSession: (session: Session) => void
  /** Absent where the page can't go on without a sign-in. */
  readonly onClose?: () => void
}

/** Asks for a sign-in on top of the page: since the session has ended, or for an act that needs a recent one. */
export const SignInDialog = ({ onClose, onSession, open }: SignInDialogProps) => {
  const t = useMessages("signIn")
  const hasEnded = onClose === undefined
  return (
    <Dialog
      open={open}
      onClose={onClose ?? (() => {})}
      required={hasEnded}
      title={hasEnded ? t.endedTitle : t.againTitle}
      description={hasEnded ? t.endedLead : t.againLead}
      {...(hasEnded && { actions: <Button onClick={() => location.assign("/")}>{t.leave}</Button> })}
    >
      <SignInForm onSession={onSession} />
    </Dialog>
  )
}
