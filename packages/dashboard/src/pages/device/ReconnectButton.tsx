import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { connectionsChanged, ConnectionsClient } from "../../resources/connections.ts"
import { Button } from "../../kit/Button.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"

const ReconnectLink = ({ accountId }: { readonly accountId: string }) => {
  const t = useMessages("device")
  const call = useApi(ConnectionsClient)
  const create = useAction(() =>
    call((client) => client.connections.create({ payload: { reconnect: accountId } }), connectionsChanged)
  )
  const [made, setMade] = useState<{ readonly url: string; readonly expiresAt: string }>()
  if (made !== undefined) {
    return (
      <div className="stack tight">
        <p>{t.reconnectLead}</p>
        <Code text={made.url} label={t.link} />
        <p className="muted">
          {t.linkExpires} <Age time={made.expiresAt} />
        </p>
      </div>
    )
  }
  return (
    <div className="stack tight">
      <p>{t.reconnectLead}</p>
      {create.problem && <ProblemNotice problem={create.problem} />}
      <div className="dialog-actions">
        <Button tone="main" busy={create.busy} onClick={() => void create.run().then(setMade)}>
          {t.reconnect}
        </Button>
      </div>
    </div>
  )
}

interface ReconnectButtonProps {
  /** Undefined: no account reports the device. */
  readonly accountId: string | undefined
  readonly isMain?: boolean
}

/** Makes a link on which a person signs in to the account of a device again. */
export const ReconnectButton = ({ accountId, isMain = false }: ReconnectButtonProps) => {
  const t = useMessages("device")
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small icon="plug" tone={isMain ? "main" : "plain"} onClick={() => setOpen(true)}>
        {t.signInAgain}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.reconnectTitle}>
        {accountId === undefined ? <p>{t.reconnectNone}</p> : <ReconnectLink accountId={accountId} />}
      </Dialog>
    </>
  )
}
