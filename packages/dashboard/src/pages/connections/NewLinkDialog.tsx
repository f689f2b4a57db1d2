import type { ConnectSessionCreated, CreateConnection } from "@edp/domain/connections/ConnectSession"
import { type Language, languageNames, languages } from "@edp/domain/shared/Language"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { connectionsChanged, ConnectionsClient } from "../../resources/connections.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { useAction } from "../../kit/useAction.ts"
import { ManufacturerField } from "./manufacturers.tsx"

interface NewLinkDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onCreated: (created: ConnectSessionCreated) => void
}

const Form = ({ onClose, onCreated }: Omit<NewLinkDialogProps, "open">) => {
  const t = useMessages("connections")
  const call = useApi(ConnectionsClient)
  const [referenceId, setReference] = useState("")
  const [clientName, setClientName] = useState("")
  const [redirectUrl, setRedirectUrl] = useState("")
  const [manufacturer, setManufacturer] = useState<string>()
  const [language, setLanguage] = useState<Language | "">("")
  const create = useAction((payload: CreateConnection) =>
    call(({ connections }) => connections.create({ payload }), connectionsChanged)
  )
  const refused = create.problem?.kind === "refused" ? create.problem.details : {}
  const submit = async () => {
    const created = await create.run({
      ...(referenceId.trim() !== "" && { referenceId: referenceId.trim() }),
      ...(clientName.trim() !== "" && { clientName: clientName.trim() }),
      ...(redirectUrl.trim() !== "" && { redirectUrl: redirectUrl.trim() }),
      ...(manufacturer !== undefined && { manufacturerFilters: { manufacturers: [manufacturer] } }),
      ...(language !== "" && { language })
    })
    if (created !== undefined) onCreated(created)
  }
  return (
    <DialogForm act={create} action={t.createAction} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.reference}
        hint={t.referenceHint}
        value={referenceId}
        problem={refused["referenceId"]}
        onChange={setReference}
      />
      <ManufacturerField value={manufacturer} onChange={setManufacturer} any={t.anyManufacturer} />
      <TextField
        label={t.clientName}
        hint={t.clientNameHint}
        value={clientName}
        problem={refused["clientName"]}
        onChange={setClientName}
      />
      <TextField
        label={t.redirect}
        hint={t.redirectHint}
        inputMode="url"
        value={redirectUrl}
        problem={refused["redirectUrl"]}
        onChange={setRedirectUrl}
      />
      <SelectField
        label={t.language}
        value={language}
        options={[
          { value: "", label: t.browserLanguage },
          ...languages.map((value) => ({ value: value as Language | "", label: languageNames[value] }))
        ]}
        onChange={setLanguage}
      />
    </DialogForm>
  )
}

/** Creates a connect session for a person. */
export const NewLinkDialog = ({ open, ...rest }: NewLinkDialogProps) => {
  const t = useMessages("connections")
  return (
    <Dialog open={open} onClose={rest.onClose} title={t.createTitle} description={t.createLead}>
      <Form {...rest} />
    </Dialog>
  )
}
