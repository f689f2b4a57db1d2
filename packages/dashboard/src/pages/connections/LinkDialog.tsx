import type { ConnectSessionCreated } from "@edp/domain/connections/ConnectSession"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { toMillis } from "../../kit/Figure.tsx"

interface LinkDialogProps {
  /** The new session; undefined while there is none. */
  readonly created: ConnectSessionCreated | undefined
  readonly isReconnect: boolean
  readonly onClose: () => void
}

/** Shows the link of a new connect session, once. */
export const LinkDialog = ({ created, isReconnect, onClose }: LinkDialogProps) => {
  const t = useMessages("connections")
  const language = useLanguage()
  const title = isReconnect ? t.reconnectTitle : t.linkTitle
  return (
    <Dialog
      open={created !== undefined}
      onClose={onClose}
      title={title}
      description={isReconnect ? t.reconnectLead : t.linkLead}
      actions={
        <Button tone="main" onClick={onClose}>
          {t.done}
        </Button>
      }
    >
      {created && (
        <>
          <Code text={created.url} label={title} />
          <p className="muted">
            {t.validUntil} {formatTime(language, toMillis(created.expiresAt))}
          </p>
        </>
      )}
    </Dialog>
  )
}
