import type { ApiKey } from "@edp/domain/api-keys/ApiKey"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { apiKeysChanged, ApiKeysClient } from "../../resources/apiKeys.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"

export const RenameKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useMessages("keys")
  const toast = useToast()
  const call = useApi(ApiKeysClient)
  const [name, setName] = useState(apiKey.name)
  const save = useAction(async () => {
    const payload = { name: name.trim() }
    await call((client) => client.apiKeys.update({ params: { id: apiKey.id }, payload }), apiKeysChanged)
    toast.done(t.renamed)
    onClose()
  })
  return (
    <Dialog open onClose={onClose} title={t.renameTitle({ name: apiKey.name })}>
      <DialogForm act={save} action={t.save} onSubmit={() => save.run()} onCancel={onClose}>
        <TextField
          label={t.name}
          hint={t.nameHint}
          value={name}
          maxLength={255}
          onChange={setName}
          required
          autoFocus
        />
      </DialogForm>
    </Dialog>
  )
}
