import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { workspaceAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { destinationChanged, DestinationsClient } from "../../resources/destinations.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { fromLocalText, toLocalText } from "../../i18n/period.ts"
import { DateTimeField } from "../../kit/DateTimeField.tsx"
import { CheckField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { nowMillis } from "../../state/now.ts"

const DAY = 86_400_000

const Form = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useMessages("destination")
  const toast = useToast()
  const call = useApi(DestinationsClient)
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  const [from, setFrom] = useState(() => toLocalText(nowMillis() - DAY, timeZone))
  const [to, setTo] = useState("")
  const [failedOnly, setFailedOnly] = useState(true)
  const replay = useAction((start: string, end: string | undefined) =>
    call(
      ({ destinations }) =>
        destinations.replay({
          params: { id },
          query: {},
          payload: { from: start, failedOnly, ...(end !== undefined && { to: end }) }
        }),
      destinationChanged(id)
    )
  )
  const instant = (text: string) => {
    const time = fromLocalText(text, timeZone)
    return time === undefined ? undefined : new Date(time).toISOString()
  }
  const start = instant(from)
  const refused = replay.problem?.kind === "refused" ? replay.problem.details : {}
  const submit = async () => {
    if (start === undefined) return
    const response = await replay.run(start, instant(to))
    if (response === undefined) return
    toast.done(t.replayed({ count: response.deliveries }))
    onClose()
  }
  return (
    <DialogForm act={replay} action={t.replayAction} onSubmit={submit} onCancel={onClose}>
      <DateTimeField
        kind="datetime"
        label={t.from}
        timeZone={timeZone}
        value={from}
        problem={refused["from"]}
        required
        onChange={setFrom}
      />
      <DateTimeField
        kind="datetime"
        label={t.to}
        hint={t.toHint}
        timeZone={timeZone}
        value={to}
        problem={refused["to"]}
        onChange={setTo}
      />
      <CheckField label={t.failedOnly} checked={failedOnly} onChange={setFailedOnly} />
    </DialogForm>
  )
}

interface ReplayDialogProps {
  readonly id: string
  readonly open: boolean
  readonly onClose: () => void
}

/** Queues the events of a time span again. */
export const ReplayDialog = ({ id, open, onClose }: ReplayDialogProps) => {
  const t = useMessages("destination")
  return (
    <Dialog open={open} onClose={onClose} title={t.replayTitle} description={t.replayLead}>
      <Form id={id} onClose={onClose} />
    </Dialog>
  )
}
