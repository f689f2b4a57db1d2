import type { Device } from "@edp/domain/devices/Device"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceChanged, DevicesClient } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

const RenameForm = ({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) => {
  const t = useMessages("device")
  const toast = useToast()
  const call = useApi(DevicesClient)
  const [name, setName] = useState(device.name)
  const rename = useAction(() =>
    call(
      (client) => client.devices.update({ params: { id: device.id }, payload: { name: name.trim() } }),
      deviceChanged(device.id)
    )
  )
  const submit = async () => {
    if ((await rename.run()) === undefined) return
    toast.done(t.renamed)
    onClose()
  }
  return (
    <DialogForm act={rename} action={t.save} onSubmit={submit} onCancel={onClose}>
      <TextField label={t.name} value={name} onChange={setName} maxLength={255} required autoFocus />
    </DialogForm>
  )
}

export const RenameButton = ({ device }: { readonly device: Device }) => {
  const t = useMessages("device")
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon="pen" onClick={() => setOpen(true)}>
        {t.rename}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.rename}>
        <RenameForm device={device} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
