import type { SavedFilter } from "@edp/domain/dashboard/SavedFilter"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { FleetClient, savedFiltersChanged, savedFiltersQuery } from "../../resources/fleet.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import type { Change } from "../../kit/useChange.ts"
import { type FleetSearch, fromQuery, toQuery } from "./filters.ts"

interface SavedFiltersProps {
  readonly parameters: FleetSearch
  readonly change: Change<FleetSearch>
  readonly isFiltered: boolean
}

const SaveForm = ({ onClose, query }: { readonly onClose: () => void; readonly query: string }) => {
  const t = useMessages("fleet")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(FleetClient)
  const [name, setName] = useState("")
  const save = useAction(() =>
    call(
      (client) => client.savedFilters.create({ payload: { name: name.trim(), page: "devices", query } }),
      savedFiltersChanged
    )
  )
  const submit = async () => {
    const saved = await save.run()
    if (saved === undefined) return
    toast.done(t.wasSaved({ name: saved.name }))
    onClose()
  }
  return (
    <DialogForm act={save} action={kit.save} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.saveName}
        hint={t.saveHint}
        value={name}
        onChange={setName}
        maxLength={100}
        required
        autoFocus
      />
    </DialogForm>
  )
}

const Choice = ({
  change,
  filters,
  parameters
}: Omit<SavedFiltersProps, "isFiltered"> & { readonly filters: ReadonlyArray<SavedFilter> }) => {
  const t = useMessages("fleet")
  const toast = useToast()
  const call = useApi(FleetClient)
  const [isDeleting, setDeleting] = useState(false)
  const now = toQuery(parameters)
  const chosen = filters.find(({ query }) => query === now)
  if (filters.length === 0) return null
  return (
    <>
      <SelectField
        label={t.saved}
        value={chosen?.id ?? ""}
        options={[{ value: "", label: t.choose }, ...filters.map(({ id, name }) => ({ value: id, label: name }))]}
        onChange={(id) => {
          const filter = filters.find((one) => one.id === id)
          if (filter !== undefined) change(fromQuery(filter.query))
        }}
      />
      {chosen && (
        <>
          <IconButton icon="trash" label={t.delete} onClick={() => setDeleting(true)} />
          <ConfirmDialog
            open={isDeleting}
            onClose={() => setDeleting(false)}
            title={t.deleteTitle({ name: chosen.name })}
            name={chosen.name}
            action={t.delete}
            act={async () => {
              await call((client) => client.savedFilters.remove({ params: { id: chosen.id } }), savedFiltersChanged)
              toast.done(t.wasDeleted({ name: chosen.name }))
            }}
          >
            {t.deleteText}
          </ConfirmDialog>
        </>
      )}
    </>
  )
}

/** Filters that the workspace keeps under names. */
export const SavedFilters = ({ change, isFiltered, parameters }: SavedFiltersProps) => {
  const t = useMessages("fleet")
  const [isSaving, setSaving] = useState(false)
  return (
    <div className="fleet-saved">
      <Loaded query={savedFiltersQuery} placeholder={null}>
        {({ data }) => (
          <Choice filters={data.filter(({ page }) => page === "devices")} parameters={parameters} change={change} />
        )}
      </Loaded>
      {isFiltered && <Button onClick={() => setSaving(true)}>{t.save}</Button>}
      <Dialog open={isSaving} onClose={() => setSaving(false)} title={t.saveTitle}>
        <SaveForm query={toQuery(parameters)} onClose={() => setSaving(false)} />
      </Dialog>
    </div>
  )
}
