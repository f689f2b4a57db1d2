import { type GridConnection, gridNotificationSettings } from "@edp/domain/grid/GridConnection"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { gridConnectionChanged, gridConnectionsChanged, GridClient } from "../../resources/grid.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { emptyForm, formFrom, targetsProblem, toConnection } from "./connectionForm.ts"

interface FormProps {
  /** The connection to change; undefined for a new one. */
  readonly stored: GridConnection | undefined
  readonly onClose: () => void
  readonly onSaved: (saved: GridConnection) => void
}

const Form = ({ stored, onClose, onSaved }: FormProps) => {
  const t = useMessages("grid")
  const kit = useMessages("kit")
  const call = useApi(GridClient)
  const [values, bind] = useFields(stored === undefined ? emptyForm : formFrom(stored))
  const save = useAction(() =>
    stored === undefined
      ? call(({ grid }) => grid.createConnection({ payload: toConnection(values) }), gridConnectionsChanged)
      : call(
          ({ grid }) => grid.updateConnection({ params: { id: stored.id }, payload: toConnection(values) }),
          gridConnectionChanged(stored.id)
        )
  )
  const field = bind(save.problem)
  const submit = async () => {
    const saved = await save.run()
    if (saved !== undefined) onSaved(saved)
  }
  return (
    <DialogForm
      act={save}
      action={stored === undefined ? t.connectAction : kit.save}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextField {...field("name")} label={t.name} hint={t.nameHint} required maxLength={255} autoFocus />
      <TextField {...field("vtnUrl")} label={t.vtnUrl} hint={t.vtnUrlHint} type="url" required maxLength={2000} />
      <TextField {...field("venName")} label={t.venName} hint={t.venNameHint} required maxLength={128} />
      <div className="grid">
        <TextField {...field("clientId")} label={t.clientId} hint={t.clientIdHint} maxLength={4096} />
        <TextField
          {...field("clientSecret")}
          label={t.clientSecret}
          hint={stored === undefined ? t.clientSecretHint : t.clientSecretKept}
          type="password"
          autoComplete="new-password"
          maxLength={4096}
        />
      </div>
      <TextAreaField
        {...field("targets")}
        problem={targetsProblem(save.problem)}
        label={t.targets}
        hint={t.targetsHint}
        rows={2}
      />
      <div className="grid">
        <TextField
          {...field("pollSeconds")}
          label={t.pollSeconds}
          type="number"
          min={10}
          max={3600}
          step={1}
          required
        />
        <SelectField
          {...field("notifications")}
          label={t.notifications}
          hint={t.notificationsHint}
          options={gridNotificationSettings.map((value) => ({ value, label: t.notificationSettings[value] }))}
        />
      </div>
      <TextField {...field("tokenUrl")} label={t.tokenUrl} hint={t.tokenUrlHint} type="url" maxLength={2000} />
    </DialogForm>
  )
}

interface ConnectionDialogProps extends FormProps {
  readonly open: boolean
}

/** Connects to a VTN, or changes a connection. */
export const ConnectionDialog = ({ open, ...rest }: ConnectionDialogProps) => {
  const t = useMessages("grid")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.stored === undefined ? t.connect : t.editTitle} wide>
      <Form {...rest} />
    </Dialog>
  )
}
