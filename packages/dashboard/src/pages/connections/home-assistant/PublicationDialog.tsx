import type { HomeAssistantPublication } from "@edp/domain/home-assistant/HomeAssistantPublication"
import { useState } from "react"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { HomeAssistantClient, publicationsChanged } from "../../../resources/homeAssistant.ts"
import { Dialog } from "../../../kit/Dialog.tsx"
import { DialogForm } from "../../../kit/DialogForm.tsx"
import { CheckField, TextField } from "../../../kit/Field.tsx"
import { useAction } from "../../../kit/useAction.ts"
import { emptyPublication, type PublicationForm, publicationFormFrom, toPublication } from "./publicationForm.ts"

interface FormProps {
  /** The publication to change; undefined for a new one. */
  readonly stored: HomeAssistantPublication | undefined
  readonly onClose: () => void
  readonly onSaved: () => void
}

type TextName = {
  [Name in keyof PublicationForm]: PublicationForm[Name] extends string ? Name : never
}[keyof PublicationForm]

const Form = ({ stored, onClose, onSaved }: FormProps) => {
  const t = useMessages("homeAssistant")
  const kit = useMessages("kit")
  const call = useApi(HomeAssistantClient)
  const [form, setForm] = useState(stored === undefined ? emptyPublication : publicationFormFrom(stored))
  const save = useAction(async () => {
    const payload = toPublication(form)
    await call(
      ({ homeAssistantPublications: publications }) =>
        stored === undefined
          ? publications.create({ query: {}, payload })
          : publications.update({ params: { id: stored.id }, query: {}, payload }),
      publicationsChanged
    )
    return true
  })
  const change = (fields: Partial<PublicationForm>) => setForm((former) => ({ ...former, ...fields }))
  const field = (name: TextName) => ({
    value: form[name],
    onChange: (value: string) => change({ [name]: value }),
    problem: save.problem?.kind === "refused" ? save.problem.details[name] : undefined
  })
  const submit = async () => {
    if (await save.run()) onSaved()
  }
  const usualPort = form.tls ? "8883" : "1883"
  return (
    <DialogForm
      act={save}
      action={stored === undefined ? t.publishAction : kit.save}
      onSubmit={submit}
      onCancel={onClose}
    >
      <div className="grid">
        <TextField {...field("host")} label={t.host} hint={t.hostHint} required maxLength={120} autoFocus />
        <TextField
          {...field("port")}
          label={t.port}
          hint={t.portHint({ port: usualPort })}
          type="number"
          min={1}
          max={65_535}
          step={1}
        />
      </div>
      <CheckField label={t.tls} checked={form.tls} onChange={(tls) => change({ tls })} />
      {form.tls && (
        <TextField
          {...field("fingerprint")}
          label={t.fingerprint}
          hint={t.fingerprintHint}
          maxLength={95}
          spellCheck={false}
        />
      )}
      <div className="grid">
        <TextField {...field("username")} label={t.username} hint={t.usernameHint} maxLength={200} />
        <TextField
          {...field("password")}
          label={t.password}
          hint={stored?.password ? t.passwordKept : t.passwordHint}
          type="password"
          autoComplete="new-password"
          maxLength={200}
        />
      </div>
      <div className="grid">
        <TextField {...field("tag")} label={t.tag} hint={t.tagHint} maxLength={100} />
        <TextField {...field("discoveryPrefix")} label={t.prefix} hint={t.prefixHint} maxLength={100} />
      </div>
      <CheckField
        label={t.takesCommands}
        checked={form.takesCommands}
        onChange={(takesCommands) => change({ takesCommands })}
      />
      {form.takesCommands && <p className="hint">{t.takesCommandsHint}</p>}
    </DialogForm>
  )
}

interface PublicationDialogProps extends FormProps {
  readonly open: boolean
}

/** Publishes devices to a Home Assistant, or changes how. */
export const PublicationDialog = ({ open, ...rest }: PublicationDialogProps) => {
  const t = useMessages("homeAssistant")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.stored === undefined ? t.publish : t.editTitle} wide>
      <Form {...rest} />
    </Dialog>
  )
}
