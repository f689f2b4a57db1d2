import type { Device } from "@edp/domain/devices/Device"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceMoved, DevicesClient } from "../../resources/devices.ts"
import { siteChoicesQuery } from "../../resources/sites.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { TextField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

interface MoveFormProps {
  readonly device: Device
  readonly onClose: () => void
}

const NONE = ""

const MoveForm = ({ device, onClose }: MoveFormProps) => {
  const t = useMessages("device")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(DevicesClient)
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState(device.siteId ?? NONE)
  const move = useAction(() =>
    call(
      (client) =>
        client.devices.update({ params: { id: device.id }, payload: { siteId: chosen === NONE ? null : chosen } }),
      deviceMoved(device.id, device.siteId, chosen === NONE ? null : chosen)
    )
  )
  const submit = async () => {
    if ((await move.run()) === undefined) return
    toast.done(t.moved)
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      <TextField type="search" label={t.findSite} value={text} onChange={setText} autoFocus />
      <Loaded query={siteChoicesQuery(text.trim())}>
        {(sites, { waiting }) => (
          <fieldset className="device-sites" aria-busy={waiting}>
            <legend>{t.chooseSite}</legend>
            {[
              ...sites.data.map(({ id, name, address }) => ({
                id,
                label: [name, address.streetOne, address.city].filter(Boolean).join(" · ")
              })),
              { id: NONE, label: t.atNoSite }
            ].map(({ id, label }) => (
              <label key={id} className="check">
                <input type="radio" name="site" checked={chosen === id} onChange={() => setChosen(id)} />
                <span>
                  {label}
                  {id === (device.siteId ?? NONE) && <span className="muted"> ({t.here})</span>}
                </span>
              </label>
            ))}
            {sites.data.length === 0 && <p className="muted">{t.noSites}</p>}
            <ListedOf shown={sites.data.length} total={sites.totalItems} />
          </fieldset>
        )}
      </Loaded>
      {move.problem && <ProblemNotice problem={move.problem} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{kit.cancel}</Button>
        <Button tone="main" type="submit" busy={move.busy} disabled={chosen === (device.siteId ?? NONE)}>
          {t.moveAction}
        </Button>
      </div>
    </Form>
  )
}

export const MoveButton = ({ device }: { readonly device: Device }) => {
  const t = useMessages("device")
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {t.move}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.moveTitle} description={t.moveLead}>
        <MoveForm device={device} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
