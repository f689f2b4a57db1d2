import { type Destination, destinationTypes } from "@edp/domain/destinations/Destination"
import { useEffect, useRef, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { destinationChanged, destinationsChanged, DestinationsClient } from "../../resources/destinations.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Loading } from "../../kit/Loaded.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"
import { DestinationFields } from "./DestinationFields.tsx"
import {
  type DestinationForm,
  emptyForm,
  formFrom,
  formProblems,
  refusedFields,
  toCreate,
  toUpdate
} from "./destinationForm.ts"

interface EditorProps {
  /** The destination to change; undefined for a new one. */
  readonly stored: Destination | undefined
  readonly onClose: () => void
  readonly onSaved: (saved: Destination) => void
}

const Editor = ({ stored, onClose, onSaved }: EditorProps) => {
  const t = useMessages("destinations")
  const kit = useMessages("kit")
  const call = useApi(DestinationsClient)
  const [form, setForm] = useState<DestinationForm>(() => (stored === undefined ? emptyForm : formFrom(stored)))
  const save = useAction((values: DestinationForm) =>
    stored === undefined
      ? call(({ destinations }) => destinations.create({ query: {}, payload: toCreate(values) }), destinationsChanged)
      : call(
          ({ destinations }) =>
            destinations.update({ params: { id: stored.id }, query: {}, payload: toUpdate(values, stored) }),
          destinationChanged(stored.id)
        )
  )
  const problems = formProblems(form)
  const refused = save.problem?.kind === "refused" ? refusedFields(save.problem.details) : {}
  const reasons = (field: keyof DestinationForm) => {
    const wrong = problems[field]
    return { problem: refused[field], invalid: wrong === undefined ? undefined : t.problems[wrong] }
  }
  const change = (fields: Partial<DestinationForm>) => setForm((former) => ({ ...former, ...fields }))
  const submit = async () => {
    const saved = await save.run(form)
    if (saved !== undefined) onSaved(saved)
  }
  return (
    <DialogForm
      act={save}
      action={stored === undefined ? t.createAction : kit.save}
      onSubmit={submit}
      onCancel={onClose}
    >
      {stored === undefined && (
        <SelectField
          label={t.type}
          value={form.type}
          problem={refused.type}
          options={destinationTypes.map((value) => ({ value, label: t.types[value] }))}
          onChange={(type) => {
            setForm((former) => ({ ...former, type }))
            save.forget()
          }}
        />
      )}
      <DestinationFields form={form} change={change} reasons={reasons} isNew={stored === undefined} />
    </DialogForm>
  )
}

/** Reads the whole destination, with its URL and headers: the service wants a sign-in of the last minutes for it. */
const StoredEditor = ({ id, ...rest }: Omit<EditorProps, "stored"> & { readonly id: string }) => {
  const call = useApi(DestinationsClient)
  const [stored, setStored] = useState<Destination>()
  const read = useAction(() => call(({ destinations }) => destinations.get({ params: { id }, query: {} })))
  const started = useRef(false)
  const begin = () => void read.run().then((found) => found && setStored(found))
  useEffect(() => {
    if (started.current) return
    started.current = true
    begin()
  })
  if (stored !== undefined) return <Editor stored={stored} {...rest} />
  return read.problem ? <ProblemNotice problem={read.problem} retry={begin} /> : <Loading />
}

interface DestinationEditorProps extends Omit<EditorProps, "stored"> {
  /** `new`, the id of a destination, or undefined while the editor is closed. */
  readonly edited: string | undefined
}

/** Creates or changes a destination in a dialog. */
export const DestinationEditor = ({ edited, onClose, onSaved }: DestinationEditorProps) => {
  const t = useMessages("destinations")
  return (
    <Dialog
      open={edited !== undefined}
      onClose={onClose}
      title={edited === undefined || edited === "new" ? t.createTitle : t.editTitle}
      wide
    >
      {edited === "new" && <Editor stored={undefined} onClose={onClose} onSaved={onSaved} />}
      {edited !== undefined && edited !== "new" && (
        <StoredEditor key={edited} id={edited} onClose={onClose} onSaved={onSaved} />
      )}
    </Dialog>
  )
}
