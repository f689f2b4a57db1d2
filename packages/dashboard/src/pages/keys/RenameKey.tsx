import type { ApiKey } from "@edp/domain/api-keys/ApiKey"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useTexts } from "../../i18n/useTexts.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextField } from "../../kit/Field.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAct } from "../../kit/useAct.ts"
import { API_KEYS, KeysClient } from "./queries.ts"
import { texts } from "./texts.ts"

export const RenameKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useTexts(texts)
  const toast = useToast()
  const call = useApi(KeysClient)
  const [name, setName] = useState(apiKey.name)
  const save = useAct(async () => {
    const payload = { name: name.trim() }
    await call((client) => client.apiKeys.update({ params: { id: apiKey.id }, payload }), [API_KEYS])
    toast.done(t.renamed)
    onClose()
  })
  return (
    <Dialog open onClose={onClose} title={t.renameTitle(apiKey.name)}>
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
