import { NAMED_DEVICES } from "@edp/domain/commands/BatchCommand"
import type { Criteria } from "@edp/domain/collections/criteria"
import { FLEET_WINDOW_LIMIT, type FleetFilters } from "@edp/domain/dashboard/Fleet"
import { Cause, Effect, Exit } from "effect"
import { type ReactNode, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { problemFromCause } from "../../api/problems.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import {
  collectionChanged,
  CollectionsClient,
  collectionsChanged,
  storedCollectionsQuery
} from "../../resources/collections.ts"
import { FleetClient } from "../../resources/fleet.ts"
import { DevicesClient } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { BatchForm } from "../../kit/commands/BatchForm.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { useProblemText } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { CsvButton } from "./CsvButton.tsx"
import { type Selection, toCriteria } from "./selection.ts"

/** Requests at once: a few, so that a selection is soon done and others are not kept waiting. */
const AT_ONCE = 4

/** Tells how many of the devices an act has changed. When it changed none, the act as a whole has failed. */
const useOutcome = () => {
  const t = useMessages("fleet")
  const toast = useToast()
  const explain = useProblemText()
  return (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>, done: string) => {
    const failed = exits.filter(Exit.isFailure)
    const [first] = failed
    if (first === undefined) return toast.done(done)
    if (failed.length === exits.length) throw Cause.squash(first.cause)
    toast.failed(
      t.partly({
        done: exits.length - failed.length,
        failed: failed.length,
        reason: explain(problemFromCause(first.cause))
      })
    )
  }
}

interface FormProps {
  readonly ids: ReadonlyArray<string>
  readonly onClose: () => void
}

const TagForm = ({ ids, onClose }: FormProps) => {
  const t = useMessages("fleet")
  const call = useApi(DevicesClient)
  const tell = useOutcome()
  const [text, setText] = useState("")
  const tag = text.trim()
  const act = useAction(async () => {
    const add = (client: typeof DevicesClient.Service) => (id: string) =>
      Effect.exit(client.devices.addTags({ params: { id }, payload: { tags: [tag] } }))
    const changed = ["devices", ...ids.map((id) => `device:${id}`)]
    const exits = await call((client) => Effect.forEach(ids, add(client), { concurrency: AT_ONCE }), changed)
    tell(exits, t.tagged({ tag, count: ids.length }))
    return true
  })
  return (
    <DialogForm
      act={act}
      action={t.addTag}
      onSubmit={async () => void ((await act.run()) && onClose())}
      onCancel={onClose}
    >
      <TextField
        label={t.tag}
        value={text}
        onChange={setText}
        invalid={tag.includes(",") ? t.tagProblem : undefined}
        maxLength={100}
        required
        autoFocus
      />
    </DialogForm>
  )
}

interface CommandFormProps extends Pick<SelectionBarProps, "selection" | "filters" | "total"> {
  readonly onClose: () => void
}

/** Sends a command to the selected devices, or to all that match. */
const CommandForm = ({ filters, onClose, selection, total }: CommandFormProps) => {
  const t = useMessages("batch")
  const call = useApi(FleetClient)
  if (selection.kind === "all" && total > NAMED_DEVICES) return <p>{t.tooMany({ limit: NAMED_DEVICES })}</p>
  const readIds = (client: typeof FleetClient.Service) => {
    const windows = Array.from({ length: Math.ceil(total / FLEET_WINDOW_LIMIT) }, (_, index) => index)
    return Effect.forEach(
      windows,
      (index) =>
        client.fleet.devices({
          query: { ...filters, sort: "newest", offset: index * FLEET_WINDOW_LIMIT, limit: FLEET_WINDOW_LIMIT }
        }),
      { concurrency: AT_ONCE }
    ).pipe(Effect.map((read) => read.flatMap(({ data }) => data.map(({ id }) => id))))
  }
  const target = async () => ({
    deviceIds: selection.kind === "all" ? await call(readIds) : [...selection.ids]
  })
  return <BatchForm target={target} deviceTypes={filters.type} onClose={onClose} />
}

const NEW = ""

interface Stored {
  readonly id: string
  readonly name: string
}

/** Adds the devices to a collection whose members are chosen one by one, which may be a new one. */
const MembersForm = ({ ids, onClose, collections }: FormProps & { readonly collections: ReadonlyArray<Stored> }) => {
  const t = useMessages("fleet")
  const call = useApi(CollectionsClient)
  const tell = useOutcome()
  const [chosen, setChosen] = useState(NEW)
  const [name, setName] = useState("")
  const act = useAction(async () => {
    const collection =
      collections.find(({ id }) => id === chosen) ??
      (await call(
        (client) =>
          client.collections.create({
            query: {},
            payload: { name: name.trim(), collectionType: "DEVICE", criteria: {}, dynamic: false }
          }),
        collectionsChanged
      ))
    const add = (client: typeof CollectionsClient.Service) => (memberId: string) =>
      Effect.exit(client.collections.addMember({ params: { id: collection.id, memberId }, query: {} }))
    const exits = await call(
      (client) => Effect.forEach(ids, add(client), { concurrency: AT_ONCE }),
      collectionChanged(collection.id)
    )
    tell(exits, t.collected({ name: collection.name, count: ids.length }))
    return true
  })
  return (
    <DialogForm
      act={act}
      action={t.addToCollection}
      onSubmit={async () => void ((await act.run()) && onClose())}
      onCancel={onClose}
    >
      <SelectField
        label={t.collection}
        value={chosen}
        options={[
          { value: NEW, label: t.newCollection },
          ...collections.map(({ id, name: label }) => ({ value: id, label }))
        ]}
        onChange={setChosen}
      />
      {chosen === NEW && (
        <TextField label={t.saveName} value={name} onChange={setName} maxLength={255} required autoFocus />
      )}
    </DialogForm>
  )
}

/** Makes a collection of all devices that match the filters, now and later. */
const CriteriaForm = ({ criteria, onClose }: { readonly criteria: Criteria; readonly onClose: () => void }) => {
  const t = useMessages("fleet")
  const toast = useToast()
  const call = useApi(CollectionsClient)
  const [name, setName] = useState("")
  const act = useAction(() =>
    call(
      (client) =>
        client.collections.create({
          query: {},
          payload: { name: name.trim(), collectionType: "DEVICE", criteria, dynamic: true }
        }),
      collectionsChanged
    )
  )
  const submit = async () => {
    const made = await act.run()
    if (made === undefined) return
    toast.done(t.collectionMade({ name: made.name }))
    onClose()
  }
  return (
    <DialogForm act={act} action={t.makeCollection} onSubmit={submit} onCancel={onClose}>
      <p>{t.criteriaHint}</p>
      <TextField label={t.saveName} value={name} onChange={setName} maxLength={255} required autoFocus />
    </DialogForm>
  )
}

interface DialogButtonProps {
  readonly label: string
  readonly title: string
  readonly wide?: boolean
  readonly children: (close: () => void) => ReactNode
}

const DialogButton = ({ children, label, title, wide = false }: DialogButtonProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={title} wide={wide}>
        {children(() => setOpen(false))}
      </Dialog>
    </>
  )
}

interface SelectionBarProps {
  readonly selection: Selection
  readonly filters: FleetFilters
  /** Devices that match the filters. */
  readonly total: number
  readonly onSelect: (selection: Selection) => void
}

/** The selected devices and what can be done with them. What the service cannot do with all that match is not offered for them. */
export const SelectionBar = ({ filters, onSelect, selection, total }: SelectionBarProps) => {
  const t = useMessages("fleet")
  const batch = useMessages("batch")
  const language = useLanguage()
  const isAll = selection.kind === "all"
  const ids = isAll ? [] : [...selection.ids]
  const count = isAll ? total : ids.length
  const criteria = isAll ? toCriteria(filters) : undefined
  return (
    <div className="card fleet-selection" role="group" aria-label={t.selection}>
      <span role="status">{isAll ? t.allSelected({ count }) : t.selected({ count })}</span>
      {!isAll && ids.length < total && (
        <Button small onClick={() => onSelect({ kind: "all" })}>
          {t.selectAll({ count: formatNumber(language, total) })}
        </Button>
      )}
      <DialogButton label={batch.send} title={batch.title({ count: formatNumber(language, count) })} wide>
        {(close) => <CommandForm selection={selection} filters={filters} total={total} onClose={close} />}
      </DialogButton>
      {!isAll && (
        <DialogButton label={t.addTag} title={t.tagTitle({ count })}>
          {(close) => <TagForm ids={ids} onClose={close} />}
        </DialogButton>
      )}
      {!isAll && (
        <DialogButton label={t.addToCollection} title={t.collectTitle({ count })}>
          {(close) => (
            <Loaded query={storedCollectionsQuery}>
              {({ data }) => (
                <MembersForm
                  ids={ids}
                  onClose={close}
                  collections={data.filter(
                    ({ criteria: given, isActive }) => isActive && Object.keys(given).length === 0
                  )}
                />
              )}
            </Loaded>
          )}
        </DialogButton>
      )}
      {criteria !== undefined && (
        <DialogButton label={t.makeCollection} title={t.makeCollection}>
          {(close) => <CriteriaForm criteria={criteria} onClose={close} />}
        </DialogButton>
      )}
      <CsvButton small query={isAll ? filters : { id: ids }} total={isAll ? total : ids.length} />
      <Button small tone="quiet" onClick={() => onSelect({ kind: "some", ids: new Set() })}>
        {t.unselect}
      </Button>
    </div>
  )
}
